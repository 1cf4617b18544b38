#include "cli/commands/metrics_page.h"

#include <utility>

namespace schedlens {

std::function<WebReply(const WebRequest&)> MetricsPage(std::function<std::string()> page) {
  return [page = std::move(page)](const WebRequest& request) -> WebReply {
    if (request.method != "GET" && request.method != "HEAD") {
      return {.status = 405, .body = "only GET\n"};
    }
    if (request.path != "/metrics") return {.status = 404, .body = "see /metrics\n"};
    std::string text = page();
    if (text.empty()) return {.status = 503, .body = "the scheduler is down\n"};
    return {.status = 200, .body = std::move(text), .type = kMetricsType};
  };
}

}  // namespace schedlens
