#include "sim/framework/plugin_names.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "model/nearest.h"

namespace schedlens::sim::core {

bool IsInTree(const std::string& plugin) {
  const auto& tree = InTreePlugins();
  return std::any_of(tree.begin(), tree.end(),
                     [&](const InTreePlugin& known) { return known.name == plugin; });
}

bool PluginNames::IsOwn(const std::string& name) const {
  return std::find(own_.begin(), own_.end(), name) != own_.end();
}

// True: it is kept as one without code.
bool PluginNames::Accept(const std::string& name, const std::vector<std::string>& known) {
  if (found_ == nullptr) return false;
  const bool in_tree = IsInTree(name);
  const std::string nearest = Nearest(name, known);
  const bool close = !in_tree && !nearest.empty() && EditDistance(name, nearest) <= 2;
  found_->out_of_tree.push_back({name, close ? nearest : "", in_tree});
  own_.push_back(name);
  return true;
}

bool PluginNames::Check(const YamlFields& yaml, const YAML::Node& node, const std::string& name,
                        Points points, int minor) {
  if (IsOwn(name)) return true;
  const Points has = PointsOf(name, minor);
  if (has == 0) {
    std::vector<std::string> known = own_;
    for (const InTreePlugin& plugin : InTreePlugins()) {
      if (PointsOf(plugin.name, minor) != 0) known.emplace_back(plugin.name);
    }
    if (Accept(name, known)) return true;
    yaml.Fail(node, fmt::format("plugin `{}` does not exist in 1.{}{}", name, minor,
                                DidYouMean(name, known)));
  }
  if ((has & points) != 0) return true;
  if (found_ == nullptr) {
    yaml.Fail(node, fmt::format("plugin `{}` does not implement this extension point", name));
  }
  found_->remarks.push_back({RemarkKind::kNotAtPoint, yaml.PlaceOf(node), name});
  return false;
}

}  // namespace schedlens::sim::core
