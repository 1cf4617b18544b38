// SelectorSpread (until 1.24), and the selector of a pod's services, controllers and sets.

#include <algorithm>

#include "sim/cluster/pod_index.h"
#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

constexpr double kZoneWeight = 2.0 / 3.0;

class SelectorSpread : public Plugin {
 public:
  void PreScore(const Attempt& attempt, std::span<const NodeId>) override {
    counts_ = nullptr;
    if (!attempt.spec.spread.empty()) return;
    PodAffinityTerm term;
    term.selector = DefaultSelector(attempt.spec, attempt.cluster);
    term.namespaces = {attempt.spec.namespace_name};
    if (term.selector.nothing) return;
    PodIndex& index = attempt.cluster.index();
    counts_ = &index.Counts(index.Tally({term}, false));
  }

  void Score(const Attempt&, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = counts_ == nullptr ? 0 : (*counts_)[Index(nodes[i])];
    }
  }

  bool normalizes() const override { return true; }
  void Normalize(const Attempt& attempt, std::span<const NodeId> nodes,
                 std::span<std::int64_t> scores) override {
    if (!attempt.spec.spread.empty()) return;
    const Strings& strings = attempt.cluster.strings();
    zones_.clear();
    std::int64_t most = 0, most_in_zone = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      most = std::max(most, scores[i]);
      const auto zone = ZoneOf(attempt.cluster.node(nodes[i]).node.labels, strings);
      if (zone == kNoZone) continue;
      std::int64_t& count = CountOf(zone);
      count += scores[i];
    }
    for (const auto& [zone, count] : zones_) most_in_zone = std::max(most_in_zone, count);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      double score = Inverse(scores[i], most);
      const auto zone = ZoneOf(attempt.cluster.node(nodes[i]).node.labels, strings);
      if (zone != kNoZone) {
        const double in_zone = Inverse(CountOf(zone), most_in_zone);
        score = score * (1.0 - kZoneWeight) + kZoneWeight * in_zone;
      }
      scores[i] = static_cast<std::int64_t>(score);
    }
  }

 private:
  using Zone = std::pair<Id, Id>;
  static constexpr Zone kNoZone = {kEmptyText, kEmptyText};

  static double Inverse(std::int64_t count, std::int64_t most) {
    if (most <= 0) return 100.0;
    return 100.0 * (static_cast<double>(most - count) / static_cast<double>(most));
  }

  std::int64_t& CountOf(const Zone& zone) {
    for (auto& [known, count] : zones_) {
      if (known == zone) return count;
    }
    return zones_.emplace_back(zone, 0).second;
  }

  const std::vector<std::int32_t>* counts_ = nullptr;
  std::vector<std::pair<Zone, std::int64_t>> zones_;
};

}  // namespace

LabelSelector DefaultSelector(const PodSpec& spec, const Cluster& cluster) {
  LabelSelector out;
  const bool by_owner = cluster.release().minor >= 21;
  const Strings& strings = cluster.strings();
  for (const Workload& workload : cluster.workloads()) {
    if (workload.namespace_name != spec.namespace_name) continue;
    const LabelSelector& selector = workload.selector;
    if (selector.nothing || selector.requirements.empty()) continue;
    bool member = Matches(selector, spec.labels);
    if (by_owner && workload.kind != Workload::Kind::kService) {
      constexpr std::pair<std::string_view, std::string_view> kOwners[] = {
          {"", ""},
          {"v1", "ReplicationController"},
          {"apps/v1", "ReplicaSet"},
          {"apps/v1", "StatefulSet"}};
      const auto& [api_version, kind] = kOwners[static_cast<std::size_t>(workload.kind)];
      member = spec.controller && spec.controller->name == workload.name &&
               strings.Text(spec.controller->kind) == kind &&
               strings.Text(spec.controller->api_version) == api_version;
    }
    if (!member) continue;
    out.nothing = false;
    out.requirements.insert(out.requirements.end(), selector.requirements.begin(),
                            selector.requirements.end());
  }
  return out;
}

std::unique_ptr<Plugin> MakeSelectorSpread(const PluginContext&) {
  return std::make_unique<SelectorSpread>();
}

}  // namespace schedlens::sim::core
