#pragma once

// A Prometheus that scrapes every replica and, if the scenario has an API server, what is beside
// the schedulers: API servers, etcd, kube-state-metrics.

#include <stdexcept>

#include "scheduler/engine/api_server.h"
#include "scheduler/engine/replicas.h"

namespace schedlens::sim {

// kube-state-metrics: the cluster's objects as series, each as long as its object. Time stamps are
// whole seconds, as those of objects are. Every metric is given all labels that any of its kind
// has.
class StateMetrics {
 public:
  StateMetrics(const RunState& run, const World& world)
      : run_(run),
        world_(world),
        registry_(kube::Component::kKubeStateMetrics, run.scenario.release.minor) {}

  /// Brings them up to date.
  const std::deque<MetricChild>& Children() {
    registry_.Forget();
    pods_.resize(world_.pods().size());
    for (PodNumber pod = 0; pod < pods_.size(); ++pod) PutPod(pod);
    PutWorkloads();
    PutNodes();
    PutWebhooks();
    return registry_.children();
  }

 private:
  using enum kube::Metric;
  /// A pod's: made when it is first seen, the last when it is bound.
  struct PodChildren {
    MetricChild *created = nullptr, *owner = nullptr, *unschedulable = nullptr;
    MetricChild* scheduled_time = nullptr;
  };

  static std::string OwnerOf(const PodTemplate& shape) {
    return shape.owner.empty() ? shape.name : shape.owner;
  }
  static std::string ReplicaSetOf(const std::string& owner) {
    return owner + "-7f9c";  // one roll-out each
  }
  double Seconds(Nanos t) const {
    return std::floor(static_cast<double>(run_.scenario.start_time) / 1000 + ToSeconds(t));
  }

  void PutPod(PodNumber pod) {
    const SimulatedPod& p = world_.pods()[pod];
    if (p.phase == PodPhase::kGone) return;
    const bool bound = p.phase == PodPhase::kBound;
    PodChildren& all = pods_[pod];
    if (all.created == nullptr) {
      all.created = OfPod(pod, kKubePodCreated);
      all.owner = OfPod(pod, kKubePodOwner);
      all.unschedulable = OfPod(pod, kKubePodStatusUnschedulable);
    }
    if (bound && all.scheduled_time == nullptr) {
      all.scheduled_time = OfPod(pod, kKubePodStatusScheduledTime);
    }
    all.created->value = Seconds(p.created);
    all.owner->value = 1;
    if (bound) all.scheduled_time->value = Seconds(p.bound_at);
    if (!bound && p.condition_set) all.unschedulable->value = 1;
  }

  MetricChild* OfPod(PodNumber pod, ControlPlaneMetric metric) {
    const SimulatedPod& p = world_.pods()[pod];
    const PodTemplate& shape = run_.scenario.templates[p.pod_template];
    const std::string name = fmt::format("{}-{:06}", shape.name, p.number);
    const std::string uid = fmt::format("00000000-0000-4000-8000-{:012x}", pod);
    const std::string owner = ReplicaSetOf(OwnerOf(shape));
    return &registry_.Get(metric, {{"namespace", shape.namespace_name},
                                   {"pod", name},
                                   {"uid", uid},
                                   {"owner_kind", "ReplicaSet"},
                                   {"owner_name", owner},
                                   {"owner_is_controller", "true"}});
  }

  void PutWorkloads() {
    std::set<std::pair<std::string, std::string>> workloads;
    for (const PodTemplate& shape : run_.scenario.templates) {
      workloads.insert({shape.namespace_name, OwnerOf(shape)});
    }
    for (const auto& workload : workloads) {
      const std::string set = ReplicaSetOf(workload.second);
      const auto put = [&](ControlPlaneMetric metric, double value) {
        registry_
            .Get(metric, {{"namespace", workload.first},
                          {"deployment", workload.second},
                          {"replicaset", set},
                          {"owner_kind", "Deployment"},
                          {"owner_name", workload.second},
                          {"owner_is_controller", "true"}})
            .value = value;
      };
      put(kKubeDeploymentMetadataGeneration, 1);
      put(kKubeReplicasetCreated, Seconds(0));
      put(kKubeReplicasetOwner, 1);
    }
  }

  void PutNodes() {
    const std::string version = fmt::format("v1.{}.0", run_.scenario.release.minor);
    for (int node = 0; node < world_.placement().node_slots(); ++node) {
      if (!world_.placement().alive(node)) continue;
      const std::string& name = world_.placement().NodeName(node);
      const auto labels = {NamedLabel{"node", name}, NamedLabel{"kubelet_version", version}};
      registry_.Get(kKubeNodeCreated, labels).value = Seconds(0);
      registry_.Get(kKubeNodeSpecUnschedulable, labels).value = 0;
    }
  }

  // One configuration a webhook.
  void PutWebhooks() {
    for (const Webhook& webhook : run_.conditions->path.webhooks) {
      const auto [since, fresh] = webhooks_since_.try_emplace(webhook.name, 0);
      if (fresh) {
        for (const Segment& segment : run_.scenario.segments) {
          if (segment.start <= run_.now && &segment.conditions == run_.conditions) {
            since->second = segment.start;
          }
        }
      }
      const auto labels = {NamedLabel{"mutatingwebhookconfiguration", webhook.name},
                           NamedLabel{"validatingwebhookconfiguration", webhook.name}};
      registry_
          .Get(webhook.mutating ? kKubeMutatingwebhookconfigurationCreated
                                : kKubeValidatingwebhookconfigurationCreated,
               labels)
          .value = Seconds(since->second);
      registry_
          .Get(webhook.mutating ? kKubeMutatingwebhookconfigurationMetadataResourceVersion
                                : kKubeValidatingwebhookconfigurationMetadataResourceVersion,
               labels)
          .value = 1000 + std::floor(ToSeconds(since->second));
    }
  }

  const RunState& run_;
  const World& world_;
  ControlPlaneRegistry registry_;
  std::vector<PodChildren> pods_;
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
    Add(Scraper("kube-state-metrics", "10.0.3.1:8080", ""), stream, std::max(interval, kStateEvery),
        0);
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
      const bool state = index + 1 == targets_.size();
      target.scraper.Scrape(state ? state_->Children() : server_.Children(index - replicas_.size()),
                            t);
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
    for (Target& target : targets_) target.scraper.MoveInto(out);
    out->types = ExpositionTypes(run_.scenario.release);
    if (state_) out->types.merge(ControlPlaneTypes());
  }

  /// The run's progress callback asked to stop.
  bool stopped() const { return stopped_; }

 private:
  struct Target {
    Scraper scraper;
    Random random;
    Nanos interval = 0, jitter = 0, offset = 0;
    std::uint64_t scrapes = 0;
  };

  void Add(Scraper scraper, std::uint64_t stream, Nanos interval, Nanos jitter) {
    Random random(run_.options.seed, stream);
    const auto offset = static_cast<Nanos>(random.Uniform() * static_cast<double>(interval));
    targets_.push_back({std::move(scraper), random, interval, jitter, offset});
  }
  void ScrapeReplica(std::uint32_t replica, TimeMs t) {
    Scraper& scraper = targets_[replica].scraper;
    if (replicas_.process(replica) == nullptr || run_.now < unreachable_until_) {
      scraper.Miss(t);
    } else {
      RefreshGauges(replica);
      scraper.Scrape(replicas_.process(replica)->registry.children(), t);
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
  std::vector<Target> targets_;  // the replicas, then the others, kube-state-metrics last
  std::optional<StateMetrics> state_;
  Nanos unreachable_until_ = 0;
  double last_progress_ = 0;
  bool stopped_ = false;
};

}  // namespace schedlens::sim
