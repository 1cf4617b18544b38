#pragma once

// Whether an alert holds now, is quiet or cannot be told, and how that is said in a line.

#include <cstdint>
#include <optional>
#include <string>

#include "base/message.h"
#include "base/source.h"
#include "promql/alert_expression.h"

namespace schedlens {

struct AlertNow {
  TimeMs at = 0;
  bool holds = false;           ///< its expression has a result
  std::optional<double> value;  ///< what it compares, worst series; of a quantile in its own unit
  /// Why it does not hold and is not known to be quiet either; else empty.
  Message unknown;
  TimeMs since = 0;  ///< of an unknown one: its newest sample, or `at` where there is none
};

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

}  // namespace schedlens
