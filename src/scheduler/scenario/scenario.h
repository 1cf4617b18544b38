#pragma once

// What is simulated: cluster, workload, scheduler, costs, faults, scraping. Read from YAML or built
// in code. src/scheduler/scenario/builtin/README.md documents the YAML key by key.

#include "base/text.h"
#include "schedlens/plugin.h"
#include "scheduler/base/distribution.h"
#include "scheduler/base/time.h"
#include "scheduler/cluster/objects.h"
#include "scheduler/cost/unit_costs.h"
#include "scheduler/framework/configuration.h"

namespace YAML {
class Node;
}

namespace schedlens::sim {

namespace core {
class Cluster;
}

/// Whether it is CPU work of the scheduler.
constexpr bool IsCpuWork(Cost cost) { return cost <= Cost::kFailure; }

/// Wall time of one step: a distribution plus worker time proportional to the nodes looked at and
/// to the pods running in the cluster. Per-node work is spread over the loop's workers.
struct StepCost {
  /// CPU work: its time comes from what there is to do (scheduler/cost), and the rest here says
  /// only what it took where nobody counted. Extenders' calls: own work is added to `wall`.
  bool computed = false;
  Distribution wall{};
  double per_node = 0;  ///< seconds of worker time a node
  double per_pod = 0;   ///< seconds of worker time a running pod

  /// It takes no time, whatever there is.
  bool IsNothing() const { return wall.IsZero() && !computed && !(per_node > 0) && !(per_pod > 0); }
};

/// What every step costs during some time.
struct Costs {
  std::array<StepCost, kCostCount> steps;
  /// One factor an attempt, multiplies all its CPU work: a noisy machine, garbage collection.
  Distribution noise = Distribution::Constant(1);
  // Probabilities of failure, each per attempt that gets there.
  double filter_error = 0;     ///< internal error of a Filter plugin
  double prefilter_error = 0;  ///< internal error of a PreFilter plugin
  double claim_late = 0;       ///< a pod is tried before its claim is in the cache
  double reserve_error = 0, prebind_error = 0;
  double bind_error = 0;  ///< the API server refuses the binding (500)
  double ext_filter_error = 0, ext_bind_error = 0;

  StepCost& operator[](Cost cost) { return steps[static_cast<std::size_t>(cost)]; }
  const StepCost& operator[](Cost cost) const { return steps[static_cast<std::size_t>(cost)]; }

  /// A quiet scheduler on an idle machine (1.20 to 1.26, 50 nodes, measured); CPU work is computed.
  static Costs Default();
};

/// Costs of one pod template that differ from the common ones.
using CostOverrides = std::vector<std::pair<Cost, StepCost>>;

/// An admission webhook, called when something is created.
struct Webhook {
  std::string name;
  std::string resource = "pods/binding";  ///< as in its rule: also `pods`, `pods/*`, `*/*`
  bool mutating = false;                  ///< those run one after another, the others all at once
  Distribution cost = Distribution::LogNormal(0.004, 0.4);
  double fail = 0;      ///< how often it answers 500
  bool ignore = false;  ///< failurePolicy Ignore: a failure lets the request through
  double timeout = 10;  ///< seconds; a later answer is a failure

  /// Whether its rule matches `pods`, or with `subresource` pods/binding.
  bool Matches(bool subresource) const;
};

/// What a request meets on the binding path: network, the API server's queues and webhooks, etcd.
struct RequestPath {
  bool on = false;
  int instances = 1;       ///< API servers; the scheduler talks to the first
  bool spread = false;     ///< its bindings go round all of them instead
  int slow_instance = 0;   ///< the number of the one that takes longer; 0: none does
  Distribution slow_cost;  ///< by so much a request
  std::vector<Webhook> webhooks;
  Distribution admission = Distribution::LogNormal(0.0003, 0.3);  ///< what is built in
  // Priority and fairness: the scheduler's level.
  int seats = 0;               ///< 0: more than ever wanted
  double neighbours_rate = 0;  ///< requests a second of others on that level
  Distribution neighbours_cost = Distribution::LogNormal(0.02, 0.5);
  // etcd: one member.
  Distribution fsync = Distribution::LogNormal(0.002, 0.4);
  Distribution etcd_network = Distribution::Constant(0.0005);  ///< to etcd and back
  // The API server's processors, shared by all that runs.
  int cores = 0;              ///< 0: more than ever wanted
  Distribution request_cost;  ///< CPU seconds of one of our requests
  double readers_rate = 0;    ///< lists by others, a second
  Distribution readers_cost;  ///< CPU seconds of one
  // Audit backend.
  Distribution audit;           ///< of one event
  bool audit_blocking = false;  ///< the answer waits for it
  // Between scheduler and API server, both ways together.
  Distribution network;
};

/// Nodes of one shape. `capacity` keys are resource names: cpu in cores, memory in bytes.
struct NodeGroup {
  std::string name = "node";
  int count = 0;
  double cpu = 64;                     ///< cores
  double memory = 256.0 * (1u << 30);  ///< bytes
  int pods = 110;
  int zones = 1;  ///< spread over this many zones, zone-0, zone-1, ...
  std::map<std::string, double> extended = {};
  std::map<std::string, std::string> labels = {};
  std::string manifest = {};  ///< more of the Node object, as YAML text ("" if none)
};

/// The plugins that a template can be rejected by on every node.
inline constexpr std::string_view kFitPlugin = "NodeResourcesFit";
inline constexpr std::string_view kAffinityPlugin = "NodeAffinity";

/// Pods of one shape.
struct PodTemplate {
  std::string name = "web", namespace_name = "default";
  std::string owner;                   ///< the Deployment of its pods; "" is one called `name`
  double cpu = 0.1;                    ///< cores
  double memory = 128.0 * (1u << 20);  ///< bytes
  std::int32_t priority = 0;
  std::string profile = "default-scheduler";
  std::map<std::string, double> extended;
  bool claim = false;      ///< a late-bound PVC: PreBind polls once a second until it is bound
  int bound_claims = 0;    ///< volume claims that are bound already: they cost calls, nothing waits
  int gang = 0;            ///< pods of one group wait on Permit until that many are there
  std::string never_fits;  ///< kFitPlugin or kAffinityPlugin rejects it on every node, "" if not
  double spread_rejects =
      0;  ///< share of nodes that PodTopologySpread rejects, of those that other plugins accept
  unsigned features = 0;       ///< bits of Feature: which plugins have work for it
  Distribution life;           ///< from bound until deleted; zero: for ever
  Distribution pending_life;   ///< deleted if not bound after this long; zero: waits for ever
  bool condition_set = false;  ///< its status says PodScheduled=False from the start
  bool once = false;           ///< never tried again
  Distribution grace;          ///< from a victim's DELETE until it is gone
  CostOverrides costs;
  std::string manifest;           ///< more of the Pod object, as YAML text ("" if none)
  std::int32_t object_spec = -1;  ///< of a real object: its spec in Scenario::objects
};

/// The name of a template's pod, as namespace/name; `number` counts from 1.
std::string TemplatePodName(const PodTemplate& pod, std::uint32_t number);

/// Everything a fault may change.
struct Conditions {
  double rate = 20;             ///< pods a second, Poisson
  int burst = 1;                ///< pods per arrival
  std::vector<double> weights;  ///< of the templates, same order
  Costs costs;
  std::vector<CostOverrides> template_costs;  ///< same order as the templates
  int cores = 0;                              ///< GOMAXPROCS; 0: two that nobody else wants
  bool gc = false;                            ///< whether garbage is collected
  cost::UnitCosts units;                      ///< what computed costs are made of
  RequestPath path;                           ///< off unless the scenario has `apiserver`
  double slice = 0.01;  ///< how long a goroutine keeps a processor that others want
};

/// Conditions that hold from `start` until the next segment.
struct Segment {
  Nanos start = 0;
  Conditions conditions;
};

enum class ActionKind {
  kRestart,       ///< the leader's process dies and is back after `length`
  kLeaderChange,  ///< the leader dies, a standby takes over after `length`; the dead one comes back
                  ///< idle
  kDeleteNodes,   ///< `count` nodes vanish with their pods
  kAddNodes,      ///< `count` nodes like the first group's
  kUnreachable,   ///< scrapes of every replica fail for `length`; the schedulers work on
  kBurst,         ///< `count` pods of `pod_template` at once
  kRollOut,       ///< a deployment: `count` pods, at most `surge` of them pending at a time
  kUngate,        ///< `count` pods of `pod_template` lose their scheduling gates, oldest first
};

struct Action {
  Nanos at = 0;
  ActionKind kind = ActionKind::kRestart;
  Nanos length = 3 * kSecond;
  int count = 0, surge = 1;
  std::size_t pod_template = 0;
  bool any_template = true;  ///< of kUngate: none was named
};

/// One extender. An absent verb means no HTTP call for that step.
struct Extender {
  bool filter = false, prioritize = false, preempt = false, bind = false;
  /// Asked only for pods that request any of these resources; empty: for every pod.
  std::vector<std::string> managed = {};
  bool ignorable = false;
  double timeout = 5;       ///< seconds
  double rejects = 0;       ///< share of the nodes that its filter takes off
  bool names_only = false;  ///< nodeCacheCapable: calls carry the nodes' names, not the objects
  std::int64_t weight = 1;  ///< of its scores

  bool IsInterested(const PodTemplate& pod) const {
    return managed.empty() || std::ranges::any_of(managed, [&](const std::string& resource) {
             return pod.extended.contains(resource);
           });
  }
};

/// What a scenario says of a plugin that it has only the name of.
struct DeclaredPlugin {
  std::map<PluginPoint, double> seconds;  ///< of a call; Filter and Score: a node
  double permit_wait = 0;                 ///< seconds that a pod waits on Permit
};

struct Scenario {
  std::string name = "scenario";
  std::string description;
  std::vector<std::string> findings;  ///< finding ids it is expected to show, the cause first
  std::vector<std::string> behind;    ///< the true causes behind the first one, `id object`
  Release release;
  std::string ignored;    ///< what is not played of the objects, with counts; empty: nothing
  std::string note;       ///< set when this release does not have what fails in it
  std::string cost_note;  ///< set when this release's unit costs were not measured
  double severity = 1;

  std::vector<NodeGroup> nodes;
  int running = 0;  ///< pods of the first template that run from the start and never end
  std::vector<PodTemplate> templates;
  std::vector<Segment> segments;  ///< at least one; the first starts at 0
  std::vector<Action> actions;    ///< by time
  std::vector<Extender> extenders;

  double qps = 50, client_burst = 100;
  double initial_backoff = 1, max_backoff = 10;
  int percentage_of_nodes = 0, parallelism = 16;
  double permit_timeout = 60;
  bool pod_groups = false;              ///< GenericWorkload and GangScheduling; nothing before 1.36
  std::optional<bool> async_api_calls;  ///< unset: the release's default; before 1.34 always off
  bool preemption = true;
  bool simple_placement = false;  ///< true: only node affinity and resources decide
  std::string configuration;      ///< KubeSchedulerConfiguration, YAML text ("" if none)
  std::vector<SchedulerPluginFactory> plugins;  ///< from outside the tree, stand-ins included
  std::map<std::string, DeclaredPlugin> declared_plugins;
  std::vector<std::string> warnings;             ///< one line each, for whoever runs it
  std::shared_ptr<const core::Cluster> objects;  ///< real nodes and pods, null without
  std::size_t first_object_template = 0;         ///< the template of their spec 0

  Nanos duration = 630 * kSecond;
  Nanos incident_start = 150 * kSecond, incident_end = 510 * kSecond;

  int replicas = 1;
  Nanos scrape_interval = 5 * kSecond, scrape_jitter = 2 * kMillisecond;
  std::string api_host = "10.0.0.1:6443";
  TimeMs start_time = 1'767'225'600'000;  ///< wall-clock time of virtual time 0

  /// Worker time of a plugin at an extension point relative to its default share: weights by
  /// `Point/Plugin`, e.g. `PreScore/InterPodAffinity`.
  std::map<std::string, double> plugin_weights;

  /// The conditions at a time.
  const Conditions& At(Nanos t) const;
  int NodeCount() const;
  bool AsyncApiCalls() const {
    return release.minor >= 34 && async_api_calls.value_or(release.async_api_calls());
  }
  /// Pods of a group are tried together, in one cycle, instead of waiting for each other on Permit.
  bool PodGroups() const { return release.minor >= 36 && pod_groups; }
  /// Rough bytes a run needs, attempts kept.
  double EstimateMemory() const;
};

/// A file's text and its name for messages.
struct ObjectText {
  std::string name, text;
};

struct ScenarioOptions {
  double severity = 1;
  std::string kubernetes_version;        ///< overrides the file's; "" keeps it
  double max_memory = 2.0 * (1u << 30);  ///< bytes
  /// Real nodes and pods, as `kubectl get ... -o json` prints them; see AddClusterObjects.
  std::vector<ObjectText> nodes = {}, pods = {};
  /// Plugins with code. Those that the configuration does not name run nowhere; without a
  /// configuration each runs in every profile, at all points, with weight 1.
  std::vector<SchedulerPluginFactory> plugins = {};
};

/// Reads a scenario. Throws Error(kUsage) with `name`, line and what is wrong: YAML that does not
/// parse, unknown keys (the nearest known one is named), numbers out of range, no nodes, more
/// memory than allowed.
Scenario ParseScenario(std::string_view yaml, const std::string& name,
                       const ScenarioOptions& options = {});

/// The same of a YAML mapping, without the objects of `options`; what it says together is not
/// checked. Throws Error(kUsage) with file, line and path.
Scenario ReadScenario(const YAML::Node& root, const std::string& file,
                      const ScenarioOptions& options);

/// A built-in scenario's name or a file. Throws Error(kUsage) if it is neither.
Scenario LoadScenario(const std::string& name_or_file, const ScenarioOptions& options = {});

/// Throws Error(kUsage) in one line if the scenario cannot be run; ParseScenario calls it.
void CheckScenario(const Scenario& scenario, double max_memory);

/// Sorted by name.
const std::vector<EmbeddedFile>& BuiltinScenarios();
/// One entry: the explanation of every key (src/scheduler/scenario/builtin/README.md).
const std::vector<EmbeddedFile>& ScenarioKeys();

// The cluster as Kubernetes objects, of its node groups and pod templates or real ones, and the
// scheduler as a KubeSchedulerConfiguration.

/// Node `number` of the group. Throws Error(kUsage) for an invalid manifest.
core::Node NodeOf(const NodeGroup& group, int number, core::Strings& strings);
/// What the template's pods have in common. Throws as NodeOf.
core::PodSpec SpecOf(const PodTemplate& pod, core::Strings& strings);
/// Takes volumes off a spec that cannot be played: claims if the objects hold none (a file of nodes
/// and pods only), and those of ephemeral volumes, which are a pod's own.
void LeaveOutUnknownVolumes(bool claims_known, core::PodSpec& spec);
/// Bits of Feature that a spec's plugins have work for.
unsigned FeaturesOf(const core::PodSpec& spec);

/// The KubeSchedulerConfiguration that the scenario asks for, its own settings on top; with
/// `simple` cut down as `placement: simple` asks. Throws Error(kUsage) with the line.
core::Configuration ConfigurationOf(const Scenario& scenario, bool simple);
/// Takes client limits, back-off, extenders and the like from `scenario.configuration`.
void ApplyConfiguration(Scenario* scenario);

/// What a plugin takes that nobody has measured: seconds a node (Filter, Score) or call.
inline constexpr double kDefaultNodeSeconds = 1e-6;
inline constexpr double kDefaultCallSeconds = 5e-6;

/// Replaces the scenario's nodes by those of `nodes` (if given) and adds the pods of `pods`: bound
/// ones run from the start and never end, pending ones wait from the start. Both are what `kubectl
/// get nodes,pods -A -o json` prints; Services and budgets in them count too. Throws Error: kFailed
/// for text that is not such a List, kUsage if no node is left or memory is above `max_memory`.
void AddClusterObjects(const std::vector<ObjectText>& nodes, const std::vector<ObjectText>& pods,
                       double max_memory, Scenario* scenario);

}  // namespace schedlens::sim
