#pragma once

#include "cli/command.h"
#include "diagnose/alert/alert.h"
#include "source/open_source.h"

namespace schedlens {

// The options that say where samples come from, and which alert is meant: the same in every command
// that reads some.

/// `--prometheus`, `--capture`, `--scrape-before/--scrape-after`, `--scenario` and what belongs to
/// them. That there is exactly one source is checked by
/// OpenSource, not here.
Options SourceOptionTable(SourceOptions* options);

/// Whether the options name a capture, scraped pages or a scenario: what does not change.
bool IsRecorded(const SourceOptions& options);
/// Whether they name any source.
inline bool HasSource(const SourceOptions& options) {
  return !options.prometheus.empty() || IsRecorded(options);
}

/// OpenSource, `--scenario` included: the reference scheduler plays it, always with the same seed.
std::unique_ptr<Source> OpenAnySource(const SourceOptions& options);

struct AlertOptions {
  std::string alert;    ///< name, expression or link
  std::string webhook;  ///< file, `-` for standard input
  /// What that file holds, where it was read before: standard input can be read only once.
  std::string webhook_text = {};
  bool none = false;     ///< not even one that fires
  bool is_name = false;  ///< `alert` is a name, whatever it looks like
};

/// `--alert`, `--webhook` and `--no-alert`.
Options AlertOptionTable(AlertOptions* options);

/// What the options name, the webhook's file read. Throws what reading it throws.
AlertRequest AlertRequestOf(const AlertOptions& options);

/// The source's options with the server that the alert's link leads to, where no source is given: a
/// link of Prometheus, Thanos or VictoriaMetrics to itself, one of Grafana's Explore to its proxy
/// of the data source. Throws Error(kUsage) rather than send credentials to a server that only a
/// webhook's text names.
SourceOptions WithLinkedServer(SourceOptions source, const AlertRequest& request);

/// The alert that is meant; nothing when none is. Rules are fetched from the server of the source's
/// options, where it has one; of a capture they are those that it kept. Throws what ResolveAlert
/// throws.
std::optional<ResolvedAlert> AlertOf(const AlertRequest& request, const SourceOptions& source,
                                     const std::optional<std::string>& kept_rules = {});

/// The worst alert about schedulers that fired within the range, by the rules of the options'
/// server or capture; nothing where none did, or where they are not known. Throws what FiringAlerts
/// and TakeWorst throw.
std::optional<ResolvedAlert> AlertThatFired(Source& source, const SourceOptions& options,
                                            const TimeRange& range);

/// The time at which to look for the incident on a source that has no last sample of its own: half
/// an hour after the alert ended or began to fire, but no later than `now`.
TimeMs TimeToLook(const std::optional<ResolvedAlert>& alert, TimeMs now);

/// What the server's rules say about the alert; nothing of a source that has no rules, or that does
/// not tell them. Throws Error(kAuth), Error(kTimeout) and Error(kInterrupted) of the server.
RulesOfAlert FetchRulesOf(const SourceOptions& source, const std::string& alert);

/// Header lines for the alert: its name with its expression, and its rules where they are known.
std::vector<std::string> AlertComments(const std::string& alert, const RulesOfAlert& rules);

/// Whether two URLs have the same scheme, host and port; not where one is no URL or a socket.
bool SameServer(const std::string& one, const std::string& other);

/// A server that is the address of an Explore page is replaced by Grafana's proxy of the data
/// source. Throws Error(kUsage) for the address of a dashboard, which names no data source.
void FollowExplore(SourceOptions* source);

/// FollowExplore, and: an alert that is the address of a rule's page is asked from Grafana, with
/// the credentials of `source` that were typed for it, and replaced by the rule's expression or
/// name; where no source is given, Grafana's proxy of the rule's data source becomes it. Throws
/// Error(kUsage) for the address of a dashboard, rather than send the credentials for another
/// server to Grafana, and what fetching throws.
void FollowGrafana(AlertRequest* request, SourceOptions* source);

// The options that choose a time window: the same in every command that has one.

/// What `--baseline` asks for.
enum class BaselineChoice { kAuto, kOff, kGiven };

/// Everything absent: the command finds or chooses the window itself.
struct TimeOptions {
  std::optional<TimeMs> at;
  std::optional<TimeMs> start;
  std::optional<TimeMs> end;
  std::optional<std::int64_t> window_ms;  ///< length of the window that ends at `at`
  std::optional<std::int64_t> since_ms;   ///< `--since`: the window ends with what there is
  bool is_range = false;                  ///< `--window` gave `start` and `end`
  bool lifetime = false;                  ///< `--window lifetime`: counters since the start
  BaselineChoice baseline = BaselineChoice::kAuto;
  bool exact = false;                       ///< `--exact`: the window is judged as it stands
  std::optional<TimeRange> baseline_range;  ///< set when `baseline` is kGiven
  Zone zone;                                ///< of typed times that name none
  /// Reads what was typed again, for another now than this machine's, and in the zone.
  std::vector<std::function<void(TimeMs now, TimeOptions*)>> by_now;
};

/// `--timezone` for what is shown and what is typed; each may be null.
Option ZoneOption(Zone* shown, Zone* typed = nullptr);
/// `--timezone`, `--at`, `--start`, `--end`, `--since`, `--window`. Times are read by TimeAsTyped;
/// a malformed one throws Error(kUsage) while parsing.
Options TimeOptionTable(TimeOptions* options, Zone* shown = nullptr);
/// `--baseline START/END|auto|off` and `--exact`.
Options JudgedTimeOptions(TimeOptions* options);

/// The options as a source has them, times in their zone: for a recording or a scenario, which have
/// an extent, now is their last sample. Of a server, which has none, a range that begins in the
/// future throws Error(kUsage).
TimeOptions TimesOn(const TimeOptions& options, const std::optional<TimeRange>& extent);

/// The window that the options name, if they name one: `--start` and `--end`,
/// `--since` before `--end` or `--at`, or `--window` before `--at`; the end is `fallback_end` when
/// not given. Nothing for `lifetime` or when neither is given. Throws Error(kUsage) when start is
/// not before end, or it is missing.
std::optional<TimeRange> WindowOf(const TimeOptions& options, TimeMs fallback_end);

/// The clock of this machine.
TimeMs Now();

/// All that ParseTime reads, and: `-1h` (before now), Unix milliseconds (from 10^11 on; as seconds
/// that is the year 5138), `now-6h/h` as Grafana rounds (s, m, h, d): down, as the `end` of a range
/// up to the unit's last millisecond; a date with or without a time of day, a blank for the T,
/// `UTC` or `UTC+08:00` for the Z; a time of day alone, the last before now. Without a zone of its
/// own it is in `zone`. Nothing if malformed.
std::optional<TimeMs> TimeAsTyped(std::string_view text, TimeMs now, bool end = false,
                                  const Zone& zone = {});

/// `START/END`, or a range as the reports print it: `2026-11-22 02:20:19 to 02:24:49 UTC (4m30s)`.
/// An end without a date is on the start's day, or past midnight of it. Nothing if malformed;
/// the start may lie behind the end. Without zones of their own both are in `typed`.
std::optional<TimeRange> RangeAsTyped(std::string_view text, TimeMs now, const Zone& typed = {});

struct ChosenWindow {
  TimeRange range;
  bool lifetime = false;  ///< counters since the process started, at range.end
};

/// The length of a window that is not given.
inline constexpr std::int64_t kDefaultWindowMs = 5 * 60 * 1000;

/// `--start/--end`, or `--window` before `--at`; the window's length is `default_ms` when not
/// given, its end the last sample the source knows, else now. A source that holds a single scrape
/// has no increases: its counters since the process started are taken.
ChosenWindow ChooseWindow(const TimeOptions& options, Source& source, std::int64_t default_ms);

}  // namespace schedlens
