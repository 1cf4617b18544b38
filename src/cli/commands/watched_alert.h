#ifndef SCHEDLENS_CLI_COMMANDS_WATCHED_ALERT_H_
#define SCHEDLENS_CLI_COMMANDS_WATCHED_ALERT_H_

// Whether an alert holds now, and how that is said in a line.

#include <cstdint>
#include <optional>

#include "contract/diagnosis.h"
#include "contract/message.h"
#include "contract/source.h"
#include "promql/alert_expression.h"

namespace schedlens {

struct AlertNow {
  TimeMs at = 0;
  bool holds = false;           ///< its expression has a result
  std::optional<double> value;  ///< what it compares, worst series; of a quantile in its own unit
};

/// Asks for the expression and for what it compares, both at `at`. Throws what the source throws.
AlertNow AskAlertNow(Source& source, const promql::AlertExpression& alert, TimeMs at);

/// "2026-11-21 10:00:00 UTC: p99 is 4.2 s, the alert's threshold 3 s; again every 30s".
Message WatchHead(const promql::AlertExpression& alert, const AlertNow& now, std::int64_t every_ms);
/// "cleared at 2026-11-21 10:00:00 UTC, p99 back under 3 s (0.8 s)"; `held` says that it was seen
/// to hold before.
Message ClearedLine(const promql::AlertExpression& alert, const AlertNow& now, bool held);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_WATCHED_ALERT_H_
