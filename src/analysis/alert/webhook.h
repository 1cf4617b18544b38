#ifndef SCHEDLENS_ANALYSIS_ALERT_WEBHOOK_H_
#define SCHEDLENS_ANALYSIS_ALERT_WEBHOOK_H_

// What Alertmanager (version 4) and Grafana post to a webhook, and the links they put into it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/series.h"

namespace schedlens {

struct WebhookAlert {
  std::string name;  ///< label alertname
  Labels labels;
  bool firing = false;
  std::optional<TimeMs> start;
  std::optional<TimeMs> end;  ///< absent while it fires (0001-01-01 in the text)
  std::string url;            ///< generatorURL
  std::string fingerprint;    ///< as posted; without one the labels' text
};

/// Reads the posted JSON, or a single alert out of it, or a plain list of alerts. Throws
/// Error(kFailed) naming `name` (the file) when it is no JSON or holds no alert.
std::vector<WebhookAlert> ReadWebhook(std::string_view json, const std::string& name);

/// What a link to a graph shows.
struct LinkedExpression {
  std::string expr;
  std::optional<TimeMs> at;  ///< the moment or the end of the period that is shown
  /// Where its HTTP API answers: the link's own server, or Grafana's proxy of the data source.
  /// Empty where the link does not tell.
  std::string server;
};

/// The expression in a link to a graph of Prometheus, Thanos or VictoriaMetrics (`g0.expr`), or of
/// Grafana's Explore (`left`, `panes`). Nothing when the link has none, as Grafana's alert links,
/// and for a link over 64 KiB.
std::optional<LinkedExpression> ReadGraphUrl(std::string_view url);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_WEBHOOK_H_
