// Every filter and score against a slow, plain re-statement that counts from the objects.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "scheduler/bed.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/framework/framework.h"
#include "scheduler/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

// The state of one random cluster and the questions asked of it.
class Restated {
 public:
  Restated(const Bed& bed, int minor) : cluster_(bed.cluster), minor_(minor) {}

  bool PassesFit(const PodSpec& pod, NodeId id) const {
    std::int64_t cpu = 0, memory = 0, count = 0;
    ForPods([&](const Pod& p, const PodSpec& spec) {
      if (p.node != id) return;
      cpu += spec.request.milli_cpu;
      memory += spec.request.memory;
      ++count;
    });
    const Resources& has = cluster_.node(id).node.allocatable;
    return count + 1 <= has.pods && cpu + pod.request.milli_cpu <= has.milli_cpu &&
           memory + pod.request.memory <= has.memory;
  }

  bool PassesTaints(const PodSpec& pod, NodeId id) const {
    for (const Taint& taint : cluster_.node(id).node.taints) {
      if (taint.effect == Effect::kPreferNoSchedule) continue;
      bool tolerated = false;
      for (const Toleration& t : pod.tolerations) tolerated |= Tolerates({t}, taint);
      if (!tolerated) return false;
    }
    return true;
  }

  bool PassesSpread(const PodSpec& pod, NodeId id) const {
    for (const SpreadConstraint& c : pod.spread) {
      if (!c.hard) continue;
      std::map<Id, std::int64_t> counts;
      for (const NodeId node : cluster_.order()) {
        if (Value(node, c.topology_key) != kNone && Selected(pod, node)) {
          counts[Value(node, c.topology_key)];
        }
      }
      ForPods([&](const Pod& p, const PodSpec& spec) {
        const auto at = counts.find(Value(p.node, c.topology_key));
        if (at == counts.end() || p.terminating || (minor_ >= 26 && !Selected(pod, p.node))) return;
        at->second += spec.namespace_name == pod.namespace_name && Matches(c.selector, spec.labels);
      });
      if (Value(id, c.topology_key) == kNone) return false;
      std::int64_t lowest = INT32_MAX;
      for (const auto& [value, count] : counts) lowest = std::min(lowest, count);
      const auto at = counts.find(Value(id, c.topology_key));
      const std::int64_t here = at == counts.end() ? 0 : at->second;
      if (here + Matches(c.selector, pod.labels) - lowest > c.max_skew) return false;
    }
    return true;
  }

  bool PassesInterPod(const PodSpec& pod, NodeId id) const {
    bool anywhere = false, everywhere = true;
    for (const PodAffinityTerm& term : pod.required_affinity) {
      bool here = false;
      ForPods([&](const Pod& p, const PodSpec& spec) {
        if (!Matches(term, spec, cluster_) || Value(p.node, term.topology_key) == kNone) return;
        anywhere = true;
        here |= Value(p.node, term.topology_key) == Value(id, term.topology_key);
      });
      if (Value(id, term.topology_key) == kNone) return false;
      everywhere &= here;
    }
    bool self = true;
    for (const PodAffinityTerm& term : pod.required_affinity) self &= Matches(term, pod, cluster_);
    if (!everywhere && (anywhere || !self)) return false;
    bool ok = true;
    ForPods([&](const Pod& p, const PodSpec& spec) {
      for (const PodAffinityTerm& term : pod.required_anti_affinity) {
        ok &= !(Matches(term, spec, cluster_) && Together(p.node, id, term.topology_key));
      }
      for (const PodAffinityTerm& term : spec.required_anti_affinity) {
        ok &= !(Matches(term, pod, cluster_) && Together(p.node, id, term.topology_key));
      }
    });
    return ok;
  }

  std::int64_t InterPodScore(const PodSpec& pod, NodeId id) const {
    std::int64_t sum = 0;
    ForPods([&](const Pod& p, const PodSpec& spec) {
      const auto add = [&](const PodAffinityTerm& term, const PodSpec& of, std::int64_t weight) {
        if (Matches(term, of, cluster_) && Together(p.node, id, term.topology_key)) sum += weight;
      };
      for (const auto& t : pod.preferred_affinity) add(t.term, spec, t.weight);
      for (const auto& t : pod.preferred_anti_affinity) add(t.term, spec, -t.weight);
      for (const auto& t : spec.preferred_affinity) add(t.term, pod, t.weight);
      for (const auto& t : spec.preferred_anti_affinity) add(t.term, pod, -t.weight);
      for (const auto& t : spec.required_affinity) add(t, pod, 1);
    });
    return sum;
  }

  std::int64_t LeastAllocated(const PodSpec& pod, NodeId id) const {
    const NodeInfo& info = cluster_.node(id);
    const auto part = [](std::int64_t capacity, std::int64_t requested) {
      return capacity == 0 || requested > capacity ? 0 : (capacity - requested) * 100 / capacity;
    };
    return (part(info.node.allocatable.milli_cpu,
                 info.nonzero.milli_cpu + pod.score_nonzero.milli_cpu) +
            part(info.node.allocatable.memory, info.nonzero.memory + pod.score_nonzero.memory)) /
           2;
  }

  std::int64_t Balanced(const PodSpec& pod, NodeId id) const {
    const NodeInfo& info = cluster_.node(id);
    const bool real = minor_ >= 22;
    const double cpu =
        static_cast<double>((real ? info.requested.milli_cpu : info.nonzero.milli_cpu) +
                            (real ? pod.score_milli_cpu : pod.score_nonzero.milli_cpu)) /
        static_cast<double>(info.node.allocatable.milli_cpu);
    const double memory =
        static_cast<double>((real ? info.requested.memory : info.nonzero.memory) +
                            (real ? pod.request.memory : pod.score_nonzero.memory)) /
        static_cast<double>(info.node.allocatable.memory);
    const auto evenness = [](double a, double b) {
      const double spread = std::abs(std::min(a, 1.0) - std::min(b, 1.0)) / 2;
      return static_cast<std::int64_t>((1 - spread) * 100);
    };
    if (minor_ >= 36) {
      const double cpu_before = static_cast<double>(info.requested.milli_cpu) /
                                static_cast<double>(info.node.allocatable.milli_cpu);
      const double memory_before = static_cast<double>(info.requested.memory) /
                                   static_cast<double>(info.node.allocatable.memory);
      return 50 + (50 + evenness(cpu, memory) - evenness(cpu_before, memory_before)) / 2;
    }
    if (real) return evenness(cpu, memory);
    if (cpu >= 1 || memory >= 1) return 0;
    return static_cast<std::int64_t>((1 - std::abs(cpu - memory)) * 100);
  }

  std::int64_t PreferredTaints(const PodSpec& pod, NodeId id) const {
    std::int64_t count = 0;
    for (const Taint& taint : cluster_.node(id).node.taints) {
      bool tolerated = taint.effect != Effect::kPreferNoSchedule;
      for (const Toleration& t : pod.tolerations) tolerated |= Tolerates({t}, taint);
      count += !tolerated;
    }
    return count;
  }

  bool Selected(const PodSpec& pod, NodeId id) const {
    return MatchesRequiredNodeAffinity(pod, cluster_.node(id).node, cluster_.strings());
  }

 private:
  template <typename F>
  void ForPods(F f) const {
    for (PodId id = 0; id < cluster_.pod_limit(); ++id) {
      const Pod& pod = cluster_.pod(id);
      if (pod.alive && pod.node != kNone) f(pod, cluster_.spec(pod.spec));
    }
  }
  Id Value(NodeId node, Id key) const { return FindLabel(cluster_.node(node).node.labels, key); }
  bool Together(NodeId a, NodeId b, Id key) const {
    return Value(a, key) != kNone && Value(a, key) == Value(b, key);
  }

  const Cluster& cluster_;
  int minor_;
};

class Plugins : public testing::TestWithParam<int> {};

TEST_P(Plugins, SayWhatAPlainReStatementSays) {
  const int minor = GetParam();
  std::int64_t rejected = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    Bed bed(minor);
    RandomNodes(bed, random, 16);
    for (int i = 0; i < 50; ++i) {
      const NodeId node = static_cast<NodeId>(random.Below(16));
      const PodId pod = bed.Pod(bed.Spec(RandomLabels(random), RandomSpec(random)), node);
      if (random.Below(10) == 0) bed.cluster.SetTerminating(pod);
    }
    const Framework framework(bed.cluster, DefaultConfiguration(Release{minor}), 0, {});
    const Restated plain(bed, minor);
    const auto find = [&](ExtensionPoint point, std::string_view name) {
      for (const auto& entry : framework.At(point)) {
        if (entry.name == name) return entry.plugin;
      }
      return static_cast<Plugin*>(nullptr);
    };
    for (int i = 0; i < 25; ++i) {
      const PodId pod = bed.Pod(bed.Spec(RandomLabels(random), RandomSpec(random)));
      const Attempt attempt = framework.MakeAttempt(pod);
      const std::vector<NodeId> nodes(bed.cluster.order().begin(), bed.cluster.order().end());
      const std::pair<const char*, bool (Restated::*)(const PodSpec&, NodeId) const> filters[] = {
          {"NodeResourcesFit", &Restated::PassesFit},
          {"TaintToleration", &Restated::PassesTaints},
          {"NodeAffinity", &Restated::Selected},
          {"PodTopologySpread", &Restated::PassesSpread},
          {"InterPodAffinity", &Restated::PassesInterPod}};
      for (const auto& [name, passes] : filters) {
        Plugin* plugin = find(ExtensionPoint::kFilter, name);
        PreFilterNodes unused;
        plugin->PreFilter(attempt, unused);
        const bool all = plugin->PassesAll(attempt);
        for (const NodeId node : nodes) {
          const bool expected = (plain.*passes)(attempt.spec, node);
          Texts why;
          ASSERT_EQ(plugin->Filter(attempt, bed.cluster.node(node), &why) == Code::kSuccess,
                    expected)
              << name << " seed " << seed << " pod " << i << " node " << node;
          ASSERT_EQ(plugin->FilterNode(attempt, node) == Code::kSuccess, expected) << name;
          ASSERT_EQ(why.empty(), expected) << name;
          ASSERT_TRUE(expected || !all) << name;
          rejected += !expected;
          ++compared;
        }
      }
      const std::pair<const char*, std::int64_t (Restated::*)(const PodSpec&, NodeId) const>
          scores[] = {{"NodeResourcesLeastAllocated", &Restated::LeastAllocated},
                      {"NodeResourcesFit", &Restated::LeastAllocated},
                      {"NodeResourcesBalancedAllocation", &Restated::Balanced},
                      {"InterPodAffinity", &Restated::InterPodScore},
                      {"TaintToleration", &Restated::PreferredTaints}};
      for (const auto& [name, score] : scores) {
        Plugin* plugin = find(ExtensionPoint::kScore, name);
        if (plugin == nullptr) continue;
        std::vector<std::int64_t> own(nodes.size());
        plugin->PreScore(attempt, nodes);
        plugin->Score(attempt, nodes, own);
        for (std::size_t n = 0; n < nodes.size(); ++n) {
          ASSERT_EQ(own[n], (plain.*score)(attempt.spec, nodes[n])) << name << " seed " << seed;
        }
        plugin->Normalize(attempt, nodes, own);
        for (const std::int64_t s : own) ASSERT_TRUE(s >= 0 && s <= 100) << name << s;
      }
    }
  }
  EXPECT_GT(compared, 10000);
  EXPECT_GT(rejected, compared / 20);
}

INSTANTIATE_TEST_SUITE_P(Releases, Plugins, testing::Values(20, 23, 26, 30, 34, 36, 37));

TEST(PluginTable, EveryDefaultPluginCanBeMade) {
  for (const int minor : {20, 23, 26, 30, 34, 36, 37}) {
    Bed bed(minor);
    const Configuration configuration = DefaultConfiguration(Release{minor});
    const PluginContext context{bed.cluster, configuration.profiles[0], minor};
    for (const auto& point : configuration.profiles[0].plugins) {
      for (const PluginRef& plugin : point) {
        EXPECT_NE(MakePlugin(plugin.name, context), nullptr) << plugin.name;
      }
    }
    EXPECT_EQ(MakePlugin("NoSuchPlugin", context), nullptr);
  }
}

}  // namespace
}  // namespace schedlens::sim::core
