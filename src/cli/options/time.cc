#include "cli/options/time.h"

#include <chrono>
#include <string>

#include "cli/options/typed_time.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr const char* kGroup = "Time";

TimeMs ReadTime(const std::string& option, const std::string& text) {
  const auto time = TimeAsTyped(text, Now());
  if (!time) {
    throw Error(ErrorKind::kUsage,
                option + " " + text +
                    ": expected a date and time (2026-11-21T10:00:00Z; UTC without a zone), Unix "
                    "seconds or milliseconds, now, now-1h or -1h");
  }
  return *time;
}

void NoteTyped(TimeOptions* options, const std::string& name, const std::string& text) {
  options->typed += (options->typed.empty() ? "" : " ") + name + " " + text;
}

Option TimeOption(const std::string& name, const std::string& help, TimeOptions* options,
                  std::optional<TimeMs> TimeOptions::*to) {
  return {.names = name,
          .value = "T",
          .help = help,
          .target =
              [=](const std::string& text) {
                options->*to = ReadTime(name, text);
                NoteTyped(options, name, text);
              },
          .group = kGroup};
}

void ReadWindow(const std::string& text, TimeOptions* options) {
  if (const auto range = RangeAsTyped(text, Now())) {
    options->start = range->start;
    options->end = range->end;
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

TimeRange ReadRange(const std::string& option, const std::string& text) {
  const auto read = RangeAsTyped(text, Now());
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
  if (text == "auto") {
    options->baseline = BaselineChoice::kAuto;
  } else if (text == "off") {
    options->baseline = BaselineChoice::kOff;
  } else {
    options->baseline = BaselineChoice::kGiven;
    options->baseline_range = ReadRange("--baseline", text);
  }
}

}  // namespace

TimeMs Now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

Options TimeOptionTable(TimeOptions* options) {
  return {TimeOption("--at",
                     "the moment to look at, and the end of --window: a date and time (UTC without "
                     "a zone), Unix seconds or milliseconds, now, now-1h, -1h",
                     options, &TimeOptions::at),
          TimeOption("--start", "start of the window", options, &TimeOptions::start),
          TimeOption("--end", "end of the window (default: now, or the last sample)", options,
                     &TimeOptions::end),
          {.names = "--since",
           .value = "DURATION",
           .help = "the same as --start that long before the end",
           .target = [options](const std::string& text) { ReadSince(text, options); },
           .group = kGroup},
          {.names = "--window",
           .value = "DURATION",
           .help = "length of the window that ends at --at, a range as reports print it, or "
                   "`lifetime`: counters since the process started",
           .target = [options](const std::string& text) { ReadWindow(text, options); },
           .group = kGroup}};
}

Option BaselineOption(TimeOptions* options) {
  return {.names = "--baseline",
          .value = "RANGE",
          .help = "what to compare with: START/END, auto (found in the data) or off",
          .target = [options](const std::string& text) { ReadBaseline(text, options); },
          .group = kGroup};
}

Option ExactOption(TimeOptions* options) {
  return {.names = "--exact",
          .help =
              "judge all of --start/--end as one window; else a range longer than twice the "
              "alert's is searched for the incident",
          .target = &options->exact,
          .group = kGroup};
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
