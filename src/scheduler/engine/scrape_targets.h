#pragma once

// A Prometheus that scrapes every replica and, if the scenario has an API server, what is beside
// the schedulers: API servers, etcd, kube-state-metrics.

#include <stdexcept>

#include "scheduler/engine/api_server.h"
#include "scheduler/engine/replicas.h"

namespace schedlens::sim {

// kube-state-metrics: the cluster's objects as series, each as long as its object. Time stamps are
// whole seconds, as those of objects are.
class StateMetrics {
 public:
  StateMetrics(const RunState& run, const World& world)
      : run_(run), world_(world), release_(kube::KubeStateMetricsOf(run.scenario.release.minor)) {
    series_.emplace_back();  // place 0: up
    series_.front().labels =
        Labels({{std::string(kMetricName), "up"},
                {"instance", std::string(kInstance)},
                {"job", std::string(ToString(kube::Component::kKubeStateMetrics))}});
  }

  /// A sample of everything that exists now.
  void Scrape() {
    now_ = run_.scenario.start_time + run_.now / kMillisecond;
    Put(0, 1);
    pods_.resize(world_.pods().size());
    for (std::uint32_t pod = 0; pod < pods_.size(); ++pod) ScrapePod(pod);
    ScrapeWorkloads();
    ScrapeNodes();
    ScrapeWebhooks();
  }

  void MoveInto(Exposition* out) {
    for (Series& series : series_) {
      if (!series.samples.empty()) out->series.push_back(std::move(series));
    }
    series_.clear();
  }

 private:
  using enum kube::Metric;
  using LabelList = std::vector<NamedLabel>;
  static constexpr std::string_view kInstance = "10.0.3.1:8080";
  static constexpr std::string_view kReplicaSetHash = "7f9c";  // one roll-out each
  /// Places of a pod's series.
  struct PodSlots {
    std::size_t created = 0;  ///< created, owner, info without a node, three of scheduled
    std::size_t bound = 0;    ///< scheduled_time, info with its node; 0: not bound yet
  };

  std::size_t Add(ControlPlaneMetric metric, const LabelList& labels) {
    const kube::ControlPlaneMetricRow& row = RowOf(metric);
    std::vector<Labels::Pair> pairs = {
        {std::string(kMetricName), std::string(row.name)},
        {"instance", std::string(kInstance)},
        {"job", std::string(ToString(kube::Component::kKubeStateMetrics))}};
    const std::vector<std::string_view>& known = EraIn(row, release_).labels;
    for (const auto& [name, value] : labels) {
      if (std::ranges::find(known, name) == known.end()) continue;
      pairs.emplace_back(std::string(name), std::string(value));
    }
    series_.emplace_back();
    series_.back().labels = Labels(pairs);
    return series_.size() - 1;
  }

  void Put(std::size_t slot, double value) { series_[slot].samples.push_back({now_, value}); }

  /// A series found by its labels; for what is few.
  void Put(ControlPlaneMetric metric, const LabelList& labels, double value) {
    if (PresenceIn(RowOf(metric), release_) != kube::Presence::kVisible) return;
    std::vector<Labels::View> key = {{kMetricName, kube::NameOf(metric)}};
    key.insert(key.end(), labels.begin(), labels.end());
    const auto [found, fresh] = by_labels_.try_emplace(Labels(key), 0);
    if (fresh) found->second = Add(metric, labels);
    Put(found->second, value);
  }

  static std::string OwnerOf(const PodTemplate& shape) {
    return shape.owner.empty() ? shape.name : shape.owner;
  }
  static std::string ReplicaSetOf(const std::string& owner) {
    return fmt::format("{}-{}", owner, kReplicaSetHash);
  }
  double Seconds(Nanos t) const {
    return std::floor(static_cast<double>(run_.scenario.start_time) / 1000 + ToSeconds(t));
  }

  void ScrapePod(std::uint32_t pod) {
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

  void AddPod(std::uint32_t pod) {
    const PodTemplate& shape = run_.scenario.templates[world_.pods()[pod].pod_template];
    const std::string owner = ReplicaSetOf(OwnerOf(shape));
    LabelList labels = LabelsOf(pod);
    pods_[pod].created = Add(kKubePodCreated, labels);
    labels.insert(
        labels.end(),
        {{"owner_kind", "ReplicaSet"}, {"owner_name", owner}, {"owner_is_controller", "true"}});
    Add(kKubePodOwner, labels);
    labels.insert(
        labels.end(),
        {{"created_by_kind", "ReplicaSet"}, {"created_by_name", owner}, {"host_network", "false"}});
    Add(kKubePodInfo, labels);
    for (const std::string_view condition : {"true", "false", "unknown"}) {
      labels = LabelsOf(pod);
      labels.emplace_back("condition", condition);
      Add(kKubePodStatusScheduled, labels);
    }
  }

  void AddBound(std::uint32_t pod) {
    const SimulatedPod& p = world_.pods()[pod];
    const std::string owner = ReplicaSetOf(OwnerOf(run_.scenario.templates[p.pod_template]));
    const std::string node = world_.placement().NodeName(p.node);
    LabelList labels = LabelsOf(pod);
    pods_[pod].bound = Add(kKubePodStatusScheduledTime, labels);
    labels.insert(labels.end(), {{"created_by_kind", "ReplicaSet"},
                                 {"created_by_name", owner},
                                 {"host_network", "false"},
                                 {"node", node}});
    Add(kKubePodInfo, labels);
  }

  LabelList LabelsOf(std::uint32_t pod) {
    const SimulatedPod& p = world_.pods()[pod];
    const PodTemplate& shape = run_.scenario.templates[p.pod_template];
    name_ = fmt::format("{}-{:06}", shape.name, p.number);
    uid_ = fmt::format("00000000-0000-4000-8000-{:012x}", pod);
    return {{"namespace", shape.namespace_name}, {"pod", name_}, {"uid", uid_}};
  }

  void ScrapeWorkloads() {
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
      Put(kKubeDeploymentCreated, deployment, Seconds(0));
      Put(kKubeDeploymentMetadataGeneration, deployment, 1);
      Put(kKubeDeploymentStatusObservedGeneration, deployment, 1);
      Put(kKubeDeploymentSpecReplicas, deployment, count);
      const std::string set = ReplicaSetOf(owner);
      const LabelList replica_set = {{"namespace", name_space}, {"replicaset", set}};
      Put(kKubeReplicasetCreated, replica_set, Seconds(0));
      Put(kKubeReplicasetOwner,
          {{"namespace", name_space},
           {"replicaset", set},
           {"owner_kind", "Deployment"},
           {"owner_name", owner},
           {"owner_is_controller", "true"}},
          1);
    }
  }

  void ScrapeNodes() {
    const std::string version = fmt::format("v1.{}.0", run_.scenario.release.minor);
    for (int node = 0; node < world_.placement().node_slots(); ++node) {
      if (!world_.placement().alive(node)) continue;
      const std::string name = world_.placement().NodeName(node);
      Put(kKubeNodeCreated, {{"node", name}}, Seconds(0));
      Put(kKubeNodeInfo, {{"node", name}, {"kubelet_version", version}}, 1);
      Put(kKubeNodeSpecUnschedulable, {{"node", name}}, 0);
    }
  }

  // One configuration a webhook.
  void ScrapeWebhooks() {
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
      Put(webhook.mutating ? kKubeMutatingwebhookconfigurationCreated
                           : kKubeValidatingwebhookconfigurationCreated,
          labels, Seconds(since->second));
      Put(webhook.mutating ? kKubeMutatingwebhookconfigurationMetadataResourceVersion
                           : kKubeValidatingwebhookconfigurationMetadataResourceVersion,
          labels, 1000 + std::floor(ToSeconds(since->second)));
    }
  }

  const RunState& run_;
  const World& world_;
  int release_;  // minor of 2.x
  TimeMs now_ = 0;
  std::vector<Series> series_;
  std::vector<PodSlots> pods_;
  std::string name_, uid_;  // of the pod at hand
  std::map<Labels, std::size_t> by_labels_;
  std::map<std::string, Nanos> webhooks_since_;
};

class ScrapeTargets {
 public:
  ScrapeTargets(RunState& run, const World& world, Replicas& replicas, ApiServer& server)
      : run_(run), world_(world), replicas_(replicas), server_(server) {
    const Nanos interval = run.scenario.scrape_interval;
    for (std::uint32_t i = 0; i < replicas.size(); ++i) {
      Add(Scraper("kube-scheduler", fmt::format("10.0.1.{}:10259", i + 1),
                  fmt::format("kube-scheduler-{}", i)),
          100 + i, interval, run.scenario.scrape_jitter);
    }
    if (!server.on()) return;
    std::uint64_t stream = 200;
    for (int i = 0; i < run.scenario.At(0).path.instances; ++i) {
      Add(Scraper("apiserver",
                  i == 0 ? run.scenario.api_host : fmt::format("10.0.0.{}:6443", i + 1), ""),
          stream++, interval, 0);
    }
    Add(Scraper("etcd", "10.0.2.1:2379", ""), stream++, interval, 0);
    constexpr Nanos kStateEvery = 30 * kSecond;
    Add(std::nullopt, stream, std::max(interval, kStateEvery), 0);
    state_.emplace(run, world);
  }

  /// Begins to scrape, if the run's options ask for it.
  void Start() {
    if (!run_.options.scrape) return;
    for (std::uint32_t i = 0; i < targets_.size(); ++i) {
      run_.heap.Push(targets_[i].offset, EventKind::kScrape, i);
    }
  }
  void Scrape(std::uint32_t index) {
    const TimeMs t = run_.scenario.start_time + run_.now / kMillisecond;
    const bool replica = index < replicas_.size();
    Target& target = targets_[index];
    if (replica) {
      ScrapeReplica(index, t);
    } else {
      server_.CatchUp();
      if (target.scraper) {
        target.scraper->Scrape(server_.Children(index - replicas_.size()), t);
      } else {
        state_->Scrape();
      }
    }
    ++target.scrapes;
    Nanos due = target.offset + static_cast<Nanos>(target.scrapes) * target.interval;
    if (replica) {
      due += static_cast<Nanos>(target.random.Uniform() * static_cast<double>(target.jitter));
    }
    run_.heap.Push(std::max(run_.now + kMillisecond, due), EventKind::kScrape, index);
    if (replica) ReportProgress();
  }

  /// Scrapes of schedulers fail until then.
  void UnreachableUntil(Nanos t) { unreachable_until_ = t; }
  /// What GET /metrics answers now; "" while the process is down. Throws std::out_of_range.
  std::string MetricsPage(int replica) {
    const auto index = static_cast<std::uint32_t>(replica);
    if (index >= replicas_.size()) throw std::out_of_range("no such replica");
    if (replicas_.process(index) == nullptr) return "";
    RefreshGauges(index);
    return WriteMetricsPage(replicas_.process(index)->registry);
  }
  /// Moves the series out, and names their types.
  void MoveInto(Exposition* out) {
    for (Target& target : targets_) {
      if (target.scraper) target.scraper->MoveInto(out);
    }
    out->types = ExpositionTypes(run_.scenario.release);
    if (!state_) return;
    state_->MoveInto(out);
    out->types.merge(ControlPlaneTypes());
  }

  /// The run's progress callback asked to stop.
  bool stopped() const { return stopped_; }

 private:
  struct Target {
    std::optional<Scraper> scraper;  // none: kube-state-metrics
    Random random;
    Nanos interval = 0, jitter = 0, offset = 0;
    std::uint64_t scrapes = 0;
  };

  void Add(std::optional<Scraper> scraper, std::uint64_t stream, Nanos interval, Nanos jitter) {
    Random random(run_.options.seed, stream);
    const auto offset = static_cast<Nanos>(random.Uniform() * static_cast<double>(interval));
    targets_.push_back({std::move(scraper), random, interval, jitter, offset});
  }
  void ScrapeReplica(std::uint32_t replica, TimeMs t) {
    Scraper& scraper = *targets_[replica].scraper;
    if (replicas_.process(replica) == nullptr || run_.now < unreachable_until_) {
      scraper.Miss(t);
    } else {
      RefreshGauges(replica);
      scraper.Scrape(replicas_.process(replica)->registry, t);
    }
    ++run_.counts.scrapes;
  }

  void RefreshGauges(std::uint32_t replica) {
    SchedulerProcess& process = *replicas_.process(replica);
    const bool leads = replicas_.Leads(replica);
    const PodTally& pods = run_.tally;
    process.CatchUp(run_.now);
    const std::size_t assumed = leads ? pods.assumed : 0;
    const std::size_t cached = leads ? pods.confirmed + pods.assumed : pods.bound;
    process.idle_pending = leads ? 0 : world_.Unbound();
    process.ExportGauges(run_.now, cached,
                         static_cast<std::size_t>(world_.placement().node_count()), assumed);
  }

  void ReportProgress() {
    if (!run_.options.progress) return;
    const double done = static_cast<double>(run_.now) / static_cast<double>(run_.scenario.duration);
    if (done - last_progress_ <= 0.01) return;
    last_progress_ = done;
    if (!run_.options.progress(std::min(done, 1.0))) stopped_ = true;
  }

  RunState& run_;
  const World& world_;
  Replicas& replicas_;
  ApiServer& server_;
  std::vector<Target> targets_;  // the replicas, then the others
  std::optional<StateMetrics> state_;
  Nanos unreachable_until_ = 0;
  double last_progress_ = 0;
  bool stopped_ = false;
};

}  // namespace schedlens::sim
