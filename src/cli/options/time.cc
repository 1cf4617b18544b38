#include "cli/options/time.h"

#include <chrono>
#include <string>

#include "cli/options/typed_time.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr const char* kTimeGroup = "Time";

TimeMs ReadTime(const std::string& option, const std::string& text, TimeMs now) {
  const auto time = TimeAsTyped(text, now);
  if (!time) {
    throw Error(ErrorKind::kUsage,
                option + " " + text +
                    ": expected a date and time (2026-11-21T10:00:00Z; UTC without a zone), Unix "
                    "seconds or milliseconds, now, now-1h or -1h");
  }
  return *time;
}

/// True where another now makes it another time.
template <class Read>
bool IsFromNow(const Read& read) {
  constexpr TimeMs kAnyNow = 1'800'000'000'000, kAnotherNow = 1'900'000'000'000;
  return read(kAnyNow) != read(kAnotherNow);
}

/// Sets what `read` gives for now, and keeps it to be set again if that depends on it.
template <class Read, class Set>
void SetByNow(TimeOptions* options, const std::string& name, const Read& read, const Set& set) {
  set(read(Now()), options);
  options->from_now.erase(name);
  if (!IsFromNow(read)) return;
  options->from_now[name] = [=](TimeMs now, TimeOptions* to) { set(read(now), to); };
}

void NoteTyped(TimeOptions* options, const std::string& name, const std::string& text) {
  options->typed += (options->typed.empty() ? "" : " ") + name + " " + text;
}

/// The first of the names is the one that is told.
Option TimeOption(const std::string& names, const std::string& help, TimeOptions* options,
                  std::optional<TimeMs> TimeOptions::*to) {
  const std::string name = names.substr(0, names.find(','));
  return {.names = names,
          .value = "T",
          .help = help,
          .target =
              [=](const std::string& text) {
                SetByNow(
                    options, name, [=](TimeMs now) { return ReadTime(name, text, now); },
                    [=](TimeMs time, TimeOptions* set) { set->*to = time; });
                NoteTyped(options, name, text);
              },
          .group = kTimeGroup};
}

void ReadWindow(const std::string& text, TimeOptions* options) {
  if (const auto range = RangeAsTyped(text, Now())) {
    SetByNow(
        options, "--window", [=](TimeMs now) { return *RangeAsTyped(text, now); },
        [](const TimeRange& read, TimeOptions* set) {
          set->start = read.start;
          set->end = read.end;
        });
    NoteTyped(options, "--start", FormatTime(range->start));
    NoteTyped(options, "--end", FormatTime(range->end));
    return;
  }
  NoteTyped(options, "--window", text);
  options->lifetime = text == "lifetime";
  if (options->lifetime) return;
  options->window_ms = ParseDuration(text);
  if (!options->window_ms || *options->window_ms <= 0) {
    throw Error(ErrorKind::kUsage,
                "--window " + text +
                    ": expected a duration such as 5m or 1h30m, a range as reports print it, or "
                    "lifetime");
  }
}

void ReadSince(const std::string& text, TimeOptions* options) {
  NoteTyped(options, "--since", text);
  options->since_ms = ParseDuration(text);
  if (!options->since_ms || *options->since_ms <= 0) {
    throw Error(ErrorKind::kUsage, "--since " + text + ": expected a duration such as 1h");
  }
}

TimeRange ReadRange(const std::string& option, const std::string& text, TimeMs now) {
  const auto read = RangeAsTyped(text, now);
  if (!read) {
    throw Error(ErrorKind::kUsage, option + " " + text + ": expected START/END, auto or off");
  }
  const TimeRange& range = *read;
  if (range.start >= range.end) {
    throw Error(ErrorKind::kUsage, option + " " + text + ": the start is not before the end");
  }
  return range;
}

void ReadBaseline(const std::string& text, TimeOptions* options) {
  options->baseline_range.reset();
  options->from_now.erase("--baseline");
  if (text == "auto") {
    options->baseline = BaselineChoice::kAuto;
  } else if (text == "off") {
    options->baseline = BaselineChoice::kOff;
  } else {
    options->baseline = BaselineChoice::kGiven;
    SetByNow(
        options, "--baseline", [=](TimeMs now) { return ReadRange("--baseline", text, now); },
        [](const TimeRange& range, TimeOptions* set) { set->baseline_range = range; });
  }
}

}  // namespace

TimeMs Now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

Options TimeOptionTable(TimeOptions* options) {
  return {
      TimeOption("--at",
                 "the moment to look at, and the end of --window: a date and time (UTC without "
                 "a zone), Unix seconds or milliseconds, now, now-1h, -1h; now is the last sample "
                 "of a recording",
                 options, &TimeOptions::at),
      TimeOption("--start,--from", "start of the window", options, &TimeOptions::start),
      TimeOption("--end,--to", "end of the window (default: now, or the last sample)", options,
                 &TimeOptions::end),
      {.names = "--since",
       .value = "DURATION",
       .help = "the same as --start that long before the end",
       .target = [options](const std::string& text) { ReadSince(text, options); },
       .group = kTimeGroup},
      {.names = "--window",
       .value = "DURATION",
       .help = "length of the window that ends at --at, a range as reports print it, or "
               "`lifetime`: counters since the process started",
       .target = [options](const std::string& text) { ReadWindow(text, options); },
       .group = kTimeGroup}};
}

Option BaselineOption(TimeOptions* options) {
  return {.names = "--baseline",
          .value = "RANGE",
          .help = "what to compare with: START/END, auto (found in the data) or off",
          .target = [options](const std::string& text) { ReadBaseline(text, options); },
          .group = kTimeGroup};
}

Option ExactOption(TimeOptions* options) {
  return {.names = "--exact",
          .help =
              "judge all of --start/--end as one window; else a range longer than twice the "
              "alert's is searched for the incident",
          .target = &options->exact,
          .group = kTimeGroup};
}

TimeOptions TimesOn(const TimeOptions& options, const std::optional<TimeRange>& extent) {
  TimeOptions read = options;
  if (!extent) return read;
  for (const auto& [name, read_again] : options.from_now) read_again(extent->end, &read);
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
    throw Error(ErrorKind::kUsage,
                "--end must be given together with --start; or use --window and --at");
  }
  if (options.start) {
    if (options.at || options.window_ms || options.lifetime) {
      throw Error(ErrorKind::kUsage,
                  "give either --start and --end, or --at and --window, not both");
    }
    const TimeMs end = options.end.value_or(fallback_end);
    if (*options.start >= end) {
      throw Error(ErrorKind::kUsage, "--start " + FormatTime(*options.start) + " is not before " +
                                         (options.end ? "--end " : "the end, ") + FormatTime(end));
    }
    return TimeRange{*options.start, end};
  }
  if (options.lifetime || !options.window_ms) return std::nullopt;
  const TimeMs end = options.at.value_or(fallback_end);
  return TimeRange{end - *options.window_ms, end};
}

}  // namespace schedlens
