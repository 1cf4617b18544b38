#include "verify/preemption_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "scheduler/framework/algorithm.h"

namespace schedlens::verify {
namespace {

using core::Candidate;
using core::Code;
using core::kNone;
using core::NodeId;

constexpr std::string_view kPlugin = "DefaultPreemption";

std::string VictimNames(const Candidate& candidate, const ReplayedCluster& cluster) {
  std::vector<std::string> out;
  for (const core::PodId victim : candidate.victims) out.push_back(cluster.PodName(victim));
  return fmt::format("{}", fmt::join(out, " "));
}

void CompareMessage(const RecordedPreemption& recorded, const std::string& message,
                    ComparisonLog& log) {
  if (recorded.message) log.Compare("preemption message", "", kPlugin, *recorded.message, message);
}

constexpr std::string_view kDynamicResources = "DynamicResources";

// What DynamicResources says where its PostFilter runs before DefaultPreemption's.
std::string BeforePreemption(const core::Framework& framework) {
  for (const auto& entry : framework.At(core::ExtensionPoint::kPostFilter)) {
    if (entry.name == kPlugin) break;
    if (entry.name == kDynamicResources) {
      return framework.minor() < 37 ? "no new claims to deallocate, " : "";
    }
  }
  return "";
}

// Whether PostFilter ends with an error (`not found`) before DefaultPreemption, for a pod that
// PreFilter's plugin number `rejecting` refused: DynamicResources' fails where its PreFilter did
// not run (from 1.34).
bool PostFilterFails(const core::Framework& framework, std::int32_t rejecting) {
  if (rejecting == kNone) return false;
  const auto is_it = [](const auto& entry) { return entry.name == kDynamicResources; };
  const auto& ran = framework.At(core::ExtensionPoint::kPreFilter);
  return std::ranges::any_of(framework.At(core::ExtensionPoint::kPostFilter), is_it) &&
         std::none_of(ran.begin(), ran.begin() + rejecting + 1, is_it);
}

void CompareCandidates(const RecordedPreemption& recorded, const core::PreemptionDetail& detail,
                       const ReplayedCluster& cluster, const core::Framework& framework,
                       ComparisonLog& log) {
  std::map<std::string, const Candidate*> own;
  for (const Candidate& c : detail.candidates) own[cluster.NodeName(c.node)] = &c;
  std::vector<std::string> theirs, ours;
  for (const RecordedCandidate& c : recorded.candidates) theirs.push_back(c.node);
  for (const auto& [name, unused] : own) ours.push_back(name);
  log.Compare("candidates", "", kPlugin, Sorted(theirs), Sorted(ours));
  for (const RecordedCandidate& c : recorded.candidates) {
    const auto at = own.find(c.node);
    if (at == own.end()) continue;
    log.Compare("victims", c.node, kPlugin, fmt::format("{}", fmt::join(c.victims, " ")),
                VictimNames(*at->second, cluster));
    log.Compare("budget violations", c.node, kPlugin, c.pdb_violations, at->second->pdb_violations);
  }
  log.Compare("preemption result", "", kPlugin, recorded.code,
              detail.candidates.empty() ? "Unschedulable" : "Success");
  const std::int32_t best = framework.PickCandidate(detail.candidates);
  if (best == kNone) return;
  // Any candidate as good as the best may win.
  const Candidate& chosen = detail.candidates[static_cast<std::size_t>(best)];
  const auto at = own.find(recorded.nominated_node);
  const bool as_good = at != own.end() && framework.RankOf(*at->second) == framework.RankOf(chosen);
  log.Compare("preempted node", "", kPlugin, recorded.nominated_node,
              as_good ? recorded.nominated_node : cluster.NodeName(chosen.node));
}

// What a preemption that worked says (from 1.37): of the node that the recording names, since any
// candidate as good as the best may win.
std::string FoundMessage(const RecordedPreemption& recorded, const core::PreemptionDetail& detail,
                         const ReplayedCluster& cluster, ComparisonLog& log) {
  if (cluster.release().minor < 37) return "";
  const auto at = std::ranges::find(detail.candidates, recorded.nominated_node,
                                    [&](const Candidate& c) { return cluster.NodeName(c.node); });
  if (at == detail.candidates.end()) return "";
  const std::string message = fmt::format(
      "preemption: found a potential placement for pod on node {}, preempting {} victims",
      recorded.nominated_node, at->victims.size());
  CompareMessage(recorded, message, log);
  return message;
}

}  // namespace

std::string CheckPreemption(const RecordedPreemption& recorded, const core::Attempt& attempt,
                            const CodeOfNode& code_of, std::int32_t rejecting,
                            const ReplayedCluster& cluster, core::Framework& framework,
                            sim::Random& random, ComparisonLog& log) {
  if (PostFilterFails(framework, rejecting)) {
    log.Compare("preemption result", "", kPlugin, recorded.code, "Error");
    CompareMessage(recorded, "not found", log);
    return "not found";
  }
  const std::string before = BeforePreemption(framework);
  const NodeId nominated = cluster.cluster().pod(attempt.pod).nominated;
  std::string_view why_not;
  const bool eligible = framework.MayPreempt(
      attempt, nominated == kNone ? Code::kSuccess : code_of(nominated), why_not);
  log.Compare("eligible", "", kPlugin, recorded.eligible, eligible);
  if (!eligible) {
    const std::string message = before + fmt::format("preemption: {}", why_not);
    if (recorded.not_eligible) {
      log.Compare("not eligible", "", kPlugin, *recorded.not_eligible, std::string(why_not));
    }
    CompareMessage(recorded, message, log);
    return message;
  }
  core::PreemptionDetail detail;
  std::vector<core::NodeId> nodes;
  std::map<std::string, int> reasons;
  std::vector<std::string> potential;
  for (const NodeId node : cluster.cluster().order()) {
    // A node without a verdict was left out by PreFilter: until 1.28 preemption tries it,
    // until 1.31 the recorder counts it as one to try.
    const Code code = code_of(node);
    const int minor = cluster.release().minor;
    const bool left_out = code == Code::kSuccess;
    if (code == Code::kUnresolvable || (left_out && minor >= 29)) {
      ++reasons["Preemption is not helpful for scheduling"];
    } else {
      nodes.push_back(node);
    }
    if (code != Code::kUnresolvable && !(left_out && minor >= 32)) {
      potential.push_back(cluster.NodeName(node));
    }
  }
  log.Compare("potential nodes", "", kPlugin, Sorted(recorded.potential_nodes), Sorted(potential));
  framework.DryRun(attempt, nodes, random, detail);
  CompareCandidates(recorded, detail, cluster, framework, log);
  if (!detail.candidates.empty()) return FoundMessage(recorded, detail, cluster, log);
  for (const auto& [node, why] : detail.failures) {
    for (const std::string& reason : why) ++reasons[reason];
  }
  const std::string message =
      before + "preemption: " + core::UnavailableMessage(cluster.cluster().node_count(), reasons);
  CompareMessage(recorded, message, log);
  return message;
}

}  // namespace schedlens::verify
