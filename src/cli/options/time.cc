#include <chrono>

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

/// How far the clocks of the zone are ahead of UTC.
TimeMs Ahead(const Zone& zone, TimeMs time) { return TimeMs{OffsetMinutes(zone, time)} * 60'000; }

/// Takes the zone off the end that reports print there: `UTC` or `UTC+08:00`.
std::optional<Zone> TakeZone(std::string_view* text) {
  if (TakeEnd(text, "UTC")) return Zone{};
  constexpr std::string_view kShape = "UTC+00:00";
  if (text->size() < kShape.size()) return std::nullopt;
  const std::string end(text->substr(text->size() - kShape.size()));
  if (!end.starts_with("UTC+") && !end.starts_with("UTC-")) return std::nullopt;
  const auto behind = ParseTime("1970-01-01T00:00:00" + end.substr(3), 0);
  if (!behind) return std::nullopt;
  TakeEnd(text, end);
  return Zone{end, static_cast<int>(-*behind / 60'000)};
}

/// What the clocks of the zone show as this moment of UTC.
TimeMs InZone(TimeMs local, const Zone& zone) {
  return local - Ahead(zone, local - Ahead(zone, local));
}

bool IsTimeOfDay(std::string_view text) {
  return text.find(':') == 2 && text.find('-') == text.npos;
}

/// `14:00` on the day that clocks show which are `local`.
std::optional<TimeMs> OnDay(TimeMs local, std::string_view text, const Zone& zone) {
  return TimeAsTyped(fmt::format("{} {}", FormatTime(local).substr(0, 10), text), 0, false, zone);
}

/// `14:00`: the last time that it was.
std::optional<TimeMs> TimeOfDay(std::string_view text, TimeMs now, const Zone& zone) {
  const TimeMs local = now + Ahead(zone, now);
  const auto today = OnDay(local, text, zone);
  return today && *today > now ? OnDay(local - kDay, text, zone) : today;
}

TimeMs ReadTime(const std::string& option, const std::string& text, TimeMs now, const Zone& zone) {
  const auto time = TimeAsTyped(text, now, option == "--end", zone);
  if (!time) {
    Raise(ErrorKind::kUsage,
          "{} {}: expected a date and time (2026-11-21T10:00:00Z; without a zone: UTC, or "
          "--timezone), 14:00, Unix seconds or milliseconds, now, now-1h or -1h",
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
Option TimeOption(std::string_view row, TimeOptions* options,
                  std::optional<TimeMs> TimeOptions::*to) {
  const std::string name(row.substr(row.find(':') + 1, row.find(',')));
  return {row, [=](const std::string& text) {
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

/// What a server will hold only later is asked in vain. Clocks may differ by a little.
void RefuseFuture(const TimeOptions& options, TimeMs now) {
  const TimeMs length = options.since_ms.value_or(options.window_ms.value_or(kDefaultWindowMs));
  const auto end = options.end ? options.end : options.at;
  const TimeMs first = options.start.value_or(end.value_or(now) - length);
  if (first <= now) return;
  const char* name = options.start ? "--start" : options.end ? "--end" : "--at";
  Raise(ErrorKind::kUsage, "{} {} lies in the future: it is {} now", name,
        FormatTime(options.start.value_or(end.value_or(now)), options.zone),
        FormatTime(now, options.zone));
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
  if (const auto milliseconds = Milliseconds(text)) return milliseconds;
  if (const auto time = ParseTime(text, now)) return time;
  if (const auto time = Rounded(text, now, end)) return time;
  if (text.starts_with('-')) return ParseTime("now" + std::string(text), now);
  auto own = TakeZone(&text);
  if (!own && TakeEnd(&text, "Z")) own = Zone{};
  const Zone& in = own ? *own : zone;
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  if (IsTimeOfDay(text)) return TimeOfDay(text, now, in);
  if (text.find('-') == text.npos) return std::nullopt;
  for (const char* rest : {"Z", ":00Z", "T00:00:00Z"}) {
    const auto time = ParseTime(std::string(text) + rest, now);
    if (time) return InZone(*time, in);
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
  std::string_view first = Trimmed(text.substr(0, middle), " ");
  std::string_view last = Trimmed(text.substr(middle + mark->size()), " ");
  // One zone at the end is of both.
  const Zone zone = TakeZone(&last).value_or(typed);
  const Zone of_start = TakeZone(&first).value_or(zone);
  const auto start = TimeAsTyped(first, now, false, of_start);
  if (!start || last.empty()) return std::nullopt;
  auto end = IsTimeOfDay(last) ? std::nullopt : TimeAsTyped(last, now, true, zone);
  if (IsTimeOfDay(last)) {
    const TimeMs day = *start + Ahead(of_start, *start);
    end = OnDay(day, last, zone);
    if (end && *end < *start) end = OnDay(day + kDay, last, zone);
  }
  return end ? std::optional(TimeRange{*start, *end}) : std::nullopt;
}

TimeMs Now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

Options TimeOptionTable(TimeOptions* options, Zone* shown) {
  return InGroup("Time", {ZoneOption(shown, &options->zone),
                          TimeOption("time:--at", options, &TimeOptions::at),
                          TimeOption("--start,--from", options, &TimeOptions::start),
                          TimeOption("--end,--to", options, &TimeOptions::end),
                          {"--since",
                           [options](const std::string& text) {
                             options->since_ms = ReadDuration("--since", text, "1h");
                           }},
                          {"--window",
                           [options](const std::string& text) { ReadWindow(text, options); },
                           {.excludes = {"--start", "--end"}}}});
}

Option ZoneOption(Zone* shown, Zone* typed) {
  return {typed ? "typed:--timezone" : "shown:--timezone", [=](const std::string& text) {
            for (Zone* zone : {shown, typed}) {
              if (zone != nullptr) *zone = ReadZone(text);
            }
          }};
}

Options JudgedTimeOptions(TimeOptions* options) {
  return InGroup(
      "Time", {{"--baseline", [options](const std::string& text) { ReadBaseline(text, options); }},
               {"--exact", &options->exact}});
}

TimeOptions TimesOn(const TimeOptions& options, const std::optional<TimeRange>& extent) {
  TimeOptions read = options;
  for (const auto& read_again : options.by_now) read_again(extent ? extent->end : Now(), &read);
  if (!extent) RefuseFuture(read, Now());
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
