#pragma once

#include <string>

#include "source/rule_file.h"
#include "source/yaml_tree.h"

namespace schedlens {

// The groups of a rule file, read as `promtool check rules` reads them.

/// Adds the rules of a map with a list `groups`, which is the `whole` of its text or a part of it,
/// and what is wrong with them to the file. Lines and
/// places are those of the text that the node was read from. Throws Error(kUsage) naming the file
/// where what should be a list or a map is none.
void ReadGroups(YamlNode holder, bool whole, RuleFile* file);

/// The scalar's first byte in its text.
std::size_t PlaceOf(YamlNode node, const std::string& text);

/// Throws Error(kUsage): "NAME:LINE: what".
[[noreturn]] void FailAt(const std::string& name, int line, const std::string& what);

// The queries of a dashboard. Grafana's: of its panels, rows and library elements, of its variables
// (`label_values(x, job)`) and annotations; old and new schemas alike have them as `expr` somewhere
// below a `title`. Perses': of its panels and variables.

/// Whether a document is a dashboard, or what Grafana's API or an operator's object wraps around
/// one.
bool IsDashboard(YamlNode document);

/// Adds its queries to the file, those of data sources that do not speak PromQL left out.
void ReadDashboard(YamlNode document, RuleFile* file);

/// Adds the queries of a rule of Grafana's own alerting.
void ReadGrafanaRule(YamlNode rule, const std::string& group, RuleFile* file);

}  // namespace schedlens
