#include "scheduler/cluster/objects_json.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_table.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {
namespace {

// No node has it: what a template that never fits asks for.
constexpr std::string_view kNowhere = "schedlens.io/nowhere";

void SetLabel(core::ObjectLabels& labels, core::Id key, core::Id value) {
  auto at = std::ranges::lower_bound(labels, key, {}, &core::Label::key);
  if (at == labels.end() || at->key != key) at = labels.insert(at, {key, value});
  at->value = value;
}

template <typename Read>
auto FromManifest(std::string_view manifest, const std::string& name, core::Strings& strings,
                  Read read) {
  try {
    return read(manifest, fmt::format("manifest of `{}`", name), strings);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, error.what());
  }
}

// Whatever a scenario has without a word about it.
void Defaults(core::PodSpec& spec, const PodTemplate& pod, core::Strings& strings) {
  spec.namespace_name = strings.Intern("default");
  spec.labels = {{strings.Intern("app"), strings.Intern(pod.name)}};
}

core::Loaded Load(const std::vector<ObjectText>& files, bool nodes, bool pods,
                  core::Cluster& cluster) {
  core::Loaded sum;
  for (const ObjectText& file : files) {
    const core::Loaded loaded = core::LoadObjects(file.text, file.name, cluster, nodes, pods);
    sum.nodes += loaded.nodes;
    sum.pods += loaded.pods;
    for (const auto& [what, count] : loaded.ignored_fields) sum.ignored_fields[what] += count;
  }
  return sum;
}

// Of one spec of the objects; its pods come from the objects, not from arrivals.
PodTemplate TemplateOf(const core::Cluster& objects, core::SpecId id, std::string name,
                       const std::string& fallback, const std::vector<std::string>& profiles) {
  const core::PodSpec& spec = objects.spec(id);
  const core::Strings& strings = objects.strings();
  PodTemplate out;
  out.name = spec.controller ? strings.Text(spec.controller->name) : std::move(name);
  out.cpu = static_cast<double>(spec.request.milli_cpu) / 1000;
  out.memory = static_cast<double>(spec.request.memory);
  out.priority = static_cast<std::int32_t>(spec.priority);
  const std::string& profile = strings.Text(spec.scheduler_name);
  const bool known = std::ranges::find(profiles, profile) != profiles.end();
  out.profile = known ? profile : fallback;
  for (const core::ScalarAmount& scalar : spec.request.scalars) {
    out.extended[strings.Text(scalar.name)] = static_cast<double>(scalar.amount);
  }
  out.grace = Distribution::Constant(1);
  out.object_spec = id;
  return out;
}

// What the simulation leaves out of the objects, in one line.
std::string IgnoredOf(const core::Cluster& objects, std::map<std::string, int> of_nodes,
                      const std::map<std::string, int>& of_pods) {
  // One file may be given as both.
  for (const auto& [what, count] : of_pods) of_nodes[what] = std::max(of_nodes[what], count);
  for (core::PodId id = 0; id < objects.pod_limit(); ++id) {
    if (!objects.pod(id).alive) continue;
    core::PodSpec spec = objects.SpecOf(id);
    const std::size_t before = spec.volumes.size();
    LeaveOutUnknownVolumes(objects.volumes().knows_claims(), spec);
    if (spec.volumes.size() == before) continue;
    ++of_nodes[objects.volumes().knows_claims()
                   ? "pods with spec.volumes[].ephemeral"
                   : "pods with claims, as no PersistentVolumeClaim is given"];
  }
  return core::IgnoredText(of_nodes);
}

// Pods are placed by node affinity and resources; feasible nodes score alike.
void Simplify(core::Profile& profile) {
  using core::ExtensionPoint;
  const auto keep = [&](ExtensionPoint point, std::initializer_list<std::string_view> names) {
    auto& plugins = profile.plugins[static_cast<std::size_t>(point)];
    std::erase_if(plugins, [&](const core::PluginRef& plugin) {
      return std::ranges::find(names, plugin.name) == names.end();
    });
  };
  for (const ExtensionPoint point : {ExtensionPoint::kPreFilter, ExtensionPoint::kFilter}) {
    keep(point, {kAffinityPlugin, kFitPlugin});
  }
  keep(ExtensionPoint::kPreScore, {});
  profile.plugins[static_cast<std::size_t>(ExtensionPoint::kScore)] = {{"VolumeBinding", 1}};
}

Extender ExtenderOf(const core::ExtenderConfiguration& from) {
  Extender out;
  out.filter = !from.filter_verb.empty();
  out.prioritize = !from.prioritize_verb.empty();
  out.preempt = !from.preempt_verb.empty();
  out.bind = !from.bind_verb.empty();
  for (const auto& resource : from.managed_resources) out.managed.push_back(resource.name);
  out.ignorable = from.ignorable;
  out.timeout = from.http_timeout_seconds;
  out.weight = from.weight;
  out.names_only = from.node_cache_capable;
  return out;
}

std::vector<std::string> NamesOf(const std::vector<SchedulerPluginFactory>& plugins) {
  std::vector<std::string> out;
  for (const SchedulerPluginFactory& plugin : plugins) out.push_back(plugin.name);
  return out;
}

// Without a configuration nothing says where they run.
void EnableEverywhere(const std::vector<SchedulerPluginFactory>& plugins, core::Profile& profile) {
  using enum kube::ExtensionPoint;
  for (const SchedulerPluginFactory& plugin : plugins) {
    for (const core::ExtensionPoint point :
         {kPreEnqueue, kPreFilter, kFilter, kPostFilter, kPreScore, kScore, kReserve, kPermit,
          kPreBind, kBind, kPostBind}) {
      profile.plugins[kube::IndexOf(point)].push_back({plugin.name, point == kScore ? 1 : 0});
    }
  }
}

std::string TextOf(const core::ConfigurationRemark& remark, const Release& release) {
  // By RemarkKind.
  constexpr const char* kTexts[] = {
      "{0}: no field `{1}` is known; it is left out",
      "{0}: plugin `{1}` does not implement this extension point; it is left out",
      "{0}: `{1}` has no plugin in {2}; it is left out",
      "{0}: {2} does not read {1}; it is taken as if it did",
      "{0}: another configuration; the first of the file is used",
      "{0}: a container's flags are the configuration, with what they leave open: {1}"};
  static_assert(std::size(kTexts) == static_cast<std::size_t>(core::RemarkKind::kFlags) + 1);
  return fmt::format(fmt::runtime(kTexts[static_cast<std::size_t>(remark.kind)]), remark.at,
                     remark.name, release.ToString());
}

// A plugin of which only the name and the cost are known: it passes every node and scores none.
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

// Adds stand-ins for plugins without code, and a warning for those without declared costs.
void AddStandIns(const std::vector<core::OutOfTreePlugin>& plugins, Scenario* scenario) {
  for (const core::OutOfTreePlugin& plugin : plugins) {
    const auto same = [&](const auto& known) { return known.name == plugin.name; };
    if (std::ranges::any_of(scenario->plugins, same)) continue;
    const auto declared = scenario->declared_plugins.find(plugin.name);
    const bool known = declared != scenario->declared_plugins.end();
    scenario->plugins.push_back({plugin.name, [costs = known ? declared->second : Default()] {
                                   return std::make_unique<NameOnly>(costs);
                                 }});
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

// A cost that was declared and that nothing takes.
void WarnOfIdleCosts(const core::Configuration& configuration, Scenario* scenario) {
  for (const auto& [name, declared] : scenario->declared_plugins) {
    const auto& known = scenario->plugins;
    const bool plays = std::ranges::find(known, name, &SchedulerPluginFactory::name) != known.end();
    for (const auto point : kube::All<core::ExtensionPoint>()) {
      const auto key = core::PluginPointOf(point);
      const bool given = (key && declared.seconds.contains(*key)) ||
                         (point == core::ExtensionPoint::kPermit && declared.permit_wait > 0);
      // The two that no profile lists.
      if (!given || *key == PluginPoint::kNormalizeScore || *key == PluginPoint::kUnreserve ||
          (plays && configuration.Runs(point, name))) {
        continue;
      }
      scenario->warnings.push_back(fmt::format(
          "scheduler.plugins.{}: its cost at {} is not used: {}", name, ToString(point),
          plays ? "no profile enables it there" : "no profile enables it, or it is in-tree"));
    }
  }
}

}  // namespace

core::Node NodeOf(const NodeGroup& group, int number, core::Strings& strings) {
  core::Node node;
  if (!group.manifest.empty()) {
    node = FromManifest(group.manifest, group.name, strings, core::ReadNodeManifest);
  }
  node.name = strings.Intern(fmt::format("{}-{}", group.name, number));
  SetLabel(node.labels, strings.Intern("kubernetes.io/hostname"), node.name);
  SetLabel(node.labels, strings.Intern("topology.kubernetes.io/zone"),
           strings.Intern(fmt::format("zone-{}", number % group.zones)));
  for (const auto& [key, value] : group.labels) {
    SetLabel(node.labels, strings.Intern(key), strings.Intern(value));
  }
  node.allocatable.milli_cpu = std::llround(group.cpu * 1000);
  node.allocatable.memory = std::llround(group.memory);
  node.allocatable.pods = group.pods;
  if (node.allocatable.ephemeral_storage == 0) node.allocatable.ephemeral_storage = 1LL << 40;
  for (const auto& [name, amount] : group.extended) {
    node.allocatable.AddScalar(strings.Intern(name), std::llround(amount));
  }
  return node;
}

core::PodSpec SpecOf(const PodTemplate& pod, core::Strings& strings) {
  core::PodSpec spec;
  if (pod.manifest.empty()) {
    Defaults(spec, pod, strings);
  } else {
    spec = FromManifest(pod.manifest, pod.name, strings, core::ReadPodManifest).spec;
    if (spec.labels.empty()) Defaults(spec, pod, strings);
  }
  spec.scheduler_name = strings.Intern(pod.profile);
  if (pod.priority != 0) spec.priority = pod.priority;
  if (spec.containers.empty()) {
    core::Container& container = spec.containers.emplace_back();
    container.requests.milli_cpu = std::llround(pod.cpu * 1000);
    container.requests.memory = std::llround(pod.memory);
    container.has_cpu = container.has_memory = true;
    container.image = strings.Intern(pod.name + ":latest");
  }
  core::Resources& requests = spec.containers.front().requests;
  for (const auto& [name, amount] : pod.extended) {
    requests.AddScalar(strings.Intern(name), std::llround(amount));
  }
  if (pod.never_fits == kFitPlugin) requests.AddScalar(strings.Intern(kNowhere), 1);
  if (pod.never_fits == kAffinityPlugin) {
    SetLabel(spec.node_selector, strings.Intern(kNowhere), strings.Intern("true"));
  }
  return spec;
}

void LeaveOutUnknownVolumes(bool claims_known, core::PodSpec& spec) {
  using Kind = core::PodVolume::Kind;
  std::erase_if(spec.volumes, [&](const core::PodVolume& volume) {
    return volume.kind == Kind::kEphemeral || (volume.kind == Kind::kClaim && !claims_known);
  });
}

unsigned FeaturesOf(const core::PodSpec& spec) {
  const bool node = !spec.node_selector.empty() || spec.node_affinity.required.has_value() ||
                    !spec.node_affinity.preferred.empty();
  return (node ? kFeatureAffinity : 0U) | (spec.host_ports.empty() ? 0U : kFeaturePorts) |
         (spec.volume_claims > 0 ? kFeatureVolumes : 0U) |
         (spec.spread.empty() ? 0U : kFeatureSpread) |
         (core::HasAffinity(spec) ? kFeatureInterPod : 0U);
}

void AddClusterObjects(const std::vector<ObjectText>& nodes, const std::vector<ObjectText>& pods,
                       double max_memory, Scenario* scenario) {
  auto objects =
      std::make_shared<core::Cluster>(scenario->release, std::make_shared<core::Strings>());
  // A file of pods may well hold the nodes too, as `kubectl get nodes,pods` prints both.
  core::Loaded loaded = Load(nodes, true, false, *objects);
  const core::Loaded with_pods = Load(pods, nodes.empty(), true, *objects);
  loaded.nodes += with_pods.nodes;
  if (!nodes.empty() && loaded.nodes == 0) {
    Raise(ErrorKind::kUsage, "{}: no Node in it", nodes.front().name);
  }
  if (!pods.empty() && with_pods.pods == 0) {
    Raise(ErrorKind::kUsage, "{}: no pod that waits or runs on a known node", pods.front().name);
  }
  if (loaded.nodes > 0) {
    for (NodeGroup& group : scenario->nodes) group.count = 0;
    if (scenario->nodes.empty()) scenario->nodes.emplace_back();  // what add_nodes adds
  }
  const core::Configuration configuration = ConfigurationOf(*scenario, false);
  std::vector<std::string> profiles;
  for (const auto& profile : configuration.profiles) profiles.push_back(profile.scheduler_name);
  scenario->first_object_template = scenario->templates.size();
  std::vector<std::string> names(static_cast<std::size_t>(objects->spec_limit()));
  for (core::PodId pod = 0; pod < objects->pod_limit(); ++pod) {
    const core::Pod& p = objects->pod(pod);
    if (p.alive) names[static_cast<std::size_t>(p.spec)] = p.name;
  }
  for (core::SpecId spec = 0; spec < objects->spec_limit(); ++spec) {
    scenario->templates.push_back(TemplateOf(*objects, spec,
                                             std::move(names[static_cast<std::size_t>(spec)]),
                                             profiles.front(), profiles));
  }
  for (Segment& segment : scenario->segments) {
    segment.conditions.weights.resize(scenario->templates.size(), 0);
    segment.conditions.template_costs.resize(scenario->templates.size());
  }
  scenario->ignored = IgnoredOf(*objects, loaded.ignored_fields, with_pods.ignored_fields);
  scenario->objects = std::move(objects);
  CheckScenario(*scenario, max_memory);
}

core::Configuration ConfigurationOf(const Scenario& scenario, bool simple) {
  core::Configuration out;
  if (scenario.configuration.empty()) {
    out = core::DefaultConfiguration(scenario.release);
    // Every profile that a template names has the default plugins.
    for (const PodTemplate& pod : scenario.templates) {
      const auto same = [&](const auto& p) { return p.scheduler_name == pod.profile; };
      if (std::ranges::any_of(out.profiles, same)) continue;
      out.profiles.push_back(out.profiles.front());
      out.profiles.back().scheduler_name = pod.profile;
    }
    for (core::Profile& profile : out.profiles) EnableEverywhere(scenario.plugins, profile);
  } else {
    core::FoundInFile said_before;
    out = core::ReadConfiguration(scenario.configuration, "scheduler.configuration",
                                  scenario.release, NamesOf(scenario.plugins), &said_before);
  }
  out.percentage_of_nodes_to_score = scenario.percentage_of_nodes;
  if (out.extenders.empty()) out.extenders.resize(scenario.extenders.size());
  if (simple) {
    for (core::Profile& profile : out.profiles) Simplify(profile);
  }
  return out;
}

void ApplyConfiguration(Scenario* scenario) {
  if (scenario->configuration.empty()) return;
  core::FoundInFile found;
  const std::vector<std::string> own = NamesOf(scenario->plugins);
  const core::Configuration from = core::ReadConfiguration(
      scenario->configuration, "scheduler.configuration", scenario->release, own, &found);
  AddStandIns(found.out_of_tree, scenario);
  for (const core::ConfigurationRemark& remark : found.remarks) {
    scenario->warnings.push_back(TextOf(remark, scenario->release));
  }
  for (const std::string& name : own) {
    const auto runs = [&](core::ExtensionPoint point) { return from.Runs(point, name); };
    if (std::ranges::none_of(kube::All<core::ExtensionPoint>(), runs)) {
      scenario->warnings.push_back(
          fmt::format("plugin `{}` is in no profile of the configuration: it does not run", name));
    }
  }
  WarnOfIdleCosts(from, scenario);
  scenario->qps = from.client_qps;
  scenario->client_burst = from.client_burst;
  scenario->initial_backoff = from.pod_initial_backoff_seconds;
  scenario->max_backoff = from.pod_max_backoff_seconds;
  scenario->percentage_of_nodes = from.percentage_of_nodes_to_score;
  scenario->parallelism = from.parallelism;
  scenario->preemption = from.Runs(core::ExtensionPoint::kPostFilter, "DefaultPreemption");
  for (const core::ExtenderConfiguration& extender : from.extenders) {
    scenario->extenders.push_back(ExtenderOf(extender));
  }
}

}  // namespace schedlens::sim
