#include "base/suggestion.h"
#include "base/url.h"
#include "base/yaml_load.h"
#include "kube/metrics.h"
#include "replay/change.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::core::Configuration;
using sim::core::ExtenderConfiguration;
using sim::core::ExtensionPoint;
using sim::core::FoundInFile;
using sim::core::OutOfTreePlugin;
using sim::core::RemarkKind;

/// By RemarkKind.
constexpr const char* kRemarkIds[] = {
    "configuration.remark.field",     "configuration.remark.point",
    "configuration.remark.no_plugin", "configuration.remark.not_read",
    "configuration.remark.several",   "configuration.remark.flags"};

/// The configuration; where it is refused and looks like a template, the error says so:
/// `leaderElect: {{ .Values.elect }}` is YAML, and no configuration yet.
Configuration Read(std::string_view text, const std::string& name,
                   const std::optional<sim::Release>& release, const std::vector<std::string>& seen,
                   FoundInFile* found) {
  try {
    return sim::core::ReadConfiguration(text, name, release, seen, found);
  } catch (const Error& error) {
    const std::string advice = AdviceForTemplate(text);
    if (advice.empty() || std::string_view(error.what()).ends_with(advice)) throw;
    Raise(error.kind(), "{}; {}", error.what(), advice);
  }
}

std::string Join(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

Message Describe(const ExtenderConfiguration& extender, const std::string& verbs) {
  Message text("configuration.extender",
               {{"url", HideSecretsOfUrl(extender.url_prefix)},
                {"verbs", verbs},
                {"timeout", arg::Duration(extender.http_timeout_seconds)}});
  std::vector<std::string> resources;
  for (const auto& resource : extender.managed_resources) resources.push_back(resource.name);
  if (!resources.empty()) text.args.push_back({"resources", Join(resources)});
  const bool nodes = !extender.node_cache_capable;
  if (!resources.empty()) text.id += nodes ? ".resources_and_nodes" : ".resources";
  if (resources.empty() && nodes) text.id += ".nodes";
  return text;
}

/// The extenders that bind, or that the loop asks; empty when none does.
std::vector<Message> Extenders(const Configuration& configuration, bool bind) {
  std::vector<Message> found;
  for (const ExtenderConfiguration& extender : configuration.extenders) {
    std::vector<std::string> verbs;
    const auto add = [&](const char* field, const std::string& verb) {
      if (!verb.empty()) verbs.push_back(field + verb);
    };
    if (bind) {
      add("bindVerb ", extender.bind_verb);
    } else {
      add("filterVerb ", extender.filter_verb);
      add("prioritizeVerb ", extender.prioritize_verb);
    }
    if (!verbs.empty()) found.push_back(Describe(extender, Join(verbs)));
  }
  return found;
}

Message NodesToScore(const Configuration& configuration) {
  const int percentage = configuration.percentage_of_nodes_to_score;
  Message text("configuration.nodes_to_score.adaptive",
               {{"parallelism", arg::Count(configuration.parallelism)}});
  if (percentage != 0) {
    text.id = "configuration.nodes_to_score";
    text.args.push_back({"percentage", arg::Count(percentage)});
  }
  return text;
}

Message Plugins(const Configuration& configuration, ExtensionPoint point) {
  std::vector<std::string> names;
  for (const auto& profile : configuration.profiles) {
    for (const auto& plugin : profile.At(point)) {
      if (std::ranges::count(names, plugin.name) == 0) names.push_back(plugin.name);
    }
  }
  Message text("configuration.no_plugins", {{"point", std::string(kube::ToString(point))}});
  if (!names.empty()) {
    text.id = "configuration.plugins";
    text.args.push_back({"plugins", Join(names)});
  }
  return text;
}

/// What a configuration says about a finding; an empty list rules it out. Nothing where it says
/// nothing of such. `looked_up`: the finding's first step was to look it up in the file.
std::optional<std::vector<Message>> SaysOf(const std::string& finding,
                                           const Configuration& configuration, bool* looked_up) {
  *looked_up = true;
  if (finding == "bind.extender") return Extenders(configuration, true);
  if (finding == "algorithm.extender") return Extenders(configuration, false);
  if (finding == "bind.client-throttling")
    return std::vector{
        Message("configuration.client_limit", {{"qps", arg::Number(configuration.client_qps)},
                                               {"burst", arg::Count(configuration.client_burst)}})};
  *looked_up = false;
  if (finding == ToString(kube::Stage::kFilter) || finding == ToString(kube::Stage::kScore)) {
    return std::vector{NodesToScore(configuration)};
  }
  constexpr std::pair<std::string_view, ExtensionPoint> kPluginsOf[] = {
      {ToString(kube::Stage::kReserve), ExtensionPoint::kReserve},
      {"permit.wait", ExtensionPoint::kPermit},
      {ToString(kube::Stage::kPreBind), ExtensionPoint::kPreBind},
      {"prebind.volume", ExtensionPoint::kPreBind}};
  for (const auto& [id, point] : kPluginsOf) {
    if (finding == id) return std::vector{Plugins(configuration, point)};
  }
  return std::nullopt;
}

/// Points whose plugins are sampled, and what they cost.
struct SampledPoint {
  ExtensionPoint point;
  std::vector<Cost> costs;
};
const std::vector<SampledPoint>& SampledPoints() {
  static const std::vector<SampledPoint> rows = {
      {ExtensionPoint::kPreFilter, {Cost::kPreFilter}},
      {ExtensionPoint::kFilter, {Cost::kFilter}},
      {ExtensionPoint::kPreScore, {Cost::kPreScore}},
      {ExtensionPoint::kScore, {Cost::kScore}},
      {ExtensionPoint::kReserve, {Cost::kReserveWait}},
      {ExtensionPoint::kPreBind, {Cost::kPreBind, Cost::kPreBindWait}},
  };
  return rows;
}

/// Of the node loop's worker time, what runs at once.
constexpr double kWorkersAtOnce = 2;
/// Nodes that are looked at where nobody says how many there are: the fewest of any large cluster.
constexpr int kNodesUnknown = 100;
/// What nobody has measured may be dearer by this factor.
constexpr double kMayBeDearer = 10;

/// `Point/NAME` apart; without a slash there is no point.
std::pair<std::string, std::string> PointAndName(const std::string& key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string::npos) return {"", key};
  return {key.substr(0, slash), key.substr(slash + 1)};
}

const SampledPoint& PointOf(const std::string& key) {
  std::string known;
  for (const SampledPoint& row : SampledPoints()) {
    if (ToString(row.point) == PointAndName(key).first) return row;
    known += (known.empty() ? "" : ", ") + std::string(ToString(row.point));
  }
  Raise(ErrorKind::kUsage, "--set {}: a time can be given at {}", key, known);
}

/// Time on top of what was measured at a point, where the fit leaves a step free: on the loop, or
/// for PreBind before its goroutine runs.
void AddSeconds(ExtensionPoint point, double seconds, Fitted* fitted) {
  const Cost free = point == ExtensionPoint::kPreBind ? Cost::kSpawn : Cost::kAssume;
  sim::Distribution& wall = fitted->now().costs[free].wall;
  wall = sim::Distribution::Constant(std::max(0.0, wall.Mean() + seconds));
}

/// Puts `likely` and `extreme` seconds an attempt in place of what was declared there before.
void Declare(const std::string& key, ExtensionPoint point, double likely, double extreme,
             Changed* changed) {
  auto& [was, was_extreme] = changed->declared[key];
  AddSeconds(point, likely - was, &changed->likely);
  AddSeconds(point, extreme - was_extreme, &changed->extreme);
  was = likely;
  was_extreme = extreme;
  changed->differ = changed->differ || likely != extreme;
}

/// Scales what a plugin takes of its points, as far as it was measured; false if it was not.
bool ScaleMeasured(const std::string& key, double factor, const Investigation& investigation,
                   Changed* changed) {
  const auto [point, name] = PointAndName(key);
  bool found = false;
  for (const PluginRow& plugin : investigation.diagnosis.plugins) {
    if (plugin.plugin != name || !plugin.wall_share.value) continue;
    for (const SampledPoint& row : SampledPoints()) {
      if (plugin.extension_point != ToString(row.point)) continue;
      if (!point.empty() && plugin.extension_point != point) continue;
      const double share = std::clamp(*plugin.wall_share.value, 0.0, 1.0);
      // It is a sample of a tenth of the attempts; less gain or more loss at the extreme.
      const double other = factor < 1 ? plugin.wall_share.low.value_or(share / 2)
                                      : plugin.wall_share.high.value_or(1);
      changed->Scale(row.costs, 1 - share * (1 - factor),
                     1 - std::clamp(other, 0.0, 1.0) * (1 - factor));
      changed->Say("whatif.plugin", {{"point", plugin.extension_point},
                                     {"plugin", name},
                                     {"share", arg::Share(share)},
                                     {"factor", arg::Number(factor)}});
      found = true;
    }
  }
  return found;
}

Error NotMeasured(const std::string& key, const Investigation& investigation) {
  std::vector<std::string> seen;
  for (const PluginRow& plugin : investigation.diagnosis.plugins) {
    seen.push_back(plugin.extension_point + "/" + plugin.plugin);
  }
  return Error(ErrorKind::kInsufficientData,
               seen.empty() ? fmt::format("--set {}: no plugin was measured in this window "
                                          "(scheduler_plugin_execution_duration_seconds)",
                                          key)
                            : fmt::format("--set {}: no such plugin was measured{}", key,
                                          Suggestion(key, seen)));
}

void ApplyClient(const Configuration& configuration, const Investigation& investigation,
                 Changed* changed) {
  for (Fitted* fitted : changed->Both()) {
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
  const bool loop_seen = LoopExtenderSeen(investigation);
  bool binds = false, loops = false;
  for (const sim::core::ExtenderConfiguration& extender : configuration.extenders) {
    binds = binds || !extender.bind_verb.empty();
    loops = loops || !extender.filter_verb.empty() || !extender.prioritize_verb.empty();
  }
  const bool bind_seen = c.now.breakdown.extender_binds > 0;
  if (bind_seen && !binds) RemoveBinder(investigation, changed);
  if (loop_seen && !loops) RemoveLoopExtender(investigation, changed);
  if (bind_seen && binds) changed->Say("whatif.config.binder");
  if (loop_seen && loops) changed->Say("whatif.config.loop_extender");
  if ((!bind_seen && binds) || (!loop_seen && loops)) {
    changed->Say("whatif.config.extender_not_seen");
  }
}

void ApplyPlugins(const Configuration& configuration, const Investigation& investigation,
                  Changed* changed) {
  for (const SampledPoint& row : SampledPoints()) {
    double gone = 0;
    std::vector<std::string> names;
    for (const PluginRow& plugin : investigation.diagnosis.plugins) {
      if (plugin.extension_point != ToString(row.point) || !plugin.wall_share.value ||
          configuration.Runs(row.point, plugin.plugin)) {
        continue;
      }
      gone += *plugin.wall_share.value;
      names.push_back(plugin.plugin);
    }
    if (names.empty()) continue;
    changed->Scale(row.costs, std::max(0.0, 1 - gone), 1);
    changed->Say("whatif.config.plugins", {{"point", std::string(ToString(row.point))},
                                           {"plugins", Join(names)},
                                           {"gone", arg::Share(std::min(1.0, gone))}});
  }
}

/// In-tree plugins that the file enables beyond the defaults and that no sample shows.
void NameNewPlugins(const Configuration& configuration, const Investigation& investigation,
                    const std::vector<OutOfTreePlugin>& out_of_tree, Changed* changed) {
  const Configuration defaults = sim::core::DefaultConfiguration(configuration.release);
  std::set<std::string> fresh;
  for (const SampledPoint& row : SampledPoints()) {
    for (const sim::core::Profile& profile : configuration.profiles) {
      for (const auto& plugin : profile.At(row.point)) {
        if (!defaults.Runs(row.point, plugin.name)) fresh.insert(plugin.name);
      }
    }
  }
  for (const PluginRow& measured : investigation.diagnosis.plugins) fresh.erase(measured.plugin);
  for (const OutOfTreePlugin& plugin : out_of_tree) fresh.erase(plugin.name);
  for (const std::string& name : fresh) {
    changed->Say("whatif.config.new_plugin", {{"plugin", name}});
  }
}

/// What a plugin from outside the tree takes at each of its points in `configuration`: what was
/// declared of it before, else 1 us a node that is looked at and 5 us a call, ten times that at the
/// extreme. States the assumption, and which in-tree plugin may have been meant.
void AddUnmeasured(const OutOfTreePlugin& plugin, const Configuration& configuration,
                   const Investigation& investigation, Changed* changed) {
  const auto nodes = NodesOf(investigation);
  const int looked_at =
      nodes ? sim::core::NumFeasibleNodesToFind(configuration.percentage_of_nodes_to_score, *nodes)
            : kNodesUnknown;
  double all = 0;
  for (const SampledPoint& row : SampledPoints()) {
    const std::string key = std::string(ToString(row.point)) + "/" + plugin.name;
    if (!configuration.Runs(row.point, plugin.name) || changed->declared.contains(key)) continue;
    const bool by_node =
        row.point == ExtensionPoint::kFilter || row.point == ExtensionPoint::kScore;
    const double seconds =
        by_node ? sim::kDefaultNodeSeconds * looked_at / kWorkersAtOnce : sim::kDefaultCallSeconds;
    Declare(key, row.point, seconds, kMayBeDearer * seconds, changed);
    all += seconds;
  }
  Message text("whatif.config.out_of_tree",
               {{"plugin", plugin.name}, {"seconds", arg::Duration(all)}});
  if (sim::core::IsUnplayed(plugin.name, configuration.release.minor)) {
    text.id = "whatif.config.unplayed";
  } else if (!plugin.close.empty()) {
    text.id = "whatif.config.out_of_tree.close";
    text.args.push_back({"meant", plugin.close});
  }
  changed->assumptions.push_back(std::move(text));
}

}  // namespace

Configuration ReadAsFound(std::string_view text, const std::string& name,
                          const Diagnosis& diagnosis, FoundInFile* found) {
  std::vector<std::string> seen;
  for (const PluginRow& row : diagnosis.plugins) {
    if (!sim::core::IsInTree(row.plugin)) seen.push_back(row.plugin);
  }
  Configuration own = Read(text, name, std::nullopt, seen, found);
  // `1.20`, or `1.23-1.25`.
  const auto newest = kube::ParseRelease(diagnosis.release);
  if (!newest) return own;
  const auto oldest = kube::ParseRelease(diagnosis.release.substr(0, diagnosis.release.find('-')));
  const int nearest =
      std::clamp(own.release.minor, std::min(oldest.value_or(*newest), *newest), *newest);
  const int minor = std::clamp(nearest, sim::Release::kOldest, sim::Release::kNewest);
  if (minor == own.release.minor) return own;
  *found = {};
  return Read(text, name, sim::Release{minor}, seen, found);
}

std::vector<Message> RemarksOn(const FoundInFile& found, const Configuration& configuration) {
  std::vector<Message> out;
  for (const sim::core::ConfigurationRemark& remark : found.remarks) {
    Message text(kRemarkIds[static_cast<std::size_t>(remark.kind)], {{"at", remark.at}});
    if (!remark.name.empty()) text.args.push_back({"name", remark.name});
    if (remark.kind == RemarkKind::kNoPlugin || remark.kind == RemarkKind::kNotRead) {
      text.args.push_back({"release", configuration.release.ToString()});
    }
    out.push_back(std::move(text));
  }
  return out;
}

Diagnosis WithConfiguration(Diagnosis diagnosis, std::string_view text, const std::string& name) {
  sim::core::FoundInFile found;
  const Configuration configuration = ReadAsFound(text, name, diagnosis, &found);
  for (const sim::core::OutOfTreePlugin& plugin : found.out_of_tree) {
    Message warning("configuration.out_of_tree", {{"file", name}, {"plugin", plugin.name}});
    if (plugin.other_release) {
      warning.id = "configuration.out_of_tree.release";
      warning.args.push_back({"release", configuration.release.ToString()});
    } else if (sim::core::IsUnplayed(plugin.name, configuration.release.minor)) {
      warning.id = "configuration.unplayed";
    } else if (!plugin.close.empty()) {
      warning.id = "configuration.out_of_tree.close";
      warning.args.push_back({"meant", plugin.close});
    }
    diagnosis.warnings.push_back(std::move(warning));
  }
  std::ranges::move(RemarksOn(found, configuration), std::back_inserter(diagnosis.warnings));
  std::vector<Finding> findings;
  for (Finding& finding : diagnosis.findings) {
    bool looked_up = false;
    auto says = SaysOf(finding.id, configuration, &looked_up);
    const std::vector<Argument> both = {{"file", name}, {"finding", finding.id}};
    if (says && !says->empty()) {
      finding.evidence.push_back(
          {Message("configuration.says", {{"file", name}, {"what", std::move(*says)}}), ""});
      std::erase_if(finding.next_steps, [&](const NextStep& step) {
        return looked_up && step.text.id == "finding." + finding.id + ".step.1";
      });
    } else if (says && finding.confidence != Confidence::kCertain) {
      diagnosis.warnings.emplace_back("configuration.rules_out", both);
      continue;
    } else if (says) {
      diagnosis.warnings.emplace_back("configuration.contradicts", both);
    }
    findings.push_back(std::move(finding));
  }
  diagnosis.findings = std::move(findings);
  return diagnosis;
}

void ApplyToPlugin(const Change& change, const Investigation& investigation, Changed* changed) {
  if (change.kind == ChangeKind::kSet) {
    const SampledPoint& row = PointOf(change.key);
    ScaleMeasured(change.key, 0, investigation, changed);
    Declare(change.key, row.point, change.value, change.value, changed);
    changed->Say("whatif.plugin.declared",
                 {{"plugin", change.key}, {"seconds", arg::Duration(change.value)}});
    return;
  }
  const double factor = change.kind == ChangeKind::kRemoved ? 0 : change.value;
  if (!ScaleMeasured(change.key, factor, investigation, changed)) {
    throw NotMeasured(change.key, investigation);
  }
}

void ApplyConfiguration(const Change& change, const Investigation& investigation,
                        Changed* changed) {
  FoundInFile found;
  const Configuration configuration =
      ReadAsFound(change.text, change.file, investigation.diagnosis, &found);
  std::ranges::move(RemarksOn(found, configuration), std::back_inserter(changed->assumptions));
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
  changed->Say("whatif.config.no_change");
}

}  // namespace schedlens
