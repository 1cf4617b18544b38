#include "sim/scenario/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schedlens/error.h"
#include "sim/cluster/objects_json.h"
#include "sim/framework/plugin_points.h"

namespace schedlens::sim {
namespace {

// No node has it: what a template that never fits asks for.
constexpr std::string_view kNowhere = "schedlens.io/nowhere";

void SetLabel(core::ObjectLabels& labels, core::Id key, core::Id value) {
  const auto at = std::find_if(labels.begin(), labels.end(),
                               [&](const core::Label& label) { return label.key >= key; });
  if (at != labels.end() && at->key == key) {
    at->value = value;
  } else {
    labels.insert(at, {key, value});
  }
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
  const bool pods = !spec.required_affinity.empty() || !spec.required_anti_affinity.empty() ||
                    !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
  return (node ? kFeatureAffinity : 0U) | (spec.host_ports.empty() ? 0U : kFeaturePorts) |
         (spec.volume_claims > 0 ? kFeatureVolumes : 0U) |
         (spec.spread.empty() ? 0U : kFeatureSpread) | (pods ? kFeatureInterPod : 0U);
}

namespace {

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
  const bool known = std::find(profiles.begin(), profiles.end(), profile) != profiles.end();
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

}  // namespace

void AddClusterObjects(const std::vector<ObjectText>& nodes, const std::vector<ObjectText>& pods,
                       double max_memory, Scenario* scenario) {
  auto objects =
      std::make_shared<core::Cluster>(scenario->release, std::make_shared<core::Strings>());
  // A file of pods may well hold the nodes too, as `kubectl get nodes,pods` prints both.
  core::Loaded loaded = Load(nodes, true, false, *objects);
  const core::Loaded with_pods = Load(pods, nodes.empty(), true, *objects);
  loaded.nodes += with_pods.nodes;
  if (!nodes.empty() && loaded.nodes == 0) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: no Node in it", nodes.front().name));
  }
  if (!pods.empty() && with_pods.pods == 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no pod that waits or runs on a known node", pods.front().name));
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

}  // namespace schedlens::sim
