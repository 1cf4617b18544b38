#include "sim/framework/configuration_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "model/template_text.h"
#include "model/yaml_load.h"
#include "schedlens/error.h"

namespace schedlens::sim::core {
namespace {

using Visit = std::function<void(const YAML::Node&, const std::string&)>;

constexpr int kDeepest = 8;  // lists in lists, configurations in ConfigMaps

std::string Text(const YAML::Node& map, const char* key) {
  const YAML::Node node = map[key];
  return node && node.IsScalar() ? node.Scalar() : "";
}

std::vector<YAML::Node> Documents(std::string_view text, const std::string& file) {
  try {
    return LoadAllYaml(std::string(text));
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: {}", file, error.mark.line + 1, NotYaml(text, error.msg)));
  }
}

void Look(const YAML::Node& node, const std::string& place, int depth, const Visit& visit);

void LookInData(const YAML::Node& data, const std::string& place, int depth, const Visit& visit) {
  for (const auto& item : data) {
    if (!item.second.IsScalar()) continue;
    const std::string& text = item.second.Scalar();
    // Keys hold anything; only what looks like ours must be YAML.
    if (text.find("KubeSchedulerConfiguration") == std::string::npos &&
        text.find("Policy") == std::string::npos) {
      continue;
    }
    const std::string inner = fmt::format("{} ({})", place, item.first.Scalar());
    for (const YAML::Node& node : Documents(text, inner)) Look(node, inner, depth + 1, visit);
  }
}

void Look(const YAML::Node& node, const std::string& place, int depth, const Visit& visit) {
  if (depth > kDeepest || !node.IsMap()) return;
  const std::string kind = Text(node, "kind");
  if (kind == "KubeSchedulerConfiguration" || IsPolicy(node)) {
    visit(node, place);
  } else if (kind == "ConfigMap" && node["data"] && node["data"].IsMap()) {
    LookInData(node["data"], place, depth, visit);
  } else if (node["items"] && node["items"].IsSequence()) {
    for (const YAML::Node& item : node["items"]) Look(item, place, depth + 1, visit);
  }
}

}  // namespace

bool IsPolicy(const YAML::Node& map) {
  const std::string api = Text(map, "apiVersion");
  return Text(map, "kind") == "Policy" &&
         (api.empty() || api == "v1" || api.rfind("kubescheduler.config.k8s.io/", 0) == 0);
}

void EachConfiguration(std::string_view text, const std::string& file, const Visit& visit) {
  for (const YAML::Node& node : Documents(text, file)) Look(node, file, 0, visit);
}

}  // namespace schedlens::sim::core
