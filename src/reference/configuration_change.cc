#include "reference/configuration_change.h"

#include <algorithm>
#include <set>

#include "reference/cluster_size.h"
#include "reference/roll_out.h"
#include "schedlens/error.h"
#include "sim/framework/configuration.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::core::Configuration;
using sim::core::ExtensionPoint;

constexpr int kDefaultParallelism = 16;

/// Points whose plugins are sampled, and what they cost.
struct PointRow {
  kube::ExtensionPoint name;
  ExtensionPoint point;
  std::vector<Cost> costs;
};
const std::vector<PointRow>& SampledPoints() {
  static const std::vector<PointRow> rows = {
      {kube::ExtensionPoint::kPreFilter, ExtensionPoint::kPreFilter, {Cost::kPreFilter}},
      {kube::ExtensionPoint::kFilter, ExtensionPoint::kFilter, {Cost::kFilter}},
      {kube::ExtensionPoint::kPreScore, ExtensionPoint::kPreScore, {Cost::kPreScore}},
      {kube::ExtensionPoint::kScore, ExtensionPoint::kScore, {Cost::kScore}},
      {kube::ExtensionPoint::kReserve, ExtensionPoint::kReserve, {Cost::kReserveWait}},
      {kube::ExtensionPoint::kPreBind,
       ExtensionPoint::kPreBind,
       {Cost::kPreBind, Cost::kPreBindWait}},
  };
  return rows;
}

bool Enabled(const Configuration& configuration, ExtensionPoint point, const std::string& plugin) {
  return std::any_of(configuration.profiles.begin(), configuration.profiles.end(),
                     [&](const sim::core::Profile& profile) {
                       const auto& at = profile.At(point);
                       return std::any_of(at.begin(), at.end(), [&](const auto& enabled) {
                         return enabled.name == plugin;
                       });
                     });
}

/// With the measured release's plugins if the file is of that release, else with its own.
Configuration Read(const Change& change, const Investigation& investigation, const Fitted& fitted) {
  std::vector<std::string> own;
  for (const PluginRow& row : investigation.diagnosis.plugins) own.push_back(row.plugin);
  try {
    return sim::core::ReadConfiguration(change.text, change.file, fitted.scenario.release, own);
  } catch (const Error&) {
    return sim::core::ReadConfiguration(change.text, change.file, std::nullopt, own);
  }
}

void ApplyClient(const Configuration& configuration, const Investigation& investigation,
                 Changed* changed) {
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    fitted->scenario.qps = configuration.client_qps;
    fitted->scenario.client_burst = configuration.client_burst;
  }
  Message limit("whatif.config.client.default",
                {{"qps", arg::Number(configuration.client_qps)},
                 {"burst", arg::Count(configuration.client_burst)}});
  if (changed->likely.limited) {
    limit.id = "whatif.config.client";
    limit.args.push_back({"rate", arg::Number(investigation.evidence->dispersion->rate)});
  }
  changed->assumptions.push_back(std::move(limit));
  FollowRollOut(investigation, changed);
}

/// Binds go back to DefaultBinder, at what a bind took where one was measured.
void RemoveBinder(const WindowEvidence& c, Changed* changed) {
  const bool measured = c.now.breakdown.bind_ok.count > 0;
  const sim::Costs quiet = sim::Costs::Default();
  const double guess = quiet[Cost::kBindClient].wall.Mean() + quiet[Cost::kBindApi].wall.Mean();
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    for (sim::Extender& extender : fitted->scenario.extenders) extender.bind = false;
    if (measured) continue;
    sim::Costs& costs = fitted->scenario.segments.back().conditions.costs;
    costs[Cost::kBindApi] = quiet[Cost::kBindApi];
    costs[Cost::kBindClient] = quiet[Cost::kBindClient];
  }
  changed->assumptions.push_back(
      measured ? Message("whatif.config.no_binder.measured")
               : Message("whatif.config.no_binder", {{"guess", arg::Duration(guess)}}));
}

/// The loop without calls to extenders: what is left of the algorithm outside its points.
void RemoveLoopExtender(Changed* changed) {
  const sim::Costs quiet = sim::Costs::Default();
  const double rest = quiet[Cost::kSnapshot].wall.Mean() + quiet[Cost::kSelectHost].wall.Mean();
  const double now =
      changed->likely.scenario.segments.back().conditions.costs[Cost::kSnapshot].wall.Mean();
  if (now > rest) changed->Scale({Cost::kSnapshot}, rest / now, rest / now);
  changed->assumptions.push_back(
      Message("whatif.config.no_loop_extender", {{"rest", arg::Duration(rest)}}));
}

void ApplyExtenders(const Configuration& configuration, const Investigation& investigation,
                    Changed* changed) {
  const WindowEvidence& c = *investigation.evidence;
  const auto& findings = investigation.diagnosis.findings;
  const bool loop_seen = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.id == "algorithm.extender";
  });
  bool binds = false, loops = false;
  for (const sim::core::ExtenderConfiguration& extender : configuration.extenders) {
    binds = binds || !extender.bind_verb.empty();
    loops = loops || !extender.filter_verb.empty() || !extender.prioritize_verb.empty();
  }
  const bool bind_seen = c.now.breakdown.extender_binds > 0;
  if (bind_seen && !binds) RemoveBinder(c, changed);
  if (loop_seen && !loops) RemoveLoopExtender(changed);
  if (bind_seen && binds) changed->assumptions.emplace_back("whatif.config.binder");
  if (loop_seen && loops) changed->assumptions.emplace_back("whatif.config.loop_extender");
  if ((!bind_seen && binds) || (!loop_seen && loops)) {
    changed->assumptions.emplace_back("whatif.config.extender_not_seen");
  }
}

void ApplyPercentage(const Configuration& configuration, const Investigation& investigation,
                     Changed* changed) {
  std::int32_t percentage = configuration.percentage_of_nodes_to_score;
  if (!configuration.profiles.empty()) {
    percentage = configuration.profiles.front().percentage_of_nodes_to_score.value_or(percentage);
  }
  const std::optional<int> nodes = NodesOf(investigation);
  if (percentage == 0) return;
  if (!nodes) {
    changed->assumptions.emplace_back("whatif.config.percentage.no_nodes");
    return;
  }
  const int before = sim::core::NumFeasibleNodesToFind(0, *nodes);
  const int after = sim::core::NumFeasibleNodesToFind(percentage, *nodes);
  changed->assumptions.push_back(
      Message(before == after ? "whatif.config.percentage.same" : "whatif.config.percentage",
              {{"percentage", arg::Count(percentage)},
               {"before", arg::Count(before)},
               {"nodes", arg::Count(*nodes)}}));
  if (before == after) return;
  ScaleByNodesLookedAt(before, after, changed);
}

void ApplyParallelism(const Configuration& configuration, Changed* changed) {
  const int workers = configuration.parallelism;
  if (workers == kDefaultParallelism) return;
  const bool more = workers > kDefaultParallelism;
  changed->assumptions.push_back(
      Message(more ? "whatif.config.parallelism.more" : "whatif.config.parallelism",
              {{"workers", arg::Count(workers)}, {"before", arg::Count(kDefaultParallelism)}}));
  if (more) return;
  changed->Scale({Cost::kFilter, Cost::kScore}, workers == 1 ? 2 : 1,
                 static_cast<double>(kDefaultParallelism) / workers);
}

void ApplyPlugins(const Configuration& configuration, const Investigation& investigation,
                  Changed* changed) {
  for (const PointRow& row : SampledPoints()) {
    double gone = 0;
    std::string names;
    for (const PluginRow& plugin : investigation.diagnosis.plugins) {
      if (plugin.extension_point != ToString(row.name) || !plugin.wall_share.value ||
          Enabled(configuration, row.point, plugin.plugin)) {
        continue;
      }
      gone += *plugin.wall_share.value;
      names += (names.empty() ? "" : ", ") + plugin.plugin;
    }
    if (names.empty()) continue;
    changed->Scale(row.costs, std::max(0.0, 1 - gone), 1);
    changed->assumptions.push_back(
        Message("whatif.config.plugins", {{"point", std::string(ToString(row.name))},
                                          {"plugins", names},
                                          {"gone", arg::Share(std::min(1.0, gone))}}));
  }
}

/// Plugins that the file enables beyond the defaults and that no sample of the window shows.
void NameNewPlugins(const Configuration& configuration, const Investigation& investigation,
                    Changed* changed) {
  const Configuration defaults = sim::core::DefaultConfiguration(configuration.release);
  std::set<std::string> fresh;
  for (const PointRow& row : SampledPoints()) {
    for (const sim::core::Profile& profile : configuration.profiles) {
      for (const auto& plugin : profile.At(row.point)) {
        const auto& seen = investigation.diagnosis.plugins;
        const bool measured = std::any_of(seen.begin(), seen.end(), [&](const PluginRow& other) {
          return other.plugin == plugin.name;
        });
        if (!measured && !Enabled(defaults, row.point, plugin.name)) fresh.insert(plugin.name);
      }
    }
  }
  for (const std::string& name : fresh) {
    changed->assumptions.push_back(Message("whatif.config.new_plugin", {{"plugin", name}}));
  }
}

}  // namespace

void ApplyConfiguration(const Change& change, const Investigation& investigation,
                        Changed* changed) {
  const Configuration configuration = Read(change, investigation, changed->likely);
  ApplyClient(configuration, investigation, changed);
  ApplyExtenders(configuration, investigation, changed);
  ApplyPercentage(configuration, investigation, changed);
  ApplyParallelism(configuration, changed);
  ApplyPlugins(configuration, investigation, changed);
  NameNewPlugins(configuration, investigation, changed);
  changed->assumptions.emplace_back("whatif.config.no_change");
}

}  // namespace schedlens
