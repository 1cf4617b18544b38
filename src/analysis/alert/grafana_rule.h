#ifndef SCHEDLENS_ANALYSIS_ALERT_GRAFANA_RULE_H_
#define SCHEDLENS_ANALYSIS_ALERT_GRAFANA_RULE_H_

// The page of an alert rule in Grafana: a notification links to it, and its address holds no
// expression, only where to ask for one.

#include <optional>
#include <string>
#include <string_view>

namespace schedlens {

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

#endif  // SCHEDLENS_ANALYSIS_ALERT_GRAFANA_RULE_H_
