#include "sim/framework/own_plugin.h"

#include <algorithm>
#include <utility>

#include "schedlens/error.h"
#include "sim/cluster/objects_json.h"
#include "sim/framework/algorithm.h"

namespace schedlens {
namespace sim::core {
namespace {

std::int64_t AmountOf(const Resources& resources, std::string_view name, const Strings& strings) {
  if (name == "cpu") return resources.milli_cpu;
  if (name == "memory") return resources.memory;
  if (name == "ephemeral-storage") return resources.ephemeral_storage;
  if (name == "pods") return resources.pods;
  const Id id = strings.Find(name);
  return id == kNone ? 0 : resources.Scalar(id);
}

std::optional<std::string_view> LabelOf(const ObjectLabels& labels, std::string_view key,
                                        const Strings& strings) {
  const Id id = strings.Find(key);
  const Id value = id == kNone ? kNone : FindLabel(labels, id);
  if (value == kNone) return std::nullopt;
  return strings.Text(value);
}

class OwnPod : public PodView {
 public:
  explicit OwnPod(const Attempt& attempt) : attempt_(attempt) {}
  std::string_view name() const override { return attempt_.cluster.pod(attempt_.pod).name; }
  std::string_view namespace_name() const override {
    return attempt_.cluster.strings().Text(attempt_.spec.namespace_name);
  }
  std::int64_t priority() const override { return attempt_.spec.priority; }
  std::optional<std::string_view> Label(std::string_view key) const override {
    return LabelOf(attempt_.spec.labels, key, attempt_.cluster.strings());
  }
  std::int64_t Request(std::string_view resource) const override {
    return AmountOf(attempt_.spec.request, resource, attempt_.cluster.strings());
  }

 private:
  const Attempt& attempt_;
};

class OwnNode : public NodeView {
 public:
  OwnNode(const NodeInfo& info, const Strings& strings) : info_(info), strings_(strings) {}
  std::string_view name() const override { return strings_.Text(info_.node.name); }
  std::optional<std::string_view> Label(std::string_view key) const override {
    return LabelOf(info_.node.labels, key, strings_);
  }
  std::int64_t Allocatable(std::string_view resource) const override {
    return AmountOf(info_.node.allocatable, resource, strings_);
  }
  std::int64_t Requested(std::string_view resource) const override {
    return resource == "pods" ? pods() : AmountOf(info_.requested, resource, strings_);
  }
  std::int32_t pods() const override { return static_cast<std::int32_t>(info_.pods.size()); }

 private:
  const NodeInfo& info_;
  const Strings& strings_;
};

class Adapter : public Plugin {
 public:
  explicit Adapter(std::unique_ptr<SchedulerPlugin> own) : own_(std::move(own)) {}

  Code Filter(const Attempt& attempt, const NodeInfo& info) const override {
    return Ask(attempt, info) ? Code::kUnschedulable : Code::kSuccess;
  }
  std::vector<std::string> Reasons(const Attempt& attempt, const NodeInfo& info) const override {
    const auto reason = Ask(attempt, info);
    return reason ? std::vector<std::string>{*reason} : std::vector<std::string>{};
  }
  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    const OwnPod pod(attempt);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const OwnNode node(attempt.cluster.node(nodes[i]), attempt.cluster.strings());
      scores[i] = own_->Score(pod, node);
    }
  }
  bool normalizes() const override { return own_->ScalesScores(); }
  void Normalize(const Attempt&, std::span<const NodeId>, std::span<std::int64_t> scores) override {
    NormalizeByMaximum(scores, false);
  }

 private:
  std::optional<std::string> Ask(const Attempt& attempt, const NodeInfo& info) const {
    return own_->Filter(OwnPod(attempt), OwnNode(info, attempt.cluster.strings()));
  }

  std::unique_ptr<SchedulerPlugin> own_;
};

}  // namespace

std::unique_ptr<Plugin> AdaptOwnPlugin(std::unique_ptr<SchedulerPlugin> own) {
  return std::make_unique<Adapter>(std::move(own));
}

}  // namespace sim::core

std::vector<PlacedPod> PlacePendingPods(std::string_view objects_json,
                                        std::string_view configuration_yaml,
                                        std::string_view kubernetes_version, std::uint64_t seed,
                                        const std::vector<SchedulerPluginFactory>& plugins) {
  using namespace sim::core;
  const sim::Release release = sim::Release::Parse(kubernetes_version);
  Cluster cluster(release, std::make_shared<Strings>());
  LoadObjects(objects_json, "objects", cluster);
  std::vector<std::string> names;
  std::vector<OwnPlugin> own;
  for (const SchedulerPluginFactory& plugin : plugins) {
    names.push_back(plugin.name);
    own.push_back({plugin.name, plugin.make});
  }
  const Configuration configuration =
      configuration_yaml.empty()
          ? DefaultConfiguration(release)
          : ReadConfiguration(configuration_yaml, "configuration", release, names);
  std::vector<std::unique_ptr<Algorithm>> algorithms;
  for (std::size_t i = 0; i < configuration.profiles.size(); ++i) {
    algorithms.push_back(std::make_unique<Algorithm>(cluster, configuration, i, own));
  }

  std::vector<PodId> pending;
  for (PodId pod = 0; pod < cluster.pod_limit(); ++pod) {
    if (cluster.pod(pod).alive && cluster.pod(pod).node == kNone) pending.push_back(pod);
  }
  std::stable_sort(pending.begin(), pending.end(), [&](PodId a, PodId b) {
    return cluster.SpecOf(a).priority > cluster.SpecOf(b).priority;
  });
  sim::Random random(seed);
  std::vector<PlacedPod> out;
  ScheduleResult result;
  for (const PodId pod : pending) {
    const PodSpec& spec = cluster.SpecOf(pod);
    const std::string& scheduler = cluster.strings().Text(spec.scheduler_name);
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      if (configuration.profiles[i].scheduler_name != scheduler) continue;
      algorithms[i]->Schedule(pod, random, nullptr, result);
      PlacedPod& placed = out.emplace_back();
      placed.pod = cluster.strings().Text(spec.namespace_name) + "/" + cluster.pod(pod).name;
      placed.feasible = result.feasible;
      if (result.outcome == Outcome::kScheduled) {
        placed.node = cluster.strings().Text(cluster.node(result.node).node.name);
        cluster.BindPod(pod, result.node);
      } else {
        placed.message = algorithms[i]->FailureMessage();
      }
    }
  }
  return out;
}

}  // namespace schedlens
