#include "sim/engine/state_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace schedlens::sim {
namespace {

constexpr std::string_view kInstance = "10.0.3.1:8080";
constexpr std::string_view kReplicaSetHash = "7f9c";  // one roll-out each

std::string OwnerOf(const PodTemplate& shape) {
  return shape.owner.empty() ? shape.name : shape.owner;
}

std::string ReplicaSetOf(const PodTemplate& shape) {
  return fmt::format("{}-{}", OwnerOf(shape), kReplicaSetHash);
}

}  // namespace

StateMetrics::StateMetrics(const RunState& run, const World& world)
    : run_(run), world_(world), release_(kube::KubeStateMetricsOf(run.scenario.release.minor)) {
  series_.emplace_back();  // place 0: up
  series_.front().labels =
      Labels({{std::string(kMetricName), "up"},
              {"instance", std::string(kInstance)},
              {"job", std::string(ToString(kube::Component::kKubeStateMetrics))}});
}

std::size_t StateMetrics::Add(Neighbour metric, const LabelList& labels) {
  const kube::NeighbourRow& row = RowOf(metric);
  std::vector<Labels::Pair> pairs = {
      {std::string(kMetricName), std::string(row.name)},
      {"instance", std::string(kInstance)},
      {"job", std::string(ToString(kube::Component::kKubeStateMetrics))}};
  const std::vector<std::string_view>& known = EraIn(row, release_).labels;
  for (const auto& [name, value] : labels) {
    if (std::find(known.begin(), known.end(), name) == known.end()) continue;
    pairs.emplace_back(std::string(name), std::string(value));
  }
  series_.emplace_back();
  series_.back().labels = Labels(pairs);
  return series_.size() - 1;
}

void StateMetrics::Put(Neighbour metric, const LabelList& labels, double value) {
  if (PresenceIn(RowOf(metric), release_) != kube::Presence::kVisible) return;
  std::vector<Labels::View> key = {{kMetricName, kube::NameOf(metric)}};
  key.insert(key.end(), labels.begin(), labels.end());
  const auto [found, fresh] = by_labels_.try_emplace(Labels(key), 0);
  if (fresh) found->second = Add(metric, labels);
  Put(found->second, value);
}

double StateMetrics::Seconds(Nanos t) const {
  return std::floor(static_cast<double>(run_.scenario.start_time) / 1000 + ToSeconds(t));
}

StateMetrics::LabelList StateMetrics::LabelsOf(std::uint32_t pod) {
  const SimulatedPod& p = world_.pods()[pod];
  const PodTemplate& shape = run_.scenario.templates[p.pod_template];
  name_ = fmt::format("{}-{:06}", shape.name, p.number);
  uid_ = fmt::format("00000000-0000-4000-8000-{:012x}", pod);
  return {{"namespace", shape.namespace_name}, {"pod", name_}, {"uid", uid_}};
}

void StateMetrics::AddPod(std::uint32_t pod) {
  const PodTemplate& shape = run_.scenario.templates[world_.pods()[pod].pod_template];
  const std::string owner = ReplicaSetOf(shape);
  LabelList labels = LabelsOf(pod);
  pods_[pod].created = Add(Neighbour::kKubePodCreated, labels);
  for (const auto& label : {NamedLabel{"owner_kind", "ReplicaSet"}, NamedLabel{"owner_name", owner},
                            NamedLabel{"owner_is_controller", "true"}}) {
    labels.push_back(label);
  }
  Add(Neighbour::kKubePodOwner, labels);
  labels.insert(
      labels.end(),
      {{"created_by_kind", "ReplicaSet"}, {"created_by_name", owner}, {"host_network", "false"}});
  Add(Neighbour::kKubePodInfo, labels);
  for (const std::string_view condition : {"true", "false", "unknown"}) {
    labels = LabelsOf(pod);
    labels.emplace_back("condition", condition);
    Add(Neighbour::kKubePodStatusScheduled, labels);
  }
}

void StateMetrics::AddBound(std::uint32_t pod) {
  const SimulatedPod& p = world_.pods()[pod];
  const std::string owner = ReplicaSetOf(run_.scenario.templates[p.pod_template]);
  const std::string node = world_.placement().NodeName(p.node);
  LabelList labels = LabelsOf(pod);
  pods_[pod].bound = Add(Neighbour::kKubePodStatusScheduledTime, labels);
  labels.insert(labels.end(), {{"created_by_kind", "ReplicaSet"},
                               {"created_by_name", owner},
                               {"host_network", "false"},
                               {"node", node}});
  Add(Neighbour::kKubePodInfo, labels);
}

void StateMetrics::ScrapePod(std::uint32_t pod) {
  const SimulatedPod& p = world_.pods()[pod];
  if (p.phase == PodPhase::kGone) return;
  const bool bound = p.phase == PodPhase::kBound;
  if (pods_[pod].created == 0) AddPod(pod);
  if (bound && pods_[pod].bound == 0) AddBound(pod);
  const PodSlots& slots = pods_[pod];
  Put(slots.created, Seconds(p.created));
  Put(slots.created + 1, 1);
  if (bound) {
    Put(slots.bound, Seconds(p.bound_at));
    Put(slots.bound + 1, 1);
  } else {
    Put(slots.created + 2, 1);
    if (!p.condition_set) return;  // nobody has tried it yet
  }
  Put(slots.created + 3, bound ? 1 : 0);
  Put(slots.created + 4, bound ? 0 : 1);
  Put(slots.created + 5, 0);
}

void StateMetrics::ScrapeWorkloads() {
  std::map<std::pair<std::string, std::string>, int> replicas;
  for (const PodTemplate& shape : run_.scenario.templates) {
    replicas[{shape.namespace_name, OwnerOf(shape)}];
  }
  for (const SimulatedPod& pod : world_.pods()) {
    if (pod.phase == PodPhase::kGone) continue;
    const PodTemplate& shape = run_.scenario.templates[pod.pod_template];
    ++replicas[{shape.namespace_name, OwnerOf(shape)}];
  }
  for (const auto& [workload, count] : replicas) {
    const auto& [name_space, owner] = workload;
    const LabelList deployment = {{"namespace", name_space}, {"deployment", owner}};
    Put(Neighbour::kKubeDeploymentCreated, deployment, Seconds(0));
    Put(Neighbour::kKubeDeploymentMetadataGeneration, deployment, 1);
    Put(Neighbour::kKubeDeploymentStatusObservedGeneration, deployment, 1);
    Put(Neighbour::kKubeDeploymentSpecReplicas, deployment, count);
    const std::string set = fmt::format("{}-{}", owner, kReplicaSetHash);
    const LabelList replica_set = {{"namespace", name_space}, {"replicaset", set}};
    Put(Neighbour::kKubeReplicasetCreated, replica_set, Seconds(0));
    Put(Neighbour::kKubeReplicasetOwner,
        {{"namespace", name_space},
         {"replicaset", set},
         {"owner_kind", "Deployment"},
         {"owner_name", owner},
         {"owner_is_controller", "true"}},
        1);
  }
}

void StateMetrics::ScrapeNodes() {
  const std::string version = fmt::format("v1.{}.0", run_.scenario.release.minor);
  for (int node = 0; node < world_.placement().node_slots(); ++node) {
    if (!world_.placement().alive(node)) continue;
    const std::string name = world_.placement().NodeName(node);
    Put(Neighbour::kKubeNodeCreated, {{"node", name}}, Seconds(0));
    Put(Neighbour::kKubeNodeInfo, {{"node", name}, {"kubelet_version", version}}, 1);
    Put(Neighbour::kKubeNodeSpecUnschedulable, {{"node", name}}, 0);
  }
}

// One configuration a webhook.
void StateMetrics::ScrapeWebhooks() {
  for (const Webhook& webhook : run_.conditions->path.webhooks) {
    const auto [since, fresh] = webhooks_since_.try_emplace(webhook.name, 0);
    if (fresh) {
      for (const Segment& segment : run_.scenario.segments) {
        if (segment.start <= run_.now && &segment.conditions == run_.conditions) {
          since->second = segment.start;
        }
      }
    }
    const std::string_view kind =
        webhook.mutating ? "mutatingwebhookconfiguration" : "validatingwebhookconfiguration";
    const LabelList labels = {{kind, webhook.name}};
    Put(webhook.mutating ? Neighbour::kKubeMutatingwebhookconfigurationCreated
                         : Neighbour::kKubeValidatingwebhookconfigurationCreated,
        labels, Seconds(since->second));
    Put(webhook.mutating ? Neighbour::kKubeMutatingwebhookconfigurationMetadataResourceVersion
                         : Neighbour::kKubeValidatingwebhookconfigurationMetadataResourceVersion,
        labels, 1000 + std::floor(ToSeconds(since->second)));
  }
}

void StateMetrics::Scrape() {
  now_ = run_.scenario.start_time + run_.now / kMillisecond;
  Put(0, 1);
  pods_.resize(world_.pods().size());
  for (std::uint32_t pod = 0; pod < pods_.size(); ++pod) ScrapePod(pod);
  ScrapeWorkloads();
  ScrapeNodes();
  ScrapeWebhooks();
}

void StateMetrics::MoveInto(Exposition* out) {
  for (Series& series : series_) {
    if (!series.samples.empty()) out->series.push_back(std::move(series));
  }
  series_.clear();
}

}  // namespace schedlens::sim
