#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "cli/options/source.h"

namespace schedlens {
namespace {

constexpr TimeMs kDay = 24 * 3600 * 1000;
constexpr TimeMs kFirstMilliseconds = 100'000'000'000;

bool TakeEnd(std::string_view* text, std::string_view end) {
  if (!text->ends_with(end)) return false;
  *text = Trimmed(text->substr(0, text->size() - end.size()), " ");
  return true;
}

/// `now-1d/d`: the day's first millisecond, as an end its last.
std::optional<TimeMs> Rounded(std::string_view text, TimeMs now, bool end) {
  const std::size_t slash = text.find('/');
  if (!text.starts_with("now") || slash == text.npos) return std::nullopt;
  const auto time = ParseTime(text.substr(0, slash), now);
  const std::string_view unit = text.substr(slash + 1);
  if (!time || unit.size() != 1 || std::string_view("smhd").find(unit) == std::string_view::npos) {
    return std::nullopt;
  }
  const TimeMs step = *ParseDuration("1" + std::string(unit));
  return *time - ((*time % step) + step) % step + (end ? step - 1 : 0);
}

std::optional<TimeMs> Milliseconds(std::string_view text) {
  const auto number = WholeNumber<TimeMs>(text);
  if (!number || *number < kFirstMilliseconds) return std::nullopt;
  return TimeOfSeconds(MsToSeconds(*number));
}

/// Takes `UTC+08:00` off the end, as reports in another zone print it: milliseconds east of UTC.
std::optional<TimeMs> TakeZone(std::string_view* text) {
  constexpr std::string_view kShape = "UTC+00:00";
  if (text->size() <= kShape.size()) return std::nullopt;
  const std::string_view end = text->substr(text->size() - kShape.size());
  if (!end.starts_with("UTC+") && !end.starts_with("UTC-")) return std::nullopt;
  const std::string epoch = "1970-01-01T00:00:00" + std::string(end.substr(3));
  const auto time = ParseTime(epoch, 0);
  if (!time) return std::nullopt;
  TakeEnd(text, end);
  return -*time;
}

/// What the clocks of the zone show as this moment of UTC.
TimeMs InZone(TimeMs local, const Zone& zone) {
  const auto ahead = [&](TimeMs t) { return TimeMs{OffsetMinutes(zone, t)} * 60'000; };
  return zone.name.empty() ? local : local - ahead(local - ahead(local));
}

/// `14:00`: the last time that it was.
std::optional<TimeMs> TimeOfDay(std::string_view text, TimeMs now, const Zone& zone) {
  if (text.find(':') != 2 || text.find('-') != text.npos) return std::nullopt;
  const std::string today = FormatTime(now, zone).substr(0, 10);
  const auto time = TimeAsTyped(fmt::format("{} {}", today, text), now, false, zone);
  return time && *time > now ? *time - kDay : time;
}

TimeMs ReadTime(const std::string& option, const std::string& text, TimeMs now, const Zone& zone) {
  const auto time = TimeAsTyped(text, now, option == "--end", zone);
  if (!time) {
    Raise(ErrorKind::kUsage,
          "{} {}: expected a date and time (2026-11-21T10:00:00Z; UTC without a zone), 14:00, Unix "
          "seconds or milliseconds, now, now-1h or -1h",
          option, text);
  }
  return *time;
}

/// Reads it for this machine's clock, and keeps it to be read again (see TimesOn).
void SetByNow(TimeOptions* options, const std::function<void(TimeMs now, TimeOptions*)>& read) {
  read(Now(), options);
  options->by_now.push_back(read);
}

/// A range as --window is a start and an end by itself. Settings may give both; of options
/// --window excludes the others.
void RefuseBoth(bool both) {
  if (!both) return;
  throw Error(ErrorKind::kUsage,
              "give either --start and --end, or --window with a range, not both");
}

/// The first of the names is the one that is told.
Option TimeOption(const std::string& names, const std::string& help, TimeOptions* options,
                  std::optional<TimeMs> TimeOptions::*to) {
  const std::string name = names.substr(0, names.find(','));
  return {names, "T", help, [=](const std::string& text) {
            RefuseBoth(options->is_range && to != &TimeOptions::at);
            SetByNow(options, [=](TimeMs now, TimeOptions* set) {
              set->*to = ReadTime(name, text, now, set->zone);
            });
          }};
}

void ReadWindow(const std::string& text, TimeOptions* options) {
  options->is_range = RangeAsTyped(text, Now()).has_value();
  if (options->is_range) {
    RefuseBoth(options->start || options->end);
    return SetByNow(options, [=](TimeMs now, TimeOptions* set) {
      const TimeRange range = *RangeAsTyped(text, now, set->zone);
      set->start = range.start;
      set->end = range.end;
    });
  }
  options->lifetime = text == "lifetime";
  if (options->lifetime) return;
  options->window_ms =
      ReadDuration("--window", text, "5m or 1h30m, a range as reports print it, or lifetime");
}

TimeRange ReadBaselineRange(const std::string& text, TimeMs now, const Zone& zone) {
  const auto range = RangeAsTyped(text, now, zone);
  const auto fail = [&](const char* why) {
    Raise(ErrorKind::kUsage, "--baseline {}: {}", text, why);
  };
  if (!range) fail("expected START/END, auto or off");
  if (range->start >= range->end) fail("the start is not before the end");
  return *range;
}

void ReadBaseline(const std::string& text, TimeOptions* options) {
  options->baseline = text == "auto"  ? BaselineChoice::kAuto
                      : text == "off" ? BaselineChoice::kOff
                                      : BaselineChoice::kGiven;
  if (options->baseline != BaselineChoice::kGiven) return;
  SetByNow(options, [=](TimeMs now, TimeOptions* set) {
    set->baseline_range = ReadBaselineRange(text, now, set->zone);
  });
}

}  // namespace

std::optional<TimeMs> TimeAsTyped(std::string_view text, TimeMs now, bool end, const Zone& zone) {
  text = Trimmed(text, " ");
  if (const auto own = TakeZone(&text)) {
    const bool dated = text.find('-') != text.npos && IsDigit(text.front());
    const auto time = dated ? TimeAsTyped(text, now) : std::nullopt;
    return time ? std::optional(*time - *own) : std::nullopt;
  }
  if (const auto milliseconds = Milliseconds(text)) return milliseconds;
  if (const auto time = ParseTime(text, now)) return time;
  if (const auto time = Rounded(text, now, end)) return time;
  if (text.starts_with('-')) return ParseTime("now" + std::string(text), now);
  if (const auto time = TimeOfDay(text, now, zone)) return time;
  const bool utc = TakeEnd(&text, "UTC") || TakeEnd(&text, "Z");
  if (text.empty() || !IsDigit(text.front()) || text.find('-') == text.npos) return std::nullopt;
  for (const char* rest : {"Z", ":00Z", "T00:00:00Z"}) {
    const auto time = ParseTime(std::string(text) + rest, now);
    if (time) return utc ? *time : InZone(*time, zone);
  }
  return std::nullopt;
}

std::optional<TimeRange> RangeAsTyped(std::string_view text, TimeMs now, const Zone& typed) {
  text = Trimmed(text, " ");
  if (text.ends_with(')')) text = Trimmed(text.substr(0, text.rfind('(')), " ");
  constexpr std::string_view kMarks[] = {" to ", " 至 ", "/"};
  const auto* mark = std::ranges::find_if(
      kMarks, [&](std::string_view one) { return text.find(one) != text.npos; });
  if (mark == std::end(kMarks)) return std::nullopt;
  const std::size_t middle = text.find(*mark);
  if (const auto zone = TakeZone(&text)) {
    std::string_view first = text.substr(0, middle);
    const TimeMs own = TakeZone(&first).value_or(*zone);
    const auto range = RangeAsTyped(std::string(first) + std::string(text.substr(middle)), now);
    if (!range) return std::nullopt;
    TimeRange utc{range->start - own, range->end - *zone};
    // The hour that comes twice was no midnight.
    const bool dated = text.substr(middle + mark->size()).find('-') != text.npos;
    if (!dated && utc.end - kDay >= utc.start) utc.end -= kDay;
    return utc;
  }
  const auto start = TimeAsTyped(text.substr(0, middle), now, false, typed);
  if (!start) return std::nullopt;
  const std::string_view last = Trimmed(text.substr(middle + mark->size()), " ");
  if (last.empty()) return std::nullopt;
  if (const auto end = TimeAsTyped(last, now, true, typed); end && last.find(':') != 2) {
    return TimeRange{*start, *end};
  }
  const std::string day = FormatTime(*start, typed).substr(0, 10) + " ";
  auto end = TimeAsTyped(day + std::string(last), now, false, typed);
  if (end && *end < *start) *end += kDay;
  return end ? std::optional(TimeRange{*start, *end}) : std::nullopt;
}

TimeMs Now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

Options TimeOptionTable(TimeOptions* options, Zone* shown) {
  return InGroup(
      "Time",
      {ZoneOption({&options->zone, shown}),
       TimeOption(
           "--at",
           "the moment to look at, and the end of --window: a date and time (UTC without a zone), "
           "14:00, Unix seconds or milliseconds, now, now-1h, -1h; now is the last sample of a "
           "recording",
           options, &TimeOptions::at),
       TimeOption("--start,--from", "start of the window", options, &TimeOptions::start),
       TimeOption("--end,--to", "end of the window (default: now, or the last sample)", options,
                  &TimeOptions::end),
       {"--since", "DURATION", "the same as --start that long before the end",
        [options](const std::string& text) {
          options->since_ms = ReadDuration("--since", text, "1h");
        }},
       {"--window",
        "DURATION",
        "length of the window that ends at --at, a range as reports print it, or `lifetime`: "
        "counters since the process started",
        [options](const std::string& text) { ReadWindow(text, options); },
        {.excludes = {"--start", "--end"}}}});
}

Option ZoneOption(const std::vector<Zone*>& zones) {
  return {"--timezone", "ZONE",
          "zone of the times in reports, and of typed ones that name none: Europe/Berlin, or "
          "+02:00 (default: UTC; JSON is in UTC)",
          [zones](const std::string& text) {
            for (Zone* zone : zones) {
              if (zone != nullptr) *zone = ReadZone(text);
            }
          }};
}

Options JudgedTimeOptions(TimeOptions* options) {
  return InGroup("Time", {{"--baseline", "RANGE",
                           "what to compare with: START/END, auto (found in the data) or off",
                           [options](const std::string& text) { ReadBaseline(text, options); }},
                          {"--exact", kFlag,
                           "judge all of --start/--end as one window; else it is searched for "
                           "episodes",
                           &options->exact}});
}

TimeOptions TimesOn(const TimeOptions& options, const std::optional<TimeRange>& extent) {
  TimeOptions read = options;
  for (const auto& read_again : options.by_now) read_again(extent ? extent->end : Now(), &read);
  return read;
}

std::optional<TimeRange> WindowOf(const TimeOptions& options, TimeMs fallback_end) {
  if (options.since_ms) {
    if (options.start || options.window_ms || options.lifetime) {
      throw Error(ErrorKind::kUsage, "give one of --since, --start and --window");
    }
    const TimeMs end = options.end ? *options.end : options.at.value_or(fallback_end);
    return TimeRange{end - *options.since_ms, end};
  }
  if (options.end && !options.start) {
    Raise(ErrorKind::kUsage, "--end must be given together with --start; or use --window and --at");
  }
  if (options.start) {
    if (options.at || options.window_ms || options.lifetime) {
      Raise(ErrorKind::kUsage, "give either --start and --end, or --at and --window, not both");
    }
    const TimeMs end = options.end.value_or(fallback_end);
    if (*options.start >= end) {
      Raise(ErrorKind::kUsage, "--start {} is not before {}{}", FormatTime(*options.start),
            options.end ? "--end " : "the end, ", FormatTime(end));
    }
    return TimeRange{*options.start, end};
  }
  if (options.lifetime || !options.window_ms) return std::nullopt;
  const TimeMs end = options.at.value_or(fallback_end);
  return TimeRange{end - *options.window_ms, end};
}

ChosenWindow ChooseWindow(const TimeOptions& asked, Source& source, std::int64_t default_ms) {
  const auto extent = source.Describe().extent;
  const TimeOptions options = TimesOn(asked, extent);
  const TimeMs last = extent ? extent->end : Now();
  if (const auto given = WindowOf(options, last)) return {*given, false};
  const TimeMs end = options.at.value_or(last);
  const bool single = extent && extent->start == extent->end;
  return {{end - default_ms, end}, options.lifetime || single};
}

}  // namespace schedlens
