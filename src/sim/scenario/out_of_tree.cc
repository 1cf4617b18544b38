#include "sim/scenario/out_of_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/framework/plugin_names.h"

namespace schedlens::sim {
namespace {

class NameOnly : public SchedulerPlugin {
 public:
  explicit NameOnly(DeclaredPlugin declared) : declared_(std::move(declared)) {}

  PermitAnswer Permit(const PodView&, const NodeView&) const override {
    return {std::nullopt, declared_.permit_wait};
  }
  double Seconds(PluginPoint point, const PodView&, const NodeView*) const override {
    const auto at = declared_.seconds.find(point);
    return at == declared_.seconds.end() ? 0 : at->second;
  }

 private:
  DeclaredPlugin declared_;
};

DeclaredPlugin Default() {
  DeclaredPlugin out;
  for (int i = 0; i <= static_cast<int>(PluginPoint::kUnreserve); ++i) {
    const auto point = static_cast<PluginPoint>(i);
    const bool node = point == PluginPoint::kFilter || point == PluginPoint::kScore;
    out.seconds[point] = node ? kDefaultNodeSeconds : kDefaultCallSeconds;
  }
  return out;
}

}  // namespace

std::optional<PluginPoint> PluginPointOfKey(std::string_view key) {
  constexpr std::pair<std::string_view, PluginPoint> kKeys[] = {
      {"preEnqueue", PluginPoint::kPreEnqueue}, {"preFilter", PluginPoint::kPreFilter},
      {"filter", PluginPoint::kFilter},         {"postFilter", PluginPoint::kPostFilter},
      {"preScore", PluginPoint::kPreScore},     {"score", PluginPoint::kScore},
      {"reserve", PluginPoint::kReserve},       {"permit", PluginPoint::kPermit},
      {"preBind", PluginPoint::kPreBind},       {"bind", PluginPoint::kBind},
      {"postBind", PluginPoint::kPostBind}};
  for (const auto& [name, point] : kKeys) {
    if (name == key) return point;
  }
  return std::nullopt;
}

SchedulerPluginFactory StandIn(std::string name, const DeclaredPlugin& declared) {
  return {std::move(name), [declared] { return std::make_unique<NameOnly>(declared); }};
}

void AddStandIns(const std::vector<core::OutOfTreePlugin>& plugins, Scenario* scenario) {
  for (const core::OutOfTreePlugin& plugin : plugins) {
    const auto same = [&](const auto& known) { return known.name == plugin.name; };
    if (std::any_of(scenario->plugins.begin(), scenario->plugins.end(), same)) continue;
    const auto declared = scenario->declared_plugins.find(plugin.name);
    const bool known = declared != scenario->declared_plugins.end();
    scenario->plugins.push_back(StandIn(plugin.name, known ? declared->second : Default()));
    if (known) continue;
    scenario->warnings.push_back(fmt::format(
        "plugin `{}` is not {}{}: it passes every node and takes 1us a node, 5us a "
        "call; declare "
        "its cost as scheduler.plugins.{}{}",
        plugin.name,
        core::IsUnplayed(plugin.name, scenario->release.minor) ? "simulated" : "in-tree",
        plugin.other_release ? " in " + scenario->release.ToString() : "", plugin.name,
        plugin.close.empty() ? "" : fmt::format("; did you mean `{}`?", plugin.close)));
  }
}

}  // namespace schedlens::sim
