// Placement by resources alone: fast, for runs where only time matters.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/placement.h"
#include "sim/random.h"

namespace schedlens::sim {

int FeasibleLimit(int nodes, int percentage) {
  constexpr int kMinimum = 100;
  if (nodes < kMinimum || percentage >= 100) return nodes;
  const int percent = percentage > 0 ? percentage : std::max(5, 50 - nodes / 125);
  return std::max(kMinimum, nodes * percent / 100);
}

namespace {

// Amounts in whole units, so that adding and removing never drifts.
struct Amounts {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t pods = 0;
};

class SimplePlacement final : public Placement {
 public:
  SimplePlacement(const Scenario& scenario, std::uint64_t seed)
      : scenario_(scenario), random_(seed, 17) {
    for (const PodTemplate& pod : scenario.templates) {
      for (const auto& [name, amount] : pod.extended) {
        if (ResourceIndex(name) == resources_.size()) resources_.push_back(name);
      }
    }
    for (const PodTemplate& pod : scenario.templates) {
      Request request;
      request.amounts = {std::llround(pod.cpu * 1000), std::llround(pod.memory), 1};
      request.extended.resize(resources_.size());
      for (const auto& [name, amount] : pod.extended) {
        request.extended[ResourceIndex(name)] = std::llround(amount);
      }
      requests_.push_back(std::move(request));
    }
    for (std::size_t group = 0; group < scenario.nodes.size(); ++group) {
      for (int i = 0; i < scenario.nodes[group].count; ++i) AddNode(group);
    }
  }

  PlacementDecision Place(PodId, std::size_t pod_template) override {
    PlacementDecision out;
    const PodTemplate& pod = scenario_.templates[pod_template];
    if (!pod.never_fits.empty()) return Rejected(pod.never_fits);
    const int slots = node_slots();
    const int limit = FeasibleLimit(alive_, scenario_.percentage_of_nodes);
    for (int i = 0; i < slots && out.feasible < limit; ++i) {
      const int node = (start_ + i) % slots;
      if (!nodes_[static_cast<std::size_t>(node)].alive) continue;
      ++out.evaluated;
      if (!Fits(0, pod_template, node)) continue;
      // Reservoir of one: uniform among the feasible nodes.
      if (random_.Below(static_cast<std::uint32_t>(++out.feasible)) == 0) out.node = node;
    }
    if (slots > 0) start_ = (start_ + out.evaluated) % slots;
    if (out.node < 0 && out.evaluated > 0) return Rejected("NodeResourcesFit");
    return out;
  }

  bool Fits(PodId pod, std::size_t pod_template, int node) override {
    const Node& where = nodes_[static_cast<std::size_t>(node)];
    if (!where.alive) return false;
    if (where.nominated.empty()) return Holds(where.free, where.extended, requests_[pod_template]);
    // Nominated pods of the same or a higher priority count as if they were there.
    Node with = where;
    const std::int32_t priority = scenario_.templates[pod_template].priority;
    for (const auto& [other, shape] : where.nominated) {
      if (other == pod || scenario_.templates[shape].priority < priority) continue;
      Charge(with, requests_[shape], -1);
    }
    return Holds(with.free, with.extended, requests_[pod_template]);
  }

  void Nominate(PodId pod, std::size_t pod_template, int node) override {
    const auto old = nominations_.find(pod);
    if (old != nominations_.end()) {
      auto& list = nodes_[static_cast<std::size_t>(old->second)].nominated;
      std::erase_if(list, [&](const auto& item) { return item.first == pod; });
      nominations_.erase(old);
    }
    if (node < 0) return;
    nodes_[static_cast<std::size_t>(node)].nominated.emplace_back(pod, pod_template);
    nominations_.emplace(pod, node);
  }

  void Assume(PodId pod, std::size_t pod_template, int node) override {
    if (pod >= pods_.size()) pods_.resize(pod + 1);
    if (!nominations_.empty()) Nominate(pod, pod_template, -1);
    Node& where = nodes_[static_cast<std::size_t>(node)];
    pods_[pod] = {node, static_cast<std::uint32_t>(pod_template),
                  static_cast<std::uint32_t>(where.pods.size())};
    where.pods.push_back(pod);
    Charge(where, requests_[pod_template], -1);
  }

  void Remove(PodId pod) override {
    if (!nominations_.empty()) Nominate(pod, 0, -1);
    if (pod >= pods_.size() || pods_[pod].node < 0) return;
    Placed& placed = pods_[pod];
    Node& where = nodes_[static_cast<std::size_t>(placed.node)];
    const PodId last = where.pods.back();
    where.pods[placed.slot] = last;
    pods_[last].slot = placed.slot;
    where.pods.pop_back();
    Charge(where, requests_[placed.pod_template], +1);
    placed.node = -1;
  }

  PreemptionPlan Preempt(PodId pod, std::size_t pod_template) override {
    PreemptionPlan best;
    if (!scenario_.templates[pod_template].never_fits.empty()) return best;
    const int slots = node_slots();
    int dry_runs = std::max(100, alive_ / 10);
    const int offset =
        slots > 0 ? static_cast<int>(random_.Below(static_cast<std::uint32_t>(slots))) : 0;
    for (int i = 0; i < slots && dry_runs > 0; ++i) {
      const int node = (offset + i) % slots;
      if (!alive(node)) continue;
      std::vector<PodId> victims = VictimsOn(pod, pod_template, node);
      if (victims.empty()) continue;
      --dry_runs;
      if (best.node < 0 || Better(victims, best.victims)) best = {node, std::move(victims)};
    }
    return best;
  }

  int AddNode(std::size_t group) override {
    const NodeGroup& shape = scenario_.nodes[group];
    Node node;
    node.alive = true;
    node.group = group;
    node.number = numbers_.size() > group ? numbers_[group] : 0;
    numbers_.resize(std::max(numbers_.size(), group + 1));
    ++numbers_[group];
    node.free = {std::llround(shape.cpu * 1000), std::llround(shape.memory), shape.pods};
    for (const std::string& name : resources_) {
      const auto found = shape.extended.find(name);
      node.extended.push_back(found == shape.extended.end() ? 0 : std::llround(found->second));
    }
    nodes_.push_back(std::move(node));
    ++alive_;
    return node_slots() - 1;
  }

  std::vector<PodId> DeleteNode(int node) override {
    Node& where = nodes_[static_cast<std::size_t>(node)];
    const std::vector<PodId> pods = where.pods;
    for (PodId pod : pods) Remove(pod);
    where.alive = false;
    --alive_;
    return pods;
  }

  int node_count() const override { return alive_; }
  int node_slots() const override { return static_cast<int>(nodes_.size()); }
  bool alive(int node) const override { return nodes_[static_cast<std::size_t>(node)].alive; }
  std::string NodeName(int node) const override {
    const Node& where = nodes_[static_cast<std::size_t>(node)];
    return fmt::format("{}-{}", scenario_.nodes[where.group].name, where.number);
  }
  bool WithinCapacity() const override {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
      return node.free.milli_cpu >= 0 && node.free.memory >= 0 && node.free.pods >= 0 &&
             std::all_of(node.extended.begin(), node.extended.end(),
                         [](std::int64_t left) { return left >= 0; });
    });
  }

 private:
  struct Request {
    Amounts amounts;
    std::vector<std::int64_t> extended;
  };
  struct Node {
    bool alive = false;
    std::size_t group = 0;
    int number = 0;
    Amounts free;
    std::vector<std::int64_t> extended;
    std::vector<PodId> pods;
    std::vector<std::pair<PodId, std::size_t>> nominated;  // pod and template
  };
  struct Placed {
    int node = -1;
    std::uint32_t pod_template = 0;
    std::uint32_t slot = 0;
  };

  std::size_t ResourceIndex(const std::string& name) const {
    return static_cast<std::size_t>(std::find(resources_.begin(), resources_.end(), name) -
                                    resources_.begin());
  }

  PlacementDecision Rejected(std::string_view plugin) const {
    PlacementDecision out;
    out.evaluated = alive_;
    out.rejecting_plugin = plugin == "NodeAffinity" ? "NodeAffinity" : "NodeResourcesFit";
    out.unresolvable = plugin == "NodeAffinity";
    out.rejections = out.unresolvable ? kRejectedByNodeAffinity : kRejectedByResources;
    return out;
  }

  static bool Holds(const Amounts& free, const std::vector<std::int64_t>& extended,
                    const Request& request) {
    if (request.amounts.milli_cpu > free.milli_cpu || request.amounts.memory > free.memory ||
        free.pods < 1) {
      return false;
    }
    for (std::size_t i = 0; i < request.extended.size(); ++i) {
      if (request.extended[i] > extended[i]) return false;
    }
    return true;
  }

  static void Charge(Node& node, const Request& request, int sign) {
    node.free.milli_cpu += sign * request.amounts.milli_cpu;
    node.free.memory += sign * request.amounts.memory;
    node.free.pods += sign;
    for (std::size_t i = 0; i < request.extended.size(); ++i) {
      node.extended[i] += sign * request.extended[i];
    }
  }

  std::int32_t PriorityOf(PodId pod) const {
    return scenario_.templates[pods_[pod].pod_template].priority;
  }

  // Removes every pod of lower priority, then gives the most important ones a reprieve.
  std::vector<PodId> VictimsOn(PodId pod, std::size_t pod_template, int node) {
    Node& where = nodes_[static_cast<std::size_t>(node)];
    const std::int32_t priority = scenario_.templates[pod_template].priority;
    std::vector<PodId> lower;
    for (PodId other : where.pods) {
      if (PriorityOf(other) < priority) lower.push_back(other);
    }
    std::sort(lower.begin(), lower.end(), [&](PodId a, PodId b) {
      return PriorityOf(a) != PriorityOf(b) ? PriorityOf(a) > PriorityOf(b) : a < b;
    });
    const Node saved = where;
    for (PodId other : lower) Charge(where, requests_[pods_[other].pod_template], +1);
    std::vector<PodId> victims;
    if (Fits(pod, pod_template, node)) {
      for (PodId other : lower) {
        const Request& request = requests_[pods_[other].pod_template];
        Charge(where, request, -1);
        const bool room =
            where.free.pods >= 0 && where.free.milli_cpu >= 0 && where.free.memory >= 0;
        if (room && Fits(pod, pod_template, node)) continue;
        Charge(where, request, +1);
        victims.push_back(other);
      }
    }
    where.free = saved.free;
    where.extended = saved.extended;
    return victims;
  }

  // kube-scheduler's order: lowest top priority, smallest sum, fewest victims.
  bool Better(const std::vector<PodId>& a, const std::vector<PodId>& b) const {
    const auto top = [&](const std::vector<PodId>& pods) { return PriorityOf(pods.front()); };
    if (top(a) != top(b)) return top(a) < top(b);
    return a.size() < b.size();
  }

  const Scenario& scenario_;
  Random random_;
  std::vector<std::string> resources_;
  std::vector<Request> requests_;
  std::vector<Node> nodes_;
  std::vector<int> numbers_;
  std::vector<Placed> pods_;
  std::map<PodId, int> nominations_;
  int alive_ = 0;
  int start_ = 0;
};

}  // namespace

std::unique_ptr<Placement> MakeSimplePlacement(const Scenario& scenario, std::uint64_t seed) {
  return std::make_unique<SimplePlacement>(scenario, seed);
}

}  // namespace schedlens::sim
