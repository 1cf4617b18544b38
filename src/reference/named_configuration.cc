#include "reference/named_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sim/framework/configuration.h"

namespace schedlens {
namespace {

using sim::core::Configuration;
using sim::core::ExtenderConfiguration;
using sim::core::ExtensionPoint;

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string Describe(const ExtenderConfiguration& extender, const std::string& verbs) {
  std::string text = fmt::format("{} ({}; timeout {:g} s", extender.url_prefix, verbs,
                                 extender.http_timeout_seconds);
  std::vector<std::string> resources;
  for (const auto& resource : extender.managed_resources) resources.push_back(resource.name);
  if (!resources.empty()) text += "; only pods that ask for " + Join(resources);
  if (!extender.node_cache_capable) text += "; whole Node objects are sent";
  return text + ")";
}

std::string LoopVerbs(const ExtenderConfiguration& extender) {
  std::vector<std::string> verbs;
  if (!extender.filter_verb.empty()) verbs.push_back("filterVerb " + extender.filter_verb);
  if (!extender.prioritize_verb.empty()) {
    verbs.push_back("prioritizeVerb " + extender.prioritize_verb);
  }
  return Join(verbs);
}

std::string BindVerb(const ExtenderConfiguration& extender) {
  return extender.bind_verb.empty() ? "" : "bindVerb " + extender.bind_verb;
}

/// The extenders that have such a verb; empty when none has.
std::string Extenders(const Configuration& configuration,
                      std::string (*verbs)(const ExtenderConfiguration&)) {
  std::vector<std::string> found;
  for (const ExtenderConfiguration& extender : configuration.extenders) {
    const std::string text = verbs(extender);
    if (!text.empty()) found.push_back(Describe(extender, text));
  }
  return Join(found);
}

std::string PluginsAt(const Configuration& configuration, ExtensionPoint point) {
  std::vector<std::string> names;
  for (const auto& profile : configuration.profiles) {
    for (const auto& plugin : profile.At(point)) {
      if (std::find(names.begin(), names.end(), plugin.name) == names.end()) {
        names.push_back(plugin.name);
      }
    }
  }
  return names.empty() ? "none" : Join(names);
}

std::string BindingExtenders(const Configuration& configuration) {
  return Extenders(configuration, BindVerb);
}
std::string LoopExtenders(const Configuration& configuration) {
  return Extenders(configuration, LoopVerbs);
}
std::string ClientLimit(const Configuration& configuration) {
  return fmt::format("clientConnection.qps {:g}, burst {}", configuration.client_qps,
                     configuration.client_burst);
}
std::string NodesToScore(const Configuration& configuration) {
  const int percentage = configuration.percentage_of_nodes_to_score;
  return fmt::format("percentageOfNodesToScore {}, parallelism {}",
                     percentage == 0 ? "adaptive" : std::to_string(percentage) + " %",
                     configuration.parallelism);
}
template <ExtensionPoint kPoint>
std::string Plugins(const Configuration& configuration) {
  return fmt::format("{} plugins: {}", ExtensionPointText(kPoint),
                     PluginsAt(configuration, kPoint));
}

/// What a configuration says about a finding. An empty text rules the finding out.
struct Row {
  std::string_view finding;
  std::string (*says)(const Configuration&);
};

constexpr Row kRows[] = {
    {"bind.extender", BindingExtenders},
    {"bind.client-throttling", ClientLimit},
    {"algorithm.extender", LoopExtenders},
    {"algorithm.filter", NodesToScore},
    {"algorithm.score", NodesToScore},
    {"reserve", Plugins<ExtensionPoint::kReserve>},
    {"permit.wait", Plugins<ExtensionPoint::kPermit>},
    {"prebind", Plugins<ExtensionPoint::kPreBind>},
    {"prebind.volume", Plugins<ExtensionPoint::kPreBind>},
};

const Row* RowOf(const std::string& finding) {
  for (const Row& row : kRows) {
    if (row.finding == finding) return &row;
  }
  return nullptr;
}

std::vector<std::string> SeenPlugins(const Diagnosis& diagnosis) {
  std::vector<std::string> names;
  for (const PluginRow& row : diagnosis.plugins) names.push_back(row.plugin);
  return names;
}

}  // namespace

Diagnosis WithConfiguration(Diagnosis diagnosis, std::string_view text, const std::string& name) {
  const Configuration configuration =
      sim::core::ReadConfiguration(text, name, std::nullopt, SeenPlugins(diagnosis));
  std::vector<Finding> findings;
  for (Finding& finding : diagnosis.findings) {
    const Row* row = RowOf(finding.id);
    const std::string says = row == nullptr ? "" : row->says(configuration);
    if (!says.empty()) {
      finding.evidence.push_back({fmt::format("{} configures {}.", name, says), ""});
    } else if (row != nullptr && finding.confidence != Confidence::kCertain) {
      diagnosis.warnings.push_back(
          fmt::format("{} rules out {}: it configures no such extender", name, finding.id));
      continue;
    } else if (row != nullptr) {
      diagnosis.warnings.push_back(
          fmt::format("{} configures no extender for what {} proves: it is not this scheduler's",
                      name, finding.id));
    }
    findings.push_back(std::move(finding));
  }
  diagnosis.findings = std::move(findings);
  return diagnosis;
}

}  // namespace schedlens
