#pragma once

// What commands are made of: one whole diagnosis as the options ask for it, whether an alert holds
// now, what a recording asks of the control plane.

#include "cli/options/investigate.h"

namespace schedlens {

/// What to do beyond the analysis, or to leave out: `--no-cross-check`, `--scheduler-config`, ...
Options BeyondOptionTable(InvestigateOptions* options);

/// Opens the source, investigates, replays and completes. Progress shows on `context.err`. Throws
/// what these throw.
Diagnosis DiagnoseAsAsked(const InvestigateOptions& options, const QuerySet& queries,
                          const Context& context);

/// Sets `made` (by the clock, or the seconds in the variable SOURCE_DATE_EPOCH, so that the same
/// data make the same bytes), `command` and `cluster`, and fills source, selector and window into
/// every next step that is a command of schedlens, so that it can be run as printed. Secrets are
/// not in it. `options.source.selector` is of the schedulers that the diagnosis is about.
void AddMaking(const InvestigateOptions& options, const Context& context, Diagnosis* diagnosis);

struct AlertNow {
  TimeMs at = 0;
  bool holds = false;           ///< its expression has a result
  std::optional<double> value;  ///< what it compares, worst series; of a quantile in its own unit
  /// Why it does not hold and is not known to be quiet either; else empty.
  Message unknown;
  TimeMs since = 0;  ///< of an unknown one: its newest sample, or `at` where there is none
};

/// The newest value of the series that has the highest, or the lowest; nothing without a number.
std::optional<double> Worst(const Answer& answer, bool low = false);

/// Asks for the expression at `at`. Where it does not hold, it is quiet only if what it compares
/// has a value (or nothing is compared), its samples are as new as scrapes make them, and none of
/// the processes they come from is gone. `selector` (matchers, may be empty) is whose schedulers
/// these are. Throws what the source throws.
AlertNow AskAlertNow(Source& source, const promql::AlertExpression& alert,
                     const std::string& selector, TimeMs at);

/// "2026-11-21 10:00:00 UTC: p99 is 4.2 s, the alert's threshold 3 s; again every 30s".
Message WatchHead(const promql::AlertExpression& alert, const AlertNow& now, std::int64_t every_ms);
/// "cleared at 2026-11-21 10:00:00 UTC, p99 back under 3 s (0.8 s)"; `held` says that it was seen
/// to hold before.
Message ClearedLine(const promql::AlertExpression& alert, const AlertNow& now, bool held);

/// Matchers, without braces, of what a diagnosis asks of API servers, etcd and kube-state-metrics,
/// also to take its own next steps: chosen by label at the source, since all of their metrics would
/// be a hundred times as much. None chooses only what another one does. `selector` is the
/// schedulers', whose own series are recorded anyway. Throws what the source throws.
std::vector<std::string> ControlPlaneSelectors(Source& source, const std::string& selector,
                                               const TimeRange& range);

/// Calls work(0), ..., work(count - 1), each once, on as many threads as the process may use
/// processors, but at most 8, each of which may hold a part of what is known in memory; returns
/// when all have ended. Where some throw, nothing more is begun, and what the first of them by
/// number threw is thrown. Nothing is called for a count of 0.
void SideBySide(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace schedlens
