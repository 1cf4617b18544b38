#pragma once

// What Alertmanager and Grafana post and link to.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/series.h"

namespace schedlens {

// What Alertmanager (version 4) and Grafana post to a webhook, and the links they put into it.

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

// The page of an alert rule in Grafana: a notification links to it, and its address holds no
// expression, only where to ask for one.

/// What the address of a rule's page tells.
struct GrafanaRulePage {
  std::string grafana;     ///< what stands before the page's path
  std::string uid;         ///< of a rule that Grafana evaluates; else empty
  std::string datasource;  ///< name of the data source that evaluates the rule; else empty
  std::string name;        ///< the rule's, where a data source evaluates it
};

/// `/alerting/grafana/UID/view` (or /edit), and `/alerting/DATASOURCE/ID/view` with the rule's name
/// in the ID. Nothing for any other address.
std::optional<GrafanaRulePage> ReadRulePage(std::string_view url);

/// What a rule of Grafana asks: its query and threshold as one expression in PromQL.
struct GrafanaRule {
  std::string expr;            ///< with its comparison, where the condition is one
  std::string datasource_uid;  ///< whose API answers the query
};

/// Reads `/api/v1/provisioning/alert-rules/UID`. The condition's expressions (threshold, classic
/// condition, `$A > 3`) are followed to the query that they rest on. Throws Error(kFailed) where
/// it is no such rule, or rests on no query in PromQL.
GrafanaRule ReadGrafanaRule(std::string_view json);

/// The uid in what `/api/datasources/name/NAME` answers. Throws Error(kFailed) without one.
std::string ReadDatasourceUid(std::string_view json);

}  // namespace schedlens
