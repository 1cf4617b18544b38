#ifndef SCHEDLENS_SOURCE_RULE_FILE_DASHBOARDS_H_
#define SCHEDLENS_SOURCE_RULE_FILE_DASHBOARDS_H_

// The queries of a dashboard. Grafana's: of its panels, rows and library elements, of its variables
// (`label_values(x, job)`) and annotations; old and new schemas alike have them as `expr` somewhere
// below a `title`. Perses': of its panels and variables.

#include <string>

#include "source/rule_file.h"
#include "source/yaml_tree.h"

namespace schedlens {

/// Whether a document is a dashboard, or what Grafana's API or an operator's object wraps around
/// one.
bool IsDashboard(YamlNode document);

/// Adds its queries to the file, those of data sources that do not speak PromQL left out.
void ReadDashboard(YamlNode document, RuleFile* file);

/// Adds the queries of a rule of Grafana's own alerting.
void ReadGrafanaRule(YamlNode rule, const std::string& group, RuleFile* file);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_FILE_DASHBOARDS_H_
