#include "reference/configuration_change.h"

#include <algorithm>
#include <set>

#include "reference/found_configuration.h"
#include "reference/plugin_change.h"
#include "reference/roll_out.h"
#include "reference/setting_change.h"
#include "sim/framework/configuration.h"

namespace schedlens {
namespace {

using sim::core::Configuration;
using sim::core::FoundInFile;
using sim::core::OutOfTreePlugin;

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
  if (bind_seen && !binds) RemoveBinder(investigation, changed);
  if (loop_seen && !loops) RemoveLoopExtender(investigation, changed);
  if (bind_seen && binds) changed->assumptions.emplace_back("whatif.config.binder");
  if (loop_seen && loops) changed->assumptions.emplace_back("whatif.config.loop_extender");
  if ((!bind_seen && binds) || (!loop_seen && loops)) {
    changed->assumptions.emplace_back("whatif.config.extender_not_seen");
  }
}

void ApplyPlugins(const Configuration& configuration, const Investigation& investigation,
                  Changed* changed) {
  for (const SampledPoint& row : SampledPoints()) {
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

/// In-tree plugins that the file enables beyond the defaults and that no sample of the window
/// shows.
void NameNewPlugins(const Configuration& configuration, const Investigation& investigation,
                    const std::vector<OutOfTreePlugin>& out_of_tree, Changed* changed) {
  const Configuration defaults = sim::core::DefaultConfiguration(configuration.release);
  std::set<std::string> fresh;
  for (const SampledPoint& row : SampledPoints()) {
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
  for (const OutOfTreePlugin& plugin : out_of_tree) fresh.erase(plugin.name);
  for (const std::string& name : fresh) {
    changed->assumptions.push_back(Message("whatif.config.new_plugin", {{"plugin", name}}));
  }
}

}  // namespace

void ApplyConfiguration(const Change& change, const Investigation& investigation,
                        Changed* changed) {
  FoundInFile found;
  const Configuration configuration =
      ReadAsFound(change.text, change.file, investigation.diagnosis, &found);
  for (Message& remark : RemarksOn(found, configuration)) {
    changed->assumptions.push_back(std::move(remark));
  }
  ApplyClient(configuration, investigation, changed);
  ApplyExtenders(configuration, investigation, changed);
  std::int32_t percentage = configuration.percentage_of_nodes_to_score;
  if (!configuration.profiles.empty()) {
    percentage = configuration.profiles.front().percentage_of_nodes_to_score.value_or(percentage);
  }
  ApplyPercentage(percentage, investigation, changed);
  ApplyParallelism(configuration.parallelism, changed);
  ApplyPlugins(configuration, investigation, changed);
  NameNewPlugins(configuration, investigation, found.out_of_tree, changed);
  for (const OutOfTreePlugin& plugin : found.out_of_tree) {
    AddUnmeasured(plugin, configuration, investigation, changed);
  }
  changed->assumptions.emplace_back("whatif.config.no_change");
}

}  // namespace schedlens
