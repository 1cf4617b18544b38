#include "sim/framework/attempt_detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace schedlens::sim::core {

namespace {

class Groups {
 public:
  void Add(NodeId node, ExtensionPoint point, const std::string& plugin, Code code,
           const std::vector<std::string>& reasons) {
    const auto [at, added] = index_.try_emplace({point, plugin, code, reasons}, groups_.size());
    if (added) groups_.push_back({point, plugin, code, reasons, {}});
    groups_[at->second].nodes.push_back(node);
  }
  std::vector<RejectedNodes> Take() {
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const auto& a, const auto& b) { return a.nodes.size() > b.nodes.size(); });
    return std::move(groups_);
  }

 private:
  std::map<std::tuple<ExtensionPoint, std::string, Code, std::vector<std::string>>, std::size_t>
      index_;
  std::vector<RejectedNodes> groups_;
};

void AddRefusal(const Framework& framework, const Attempt& attempt, const AttemptTrail& trail,
                const std::vector<NodeId>& seen, Groups& groups) {
  std::string plugin;
  std::vector<std::string> reasons = {"no node is in the node sets of all PreFilter plugins"};
  if (trail.prefilter >= 0) {
    const auto& entry = framework.At(ExtensionPoint::kPreFilter)[Index(trail.prefilter)];
    plugin = entry.name;
    reasons = entry.plugin->PreFilterReasons(attempt);
  }
  for (const NodeId node : seen) {
    groups.Add(node, ExtensionPoint::kPreFilter, plugin, trail.verdicts[Index(node)].code, reasons);
  }
}

void AddVerdicts(Framework& framework, const Attempt& attempt, const AttemptTrail& trail,
                 const std::vector<NodeId>& seen, Groups& groups) {
  std::vector<NodeId> passed(trail.feasible.begin(), trail.feasible.end());
  std::sort(passed.begin(), passed.end());
  for (const NodeId node : seen) {
    const FilterVerdict& verdict = trail.verdicts[Index(node)];
    if (verdict.code == Code::kSuccess) {
      if (std::binary_search(passed.begin(), passed.end(), node)) continue;
      groups.Add(node, ExtensionPoint::kFilter, "extender", Code::kUnschedulable,
                 {"an extender's filter took it off"});
      continue;
    }
    const auto& filters = framework.At(ExtensionPoint::kFilter);
    std::vector<std::string> reasons;
    for (const Rejected& rejected : framework.Explain(attempt, node, verdict, false)) {
      reasons = rejected.reasons;
    }
    groups.Add(node, ExtensionPoint::kFilter, filters[Index(verdict.plugin)].name, verdict.code,
               reasons);
  }
}

void AddScores(Framework& framework, const Attempt& attempt, const AttemptTrail& trail,
               AttemptDetail& out) {
  std::vector<std::int64_t> own;
  std::vector<std::vector<std::int64_t>> raw;
  std::vector<std::vector<std::int64_t>> norm;
  framework.Score(attempt, trail.feasible, own, &raw, &norm);
  const auto& plugins = framework.At(ExtensionPoint::kScore);
  for (const std::int32_t i : framework.scoring()) {
    out.score_plugins.push_back({plugins[Index(i)].name, plugins[Index(i)].weight});
  }
  for (std::size_t i = 0; i < trail.feasible.size(); ++i) {
    ScoredNode& node = out.scored.emplace_back();
    node.node = trail.feasible[i];
    node.total = trail.totals[i];
    node.extenders = trail.totals[i] - own[i];
    for (const auto& row : norm) node.scores.push_back(row[i]);
  }
  std::stable_sort(out.scored.begin(), out.scored.end(), [&](const auto& a, const auto& b) {
    if (a.total != b.total) return a.total > b.total;
    return a.node == out.node && b.node != out.node;
  });
}

}  // namespace

void ExplainAttempt(Framework& framework, const Attempt& attempt, const AttemptTrail& trail,
                    const ScheduleResult& result, AttemptDetail& out) {
  out = AttemptDetail();
  out.node = result.node;
  out.nodes = framework.cluster().node_count();
  out.feasible = result.feasible;
  out.tied = result.tied;
  out.nominated_first = result.nominated_node_shortcut;
  std::vector<NodeId> seen(trail.seen.begin(), trail.seen.end());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  Groups groups;
  if (trail.prefilter_passed) {
    AddVerdicts(framework, attempt, trail, seen, groups);
  } else {
    AddRefusal(framework, attempt, trail, seen, groups);
  }
  out.rejected = groups.Take();
  if (!trail.subset.all && trail.prefilter_passed) {
    out.outside = out.nodes - static_cast<std::int32_t>(trail.subset.nodes.size());
  }
  out.unseen = std::max(0, out.nodes - out.outside - static_cast<std::int32_t>(seen.size()));
  if (result.work.scored) AddScores(framework, attempt, trail, out);
}

std::string FailureMessage(Framework& framework, const Attempt& attempt,
                           const AttemptTrail& trail) {
  const Cluster& cluster = framework.cluster();
  if (cluster.node_count() == 0) return "no nodes available to schedule pods";
  std::map<std::string, int> reasons;
  if (trail.prefilter >= 0) {
    const auto& plugins = framework.At(ExtensionPoint::kPreFilter);
    const auto refused = plugins[Index(trail.prefilter)].plugin->PreFilterReasons(attempt);
    if (attempt.minor >= 27) return RefusedMessage(cluster.node_count(), refused);
    for (const std::string& reason : refused) reasons[reason] += cluster.node_count();
  }
  const bool counts_left_out = attempt.minor >= 32 && !trail.subset.all && trail.prefilter_passed;
  for (const NodeId node : cluster.order()) {
    const FilterVerdict& verdict = trail.verdicts[Index(node)];
    const bool unseen = verdict.plugin == kNone && verdict.code == Code::kSuccess;
    if (unseen && counts_left_out) ++reasons[framework.LeftOutReason()];
    if (verdict.plugin == kNone) continue;
    for (const Rejected& r : framework.Explain(attempt, node, verdict, false)) {
      for (const std::string& reason : r.reasons) ++reasons[reason];
    }
  }
  return UnavailableMessage(cluster.node_count(), reasons);
}

}  // namespace schedlens::sim::core
