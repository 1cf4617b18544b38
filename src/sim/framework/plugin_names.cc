#include "sim/framework/plugin_names.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "model/nearest.h"

namespace schedlens::sim::core {
namespace {

constexpr int kLastKnown = 999;

struct Unplayed {
  std::string_view plugin;
  int first_minor, last_minor;
};

constexpr Unplayed kUnplayed[] = {
    {"NodeLabel", 0, 22},
    {"ServiceAffinity", 0, 22},
    {"GangScheduling", 35, kLastKnown},
    {"NodeDeclaredFeatures", 35, kLastKnown},
};

const Unplayed* FindUnplayed(std::string_view plugin) {
  const auto* found = std::find_if(std::begin(kUnplayed), std::end(kUnplayed),
                                   [&](const Unplayed& known) { return known.plugin == plugin; });
  return found == std::end(kUnplayed) ? nullptr : found;
}

}  // namespace

bool IsUnplayed(std::string_view plugin, int minor) {
  const Unplayed* known = FindUnplayed(plugin);
  return known != nullptr && minor >= known->first_minor && minor <= known->last_minor;
}

bool IsUnplayedElsewhere(std::string_view plugin, int minor) {
  return FindUnplayed(plugin) != nullptr && !IsUnplayed(plugin, minor);
}

bool IsInTree(const std::string& plugin) {
  const auto& tree = InTreePlugins();
  return std::any_of(tree.begin(), tree.end(),
                     [&](const InTreePlugin& known) { return known.name == plugin; });
}

bool PluginNames::IsOwn(const std::string& name) const {
  return std::find(own_.begin(), own_.end(), name) != own_.end();
}

// True: it is kept as one without code.
bool PluginNames::Accept(const std::string& name, const std::vector<std::string>& known,
                         int minor) {
  if (found_ == nullptr) return false;
  const bool other_release = IsInTree(name) || IsUnplayedElsewhere(name, minor);
  const std::string nearest = Nearest(name, known);
  const bool close = !other_release && !IsUnplayed(name, minor) && !nearest.empty() &&
                     EditDistance(name, nearest) <= 2;
  found_->out_of_tree.push_back({name, close ? nearest : "", other_release});
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
    if (Accept(name, known, minor)) return true;
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
