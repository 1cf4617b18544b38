#ifndef SCHEDLENS_CLI_COMMANDS_METRICS_PAGE_H_
#define SCHEDLENS_CLI_COMMANDS_METRICS_PAGE_H_

// GET /metrics, the only page of a simulated scheduler.

#include <functional>
#include <string>

#include "cli/web/server.h"

namespace schedlens {

/// The content type of the text that Prometheus scrapes.
inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// Answers with the page as it is now; where that is empty the process behind it is down (503).
std::function<WebReply(const WebRequest&)> MetricsPage(std::function<std::string()> page);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_METRICS_PAGE_H_
