#include "verify/attempt_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "verify/preemption_check.h"

namespace schedlens::verify {
namespace {

using core::Attempt;
using core::Code;
using core::ExtensionPoint;
using core::FilterVerdict;
using core::kNone;
using core::NodeId;
using core::Rejected;

// The order of reasons about extended resources is a Go map's; that of the others is compared.
std::string ReasonsText(std::vector<std::string> reasons) {
  const auto extended =
      std::stable_partition(reasons.begin(), reasons.end(), [](const std::string& reason) {
        constexpr std::string_view kInsufficient = "Insufficient ";
        if (!reason.starts_with(kInsufficient)) return true;
        const std::string_view name = std::string_view(reason).substr(kInsufficient.size());
        return name == "cpu" || name == "memory" || name == "ephemeral-storage";
      });
  std::sort(extended, reasons.end());
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

AttemptCheck::AttemptCheck(ReplayedCluster& cluster, const core::Configuration& configuration,
                           ComparisonLog& log)
    : replayed_(cluster),
      cluster_(cluster.cluster()),
      log_(log),
      framework_(cluster_, configuration, 0, {}),
      hints_(framework_),
      algorithm_(cluster_, configuration, 0) {}

void AttemptCheck::Check(const RecordedAttempt& recorded, core::PodId pod) {
  const Attempt attempt = framework_.MakeAttempt(pod);
  CompareNodes(recorded);
  verdicts_.assign(static_cast<std::size_t>(cluster_.node_limit()), std::nullopt);
  reasons_.clear();
  core::PreFilterNodes subset;
  std::int32_t rejecting = kNone;
  const Code code = framework_.PreFilter(attempt, subset, rejecting);
  rejecting_ = rejecting;
  ComparePreFilter(recorded, attempt, code, rejecting, subset);
  std::vector<NodeId> feasible;
  bool shortcut = false;
  plain_search_ = SearchesAllAgain(recorded, pod);
  if (code == Code::kSuccess) feasible = Search(recorded, attempt, subset, shortcut);
  log_.Compare("nominated node", "", "", recorded.nominated_shortcut, shortcut);
  CompareVerdicts(recorded, attempt);
  const bool scheduled = !feasible.empty();
  log_.Compare("result", "", "", recorded.result, scheduled ? "scheduled" : "unschedulable");
  const auto feasible_nodes = static_cast<std::int64_t>(feasible.size());
  log_.Compare("feasible nodes", "", "", recorded.feasible_nodes, feasible_nodes);
  const auto evaluated = std::count_if(verdicts_.begin(), verdicts_.end(),
                                       [](const auto& v) { return v.has_value(); });
  log_.Compare("evaluated nodes", "", "", recorded.evaluated_nodes, scheduled ? evaluated : 0);
  std::set<std::string> tied;
  if (scheduled) tied = CompareScores(recorded, attempt, feasible);
  if (!scheduled) CompareFailure(recorded, attempt, code);
  Remember(recorded, attempt, feasible);
  CompareFastPath(recorded, pod, feasible_nodes, tied);
}

// What the scheduler sees of the nodes and of the pods on them.
void AttemptCheck::CompareNodes(const RecordedAttempt& recorded) {
  std::vector<std::string> names, own;
  for (const NodeId node : cluster_.order()) own.push_back(replayed_.NodeName(node));
  for (const RecordedNode& node : recorded.nodes) {
    names.push_back(node.name);
    CompareNode(node);
  }
  log_.Compare("node order", "", "", fmt::format("{}", fmt::join(names, " ")),
               fmt::format("{}", fmt::join(own, " ")));
}

void AttemptCheck::CompareNode(const RecordedNode& recorded) {
  const core::NodeInfo& info = cluster_.node(replayed_.KnownNode(recorded.name));
  log_.Compare("pods on node", recorded.name, "", recorded.pods,
               static_cast<std::int64_t>(info.pods.size()));
  log_.Compare("requested", recorded.name, "", recorded.requested,
               fmt::format("[{},{},{}]", info.requested.milli_cpu, info.requested.memory,
                           info.requested.ephemeral_storage));
  log_.Compare("nonzero requested", recorded.name, "", recorded.nonzero,
               fmt::format("[{},{}]", info.nonzero.milli_cpu, info.nonzero.memory));
  std::vector<std::string> own_scalars;
  for (const core::ScalarAmount& s : info.requested.scalars) {
    if (s.amount == 0) continue;
    own_scalars.push_back(fmt::format("{}={}", cluster_.strings().Text(s.name), s.amount));
  }
  log_.Compare("requested", recorded.name, "", Sorted(recorded.scalars), Sorted(own_scalars));
}

void AttemptCheck::ComparePreFilter(const RecordedAttempt& recorded, const Attempt& attempt,
                                    Code code, std::int32_t rejecting,
                                    const core::PreFilterNodes& subset) {
  std::string theirs, own;
  refused_.clear();
  if (recorded.prefilter_fail) {
    const RecordedRejection& fail = *recorded.prefilter_fail;
    theirs = fmt::format("{} {}: {}", fail.plugin, fail.code, Sorted(fail.reasons));
  }
  if (code != Code::kSuccess && rejecting != kNone) {
    const auto& entry =
        framework_.At(ExtensionPoint::kPreFilter)[static_cast<std::size_t>(rejecting)];
    refused_ = entry.plugin->PreFilterReasons(attempt);
    own = fmt::format("{} {}: {}", entry.name, kube::ToString(code), Sorted(refused_));
  }
  log_.Compare("prefilter", "", "", theirs, own);
  std::vector<std::string> names;
  for (const NodeId node : subset.nodes) names.push_back(replayed_.NodeName(node));
  log_.Compare("prefilter nodes", "", "",
               recorded.prefilter_nodes ? Sorted(*recorded.prefilter_nodes) : "all",
               subset.all ? "all" : Sorted(names));
}

// The recording's times are those of its lines: near the scores' end of life either is right.
void AttemptCheck::CompareHint(const RecordedAttempt& recorded, const Attempt& attempt) {
  constexpr double kAboutMs = 150;
  std::vector<std::string> own;
  for (const NodeId node : hints_.Candidates(attempt)) {
    own.push_back(replayed_.NodeName(node));
  }
  const std::string& theirs = recorded.node_hint;
  const double late = recorded.arrived_ms - hints_.scored_ms() - core::NodeHints::kMaxAgeMs;
  if (late > kAboutMs || (theirs.empty() && late > -kAboutMs)) own.clear();
  // Of equals any may be tried.
  const bool known = std::find(own.begin(), own.end(), theirs) != own.end();
  log_.Compare("hinted node", "", "", theirs, known ? theirs : Sorted(own));
}

// What later pods of the same kind can go by.
void AttemptCheck::Remember(const RecordedAttempt& recorded, const Attempt& attempt,
                            const std::vector<NodeId>& feasible) {
  if (recorded.result != "scheduled") {
    hints_.Failed();
  } else if (recorded.hint_shortcut) {
    hints_.HintTaken(replayed_.KnownNode(recorded.node));
  } else {
    if (feasible.size() < 2) totals_.clear();
    hints_.Chosen(attempt, replayed_.KnownNode(recorded.node), feasible, totals_, std::move(raw_),
                  recorded.arrived_ms);
  }
}

// With asynchronous preemption a pod may be tried again before the update of its own status is
// back: its nomination holds room for it, but is not tried first. Nothing but the recording tells.
bool AttemptCheck::SearchesAllAgain(const RecordedAttempt& recorded, core::PodId pod) const {
  const NodeId nominated = cluster_.pod(pod).nominated;
  if (nominated == kNone || recorded.nominated_shortcut) return false;
  return replayed_.release().async_preemption() && recorded.result == "scheduled";
}

std::vector<NodeId> AttemptCheck::Search(const RecordedAttempt& recorded, const Attempt& attempt,
                                         const core::PreFilterNodes& subset, bool& shortcut) {
  const auto judge = [&](NodeId node) {
    const FilterVerdict verdict = framework_.Filter(attempt, node);
    verdicts_[static_cast<std::size_t>(node)] = verdict;
    return verdict.code == Code::kSuccess;
  };
  const NodeId nominated = cluster_.pod(attempt.pod).nominated;
  CompareHint(recorded, attempt);
  if (!recorded.node_hint.empty()) {
    const NodeId hint = replayed_.KnownNode(recorded.node_hint);
    const bool fits = judge(hint);
    log_.Compare("node hint", "", "", recorded.hint_shortcut, fits);
    if (fits) return {hint};
  }
  if (replayed_.release().prefers_nominated_node() && nominated != kNone && !plain_search_ &&
      judge(nominated)) {
    shortcut = true;
    return {nominated};
  }
  std::vector<NodeId> feasible;
  for (const NodeId node : cluster_.order()) {
    const bool wanted = subset.all || std::find(subset.nodes.begin(), subset.nodes.end(), node) !=
                                          subset.nodes.end();
    if (wanted && judge(node)) feasible.push_back(node);
  }
  return feasible;
}

const std::string& AttemptCheck::FilterName(std::int32_t plugin) const {
  return framework_.At(ExtensionPoint::kFilter)[static_cast<std::size_t>(plugin)].name;
}

void AttemptCheck::CompareVerdicts(const RecordedAttempt& recorded, const Attempt& attempt) {
  for (const RecordedNode& n : recorded.nodes) {
    const NodeId node = replayed_.KnownNode(n.name);
    const auto& verdict = verdicts_[static_cast<std::size_t>(node)];
    const bool ok = verdict && verdict->code == Code::kSuccess;
    const std::string own = !verdict ? "unevaluated" : ok ? "ok" : "fail";
    log_.Compare("verdict", n.name, "", n.verdict, own);
    if (!verdict || ok) continue;
    const auto rejections = framework_.Explain(attempt, node, *verdict, true);
    for (const std::string& reason : rejections.front().reasons) ++reasons_[reason];
    if (!n.fail) continue;
    CompareRejection(n.name, *n.fail, rejections.front());
    if (n.failed_pass) {
      log_.Compare("failed pass", n.name, "", *n.failed_pass, verdict->failed_pass);
    }
    log_.Compare("nominated pods", n.name, "", n.nominated_pods, verdict->nominated_pods);
    CompareAlsoFailing(n, rejections);
  }
}

void AttemptCheck::CompareRejection(const std::string& node, const RecordedRejection& recorded,
                                    const Rejected& own) {
  log_.Compare("rejecting plugin", node, recorded.plugin,
               fmt::format("{} {}", recorded.plugin, recorded.code),
               fmt::format("{} {}", FilterName(own.plugin), kube::ToString(own.code)));
  log_.Compare("reasons", node, recorded.plugin, ReasonsText(recorded.reasons),
               ReasonsText(own.reasons));
}

void AttemptCheck::CompareAlsoFailing(const RecordedNode& recorded,
                                      const std::vector<Rejected>& rejections) {
  std::vector<std::string> theirs, ours;
  for (const RecordedRejection& r : recorded.also_failing) {
    theirs.push_back(fmt::format("{} {}: {}", r.plugin, r.code, ReasonsText(r.reasons)));
  }
  for (std::size_t i = 1; i < rejections.size(); ++i) {
    ours.push_back(fmt::format("{} {}: {}", FilterName(rejections[i].plugin),
                               kube::ToString(rejections[i].code),
                               ReasonsText(rejections[i].reasons)));
  }
  log_.Compare("also failing", recorded.name, "", Sorted(theirs), Sorted(ours));
}

void AttemptCheck::CompareFailure(const RecordedAttempt& recorded, const Attempt& attempt,
                                  Code prefilter) {
  std::string post_filter;
  const bool runs = !framework_.At(ExtensionPoint::kPostFilter).empty();
  log_.Compare("preemption ran", "", "", recorded.preemption.has_value(), runs);
  if (runs && recorded.preemption) {
    const auto code_of = [&](NodeId node) {
      const auto& verdict = verdicts_[static_cast<std::size_t>(node)];
      return verdict ? verdict->code : prefilter;
    };
    post_filter = CheckPreemption(*recorded.preemption, attempt, code_of, rejecting_, replayed_,
                                  framework_, random_, log_);
  }
  CountLeftOut(prefilter);
  std::string message = refused_.empty() || replayed_.release().minor < 27
                            ? core::UnavailableMessage(cluster_.node_count(), reasons_)
                            : core::RefusedMessage(cluster_.node_count(), refused_);
  if (replayed_.release().minor >= 25 && !post_filter.empty()) {
    // Until 1.29 with a second full stop.
    message += " " + post_filter + (replayed_.release().minor < 30 ? "." : "");
  }
  if (recorded.message) log_.Compare("message", "", "", *recorded.message, message);
}

// From 1.32 the message counts the nodes that PreFilter left out.
void AttemptCheck::CountLeftOut(Code prefilter) {
  if (prefilter != Code::kSuccess || replayed_.release().minor < 32) return;
  for (const NodeId node : cluster_.order()) {
    if (verdicts_[core::Index(node)]) continue;
    ++reasons_[framework_.LeftOutReason()];
  }
}

// The path that simulations take must come to the same.
void AttemptCheck::CompareFastPath(const RecordedAttempt& recorded, core::PodId pod,
                                   std::int64_t feasible, const std::set<std::string>& tied) {
  if (!recorded.node_hint.empty()) return;  // it knows no hints
  const NodeId nominated = cluster_.pod(pod).nominated;
  if (plain_search_) cluster_.Nominate(pod, kNone);
  algorithm_.Schedule(pod, random_, nullptr, result_);
  cluster_.Nominate(pod, nominated);
  const bool scheduled = result_.outcome == core::Outcome::kScheduled;
  log_.Compare("fast path", "", "", recorded.result, scheduled ? "scheduled" : "unschedulable");
  log_.Compare("fast path", "", "", feasible, result_.feasible);
  if (!scheduled) return;
  log_.Compare("fast path", "", "", true, tied.count(replayed_.NodeName(result_.node)) > 0);
  log_.Compare("chosen node", "", "", true, tied.count(recorded.node) > 0);
}

}  // namespace schedlens::verify
