#include "verify/placements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "model/byte_source.h"
#include "model/file.h"
#include "model/text.h"
#include "schedlens/error.h"
#include "sim/cluster/objects_json.h"
#include "sim/framework/algorithm.h"
#include "sim/framework/framework.h"

namespace schedlens::sim {
namespace {

using Json = nlohmann::json;
using core::Attempt;
using core::Candidate;
using core::Code;
using core::CodeText;
using core::ExtensionPoint;
using core::FilterVerdict;
using core::kNone;
using core::NodeId;
using core::PodId;
using core::Rejected;

std::string Sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> out;
  for (const Json& item : list) out.push_back(item.get<std::string>());
  return out;
}

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

class Replay {
 public:
  Replay(VerifyReport& report, const Release& release, const core::Configuration& configuration,
         core::Cluster& cluster)
      : report_(report),
        release_(release),
        cluster_(cluster),
        framework_(cluster, configuration, 0, {}),
        algorithm_(cluster, configuration, 0),
        random_(1) {}

  void Line(const Json& line) {
    seq_ = line.value("seq", std::int64_t{0});
    if (line.at("kind") == "event") {
      Event(line);
    } else {
      DoAttempt(line);
    }
  }

 private:
  // --- bookkeeping of comparisons

  void Compare(std::string_view kind, const std::string& node, std::string_view plugin,
               const std::string& recorded, const std::string& own) {
    VerifyCount& count = report_.by_kind[std::string(kind)];
    ++count.compared;
    if (recorded == own) return;
    ++count.mismatches;
    report_.mismatches.push_back(
        {seq_, pod_name_, attempt_, node, std::string(plugin), std::string(kind), recorded, own});
  }
  void Compare(std::string_view kind, const std::string& node, std::string_view plugin,
               std::int64_t recorded, std::int64_t own) {
    if (recorded == own) {
      ++report_.by_kind[std::string(kind)].compared;
    } else {
      Compare(kind, node, plugin, std::to_string(recorded), std::to_string(own));
    }
  }

  const std::string& NodeName(NodeId node) const {
    return cluster_.strings().Text(cluster_.node(node).node.name);
  }
  std::string PodName(PodId pod) const {
    return cluster_.strings().Text(cluster_.SpecOf(pod).namespace_name) + "/" +
           cluster_.pod(pod).name;
  }
  NodeId NodeOf(const std::string& name) const {
    const core::Id id = cluster_.strings().Find(name);
    return id == kNone ? kNone : cluster_.FindNode(id);
  }
  NodeId KnownNode(const std::string& name) const {
    const NodeId node = NodeOf(name);
    if (node == kNone) throw Error(ErrorKind::kFailed, fmt::format("node `{}` is unknown", name));
    return node;
  }

  // --- events

  void Event(const Json& line) {
    const std::string what = line.at("event").get<std::string>();
    if (what == "objectPut") {
      cluster_.AddNode(core::ReadNode(line.at("object").dump(), "objectPut", cluster_.strings()));
      return;
    }
    if (what == "podAdded") {
      AddPod(line.at("object"));
      return;
    }
    const std::string name = line.at("pod").get<std::string>();
    const auto at = pods_.find(name);
    if (at == pods_.end()) return;
    const PodId pod = at->second;
    if (what == "bound") {
      starts_[pod] = ParseTime(line.at("startTime").get<std::string>(), 0).value_or(0);
      // The old cache keeps the pod as it was assumed when its binding is confirmed, without what
      // else that update brought; only the next one gets in.
      if (release_.minor >= 22) cluster_.SetStart(pod, starts_[pod]);
    } else if (what == "podDeleted") {
      Forget(name);
    } else if (what == "podTerminating") {
      if (const auto start = starts_.find(pod); start != starts_.end()) {
        cluster_.SetStart(pod, start->second);
      }
      cluster_.SetTerminating(pod);
    } else if (what == "podNominated") {
      HearNomination(pod, NodeOf(line.at("nominatedNodeName").get<std::string>()));
    } else {
      throw Error(ErrorKind::kFailed, fmt::format("event `{}` is unknown", what));
    }
  }

  // The scheduler knows what it nominates before the API server does: the event that comes back is
  // old news, and may be older than the latest nomination.
  void HearNomination(PodId pod, NodeId node) {
    auto& expected = nominations_[pod];
    const auto at = std::find(expected.begin(), expected.end(), node);
    if (at != expected.end()) {
      expected.erase(expected.begin(), at + 1);
    } else if (cluster_.pod(pod).node == kNone) {
      cluster_.Nominate(pod, node);
    }
  }

  // Preempting for a pod takes the node from pods of lower priority nominated to it.
  void Nominate(PodId pod, NodeId node) {
    const std::vector<PodId> others = cluster_.node(node).nominated;
    for (const PodId other : others) {
      if (cluster_.SpecOf(other).priority >= cluster_.SpecOf(pod).priority) continue;
      cluster_.Nominate(other, kNone);
      nominations_[other].push_back(kNone);
    }
    cluster_.Nominate(pod, node);
    nominations_[pod].push_back(node);
  }

  void AddPod(const Json& object) {
    core::PodObject pod = core::ReadPod(object.dump(), "podAdded", cluster_.strings());
    const NodeId node = cluster_.FindNode(pod.spec.node_name);
    const std::string name = cluster_.strings().Text(pod.spec.namespace_name) + "/" + pod.name;
    Forget(name);
    const PodId id = Create(name, std::move(pod));
    if (node != kNone) cluster_.BindPod(id, node);
  }

  void Forget(const std::string& name) {
    const auto at = pods_.find(name);
    if (at == pods_.end()) return;
    starts_.erase(at->second);
    nominations_.erase(at->second);
    cluster_.DeletePod(at->second);
    pods_.erase(at);
  }

  PodId Create(const std::string& name, core::PodObject pod) {
    // Budgets know their pods by name.
    cluster_.strings().Intern(pod.name);
    const std::int64_t start = pod.start_ms;
    const bool terminating = pod.terminating;
    const core::Id uid = pod.uid;
    std::string own_name = pod.name;
    const PodId id =
        cluster_.CreatePod(std::move(own_name), cluster_.AddSpec(std::move(pod.spec)), uid);
    cluster_.SetStart(id, start);
    if (terminating) cluster_.SetTerminating(id);
    pods_[name] = id;
    return id;
  }

  // --- attempts

  void DoAttempt(const Json& line) {
    pod_name_ = line.at("podName").get<std::string>();
    attempt_ = line.value("attempt", std::int64_t{0});
    core::PodObject object = core::ReadPod(line.at("pod").dump(), pod_name_, cluster_.strings());
    // A pod keeps its nomination from try to try.
    const auto known = pods_.find(pod_name_);
    const NodeId nominated = known != pods_.end() ? cluster_.pod(known->second).nominated
                                                  : cluster_.FindNode(object.nominated_node);
    std::vector<NodeId> expected;
    if (known != pods_.end()) expected = std::move(nominations_[known->second]);
    Forget(pod_name_);
    object.start_ms = 0;
    const PodId pod = Create(pod_name_, std::move(object));
    nominations_[pod] = std::move(expected);
    cluster_.Nominate(pod, nominated);
    if (line.value("stateDiffers", false)) {
      ++report_.skipped;
    } else {
      ++report_.attempts;
      CompareAttempt(line, pod);
    }
    const std::string node = line.at("node").get<std::string>();
    if (line.at("result") == "scheduled") {
      cluster_.BindPod(pod, KnownNode(node));
    } else if (!node.empty()) {
      Nominate(pod, KnownNode(node));
    }
  }

  void CompareAttempt(const Json& line, PodId pod) {
    const Attempt attempt = framework_.MakeAttempt(pod);
    CompareNodes(line);
    verdicts_.assign(static_cast<std::size_t>(cluster_.node_limit()), std::nullopt);
    reasons_.clear();
    core::PreFilterNodes subset;
    std::int32_t rejecting = kNone;
    const Code code = framework_.PreFilter(attempt, subset, rejecting);
    ComparePreFilter(line, attempt, code, rejecting, subset);
    std::vector<NodeId> feasible;
    bool shortcut = false;
    if (code == Code::kSuccess) feasible = Search(attempt, subset, shortcut);
    Compare("nominated node", "", "", line.value("nominatedNodeShortcut", false), shortcut);
    CompareVerdicts(line, attempt, code);
    const bool scheduled = !feasible.empty();
    Compare("result", "", "", line.at("result").get<std::string>(),
            scheduled ? "scheduled" : "unschedulable");
    Compare("feasible nodes", "", "", line.at("feasibleNodes").get<std::int64_t>(),
            static_cast<std::int64_t>(feasible.size()));
    const auto evaluated = std::count_if(verdicts_.begin(), verdicts_.end(),
                                         [](const auto& v) { return v.has_value(); });
    Compare("evaluated nodes", "", "", line.at("evaluatedNodes").get<std::int64_t>(),
            scheduled ? evaluated : 0);
    std::set<std::string> tied;
    if (scheduled) tied = CompareScores(line, attempt, feasible);
    if (!scheduled) CompareFailure(line, attempt, pod, code);
    CompareFastPath(line, pod, static_cast<std::int64_t>(feasible.size()), tied);
  }

  // What the scheduler sees of the nodes and of the pods on them.
  void CompareNodes(const Json& line) {
    std::vector<std::string> own;
    for (const NodeId node : cluster_.order()) own.push_back(NodeName(node));
    std::vector<std::string> recorded;
    for (const Json& n : line.at("nodes")) {
      const std::string name = n.at("node").get<std::string>();
      recorded.push_back(name);
      const core::NodeInfo& info = cluster_.node(KnownNode(name));
      Compare("pods on node", name, "", n.at("pods").get<std::int64_t>(),
              static_cast<std::int64_t>(info.pods.size()));
      Compare("requested", name, "", n.at("requested").dump(),
              fmt::format("[{},{},{}]", info.requested.milli_cpu, info.requested.memory,
                          info.requested.ephemeral_storage));
      Compare("nonzero requested", name, "", n.at("nonzero").dump(),
              fmt::format("[{},{}]", info.nonzero.milli_cpu, info.nonzero.memory));
      std::vector<std::string> scalars, own_scalars;
      if (n.contains("scalar")) {
        for (const auto& item : n["scalar"].items()) {
          if (item.value() != 0) scalars.push_back(item.key() + "=" + item.value().dump());
        }
      }
      for (const core::ScalarAmount& s : info.requested.scalars) {
        if (s.amount == 0) continue;
        own_scalars.push_back(fmt::format("{}={}", cluster_.strings().Text(s.name), s.amount));
      }
      Compare("requested", name, "", Sorted(scalars), Sorted(own_scalars));
    }
    Compare("node order", "", "", fmt::format("{}", fmt::join(recorded, " ")),
            fmt::format("{}", fmt::join(own, " ")));
  }

  void ComparePreFilter(const Json& line, const Attempt& attempt, Code code, std::int32_t rejecting,
                        const core::PreFilterNodes& subset) {
    std::string recorded, own;
    if (line.contains("preFilterFail")) {
      const Json& fail = line["preFilterFail"];
      recorded = fmt::format("{} {}: {}", fail.at("plugin").get<std::string>(),
                             fail.at("code").get<std::string>(), Sorted(Texts(fail.at("reasons"))));
    }
    if (code != Code::kSuccess && rejecting != kNone) {
      const auto& entry =
          framework_.At(ExtensionPoint::kPreFilter)[static_cast<std::size_t>(rejecting)];
      own = fmt::format("{} {}: {}", entry.name, CodeText(code),
                        Sorted(entry.plugin->PreFilterReasons(attempt)));
    }
    Compare("prefilter", "", "", recorded, own);
    std::vector<std::string> names;
    for (const NodeId node : subset.nodes) names.push_back(NodeName(node));
    const std::string nodes =
        line.contains("preFilterNodes") ? Sorted(Texts(line["preFilterNodes"])) : "all";
    Compare("prefilter nodes", "", "", nodes, subset.all ? "all" : Sorted(names));
  }

  std::vector<NodeId> Search(const Attempt& attempt, const core::PreFilterNodes& subset,
                             bool& shortcut) {
    const auto judge = [&](NodeId node) {
      const FilterVerdict verdict = framework_.Filter(attempt, node);
      verdicts_[static_cast<std::size_t>(node)] = verdict;
      return verdict.code == Code::kSuccess;
    };
    const NodeId nominated = cluster_.pod(attempt.pod).nominated;
    if (release_.minor >= 22 && nominated != kNone && judge(nominated)) {
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

  const std::string& FilterName(std::int32_t plugin) const {
    return framework_.At(ExtensionPoint::kFilter)[static_cast<std::size_t>(plugin)].name;
  }

  void CompareVerdicts(const Json& line, const Attempt& attempt, Code prefilter) {
    for (const Json& n : line.at("nodes")) {
      const std::string name = n.at("node").get<std::string>();
      const NodeId node = KnownNode(name);
      const auto& verdict = verdicts_[static_cast<std::size_t>(node)];
      const bool ok = verdict && verdict->code == Code::kSuccess;
      const std::string own = !verdict && prefilter == Code::kSuccess ? "unevaluated"
                              : ok                                    ? "ok"
                                                                      : "fail";
      Compare("verdict", name, "", n.at("verdict").get<std::string>(), own);
      if (!verdict || ok) continue;
      const auto rejections = framework_.Explain(attempt, node, *verdict, true);
      for (const std::string& reason : rejections.front().reasons) ++reasons_[reason];
      if (!n.contains("fail")) continue;
      CompareRejection("rejecting plugin", "reasons", name, n["fail"], rejections.front());
      if (n.contains("failedPass")) {
        Compare("failed pass", name, "", n["failedPass"].get<std::int64_t>(), verdict->failed_pass);
      }
      Compare("nominated pods", name, "", n.value("nominatedPodsConsidered", false),
              verdict->nominated_pods);
      CompareAlsoFailing(name, n, rejections);
    }
  }

  void CompareRejection(std::string_view kind, std::string_view reasons_kind,
                        const std::string& node, const Json& recorded, const Rejected& own) {
    const std::string plugin = recorded.at("plugin").get<std::string>();
    Compare(kind, node, plugin,
            fmt::format("{} {}", plugin, recorded.at("code").get<std::string>()),
            fmt::format("{} {}", FilterName(own.plugin), CodeText(own.code)));
    Compare(reasons_kind, node, plugin, ReasonsText(Texts(recorded.at("reasons"))),
            ReasonsText(own.reasons));
  }

  void CompareAlsoFailing(const std::string& name, const Json& n,
                          const std::vector<Rejected>& rejections) {
    const Json recorded = n.contains("alsoFailing") ? n["alsoFailing"] : Json::array();
    std::vector<std::string> theirs, ours;
    for (const Json& r : recorded) {
      theirs.push_back(fmt::format("{} {}: {}", r.at("plugin").get<std::string>(),
                                   r.at("code").get<std::string>(),
                                   ReasonsText(Texts(r.at("reasons")))));
    }
    for (std::size_t i = 1; i < rejections.size(); ++i) {
      ours.push_back(fmt::format("{} {}: {}", FilterName(rejections[i].plugin),
                                 CodeText(rejections[i].code), ReasonsText(rejections[i].reasons)));
    }
    Compare("also failing", name, "", Sorted(theirs), Sorted(ours));
  }

  std::set<std::string> CompareScores(const Json& line, const Attempt& attempt,
                                      const std::vector<NodeId>& feasible) {
    Compare("scored", "", "", line.contains("scorePlugins"), feasible.size() > 1);
    if (feasible.size() < 2) return {NodeName(feasible[0])};
    std::vector<std::int64_t> totals;
    std::vector<std::vector<std::int64_t>> raw, norm;
    framework_.Score(attempt, feasible, totals, &raw, &norm);
    const std::int64_t top = *std::max_element(totals.begin(), totals.end());
    std::set<std::string> tied;
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      if (totals[i] == top) tied.insert(NodeName(feasible[i]));
    }
    if (!line.contains("scorePlugins")) return tied;
    const auto& own = framework_.At(ExtensionPoint::kScore);
    std::vector<std::string> theirs, ours;
    for (const Json& p : line["scorePlugins"]) {
      theirs.push_back(fmt::format("{}({}){}", p.at("name").get<std::string>(),
                                   p.at("weight").get<std::int64_t>(),
                                   p.at("normalizes").get<bool>() ? " normalizes" : ""));
    }
    for (const auto& entry : own) {
      ours.push_back(fmt::format("{}({}){}", entry.name, entry.weight,
                                 entry.plugin->normalizes() ? " normalizes" : ""));
    }
    Compare("score plugins", "", "", fmt::format("{}", fmt::join(theirs, ", ")),
            fmt::format("{}", fmt::join(ours, ", ")));
    if (theirs != ours) return tied;
    for (const Json& n : line.at("nodes")) {
      if (!n.contains("raw")) continue;
      const std::string name = n.at("node").get<std::string>();
      const auto at = std::find(feasible.begin(), feasible.end(), NodeOf(name));
      if (at == feasible.end()) continue;
      const auto i = static_cast<std::size_t>(at - feasible.begin());
      for (std::size_t k = 0; k < own.size(); ++k) {
        Compare("raw score", name, own[k].name, n["raw"].at(k).get<std::int64_t>(), raw[k][i]);
        Compare("score", name, own[k].name, n.at("norm").at(k).get<std::int64_t>(), norm[k][i]);
      }
      Compare("total", name, "", n.at("total").get<std::int64_t>(), totals[i]);
    }
    Compare("top score", "", "", line.at("topScore").get<std::int64_t>(), top);
    Compare("tied", "", "", Sorted(Texts(line.at("tied"))), Sorted({tied.begin(), tied.end()}));
    return tied;
  }

  void CompareFailure(const Json& line, const Attempt& attempt, PodId pod, Code prefilter) {
    std::string message = core::UnavailableMessage(cluster_.node_count(), reasons_);
    std::string post_filter;
    const bool runs = !framework_.At(ExtensionPoint::kPostFilter).empty();
    Compare("preemption ran", "", "", line.contains("postFilter"), runs);
    if (runs && line.contains("postFilter")) {
      post_filter = ComparePreemption(line["postFilter"], attempt, pod, prefilter);
    }
    if (release_.minor >= 25 && !post_filter.empty()) message += " " + post_filter + ".";
    if (line.contains("message")) {
      Compare("message", "", "", line["message"].get<std::string>(), message);
    }
  }

  std::vector<std::string> VictimNames(const Candidate& candidate) const {
    std::vector<std::string> out;
    for (const PodId victim : candidate.victims) out.push_back(PodName(victim));
    return out;
  }

  // Returns what PostFilter has to say in the pod's message.
  std::string ComparePreemption(const Json& recorded, const Attempt& attempt, PodId pod,
                                Code prefilter) {
    const NodeId nominated = cluster_.pod(pod).nominated;
    const auto code_of = [&](NodeId node) {
      const auto& verdict = verdicts_[static_cast<std::size_t>(node)];
      return verdict ? verdict->code : prefilter;
    };
    std::string_view why_not;
    const bool eligible = framework_.MayPreempt(
        attempt, nominated == kNone ? Code::kSuccess : code_of(nominated), why_not);
    Compare("eligible", "", "DefaultPreemption", recorded.at("eligible").get<bool>(), eligible);
    if (!eligible) {
      const std::string message = fmt::format("preemption: {}", why_not);
      ComparePostFilterMessage(recorded, message);
      return message;
    }
    core::PreemptionDetail detail;
    std::map<std::string, int> reasons;
    for (const NodeId node : cluster_.order()) {
      if (code_of(node) == Code::kUnresolvable) {
        ++reasons["Preemption is not helpful for scheduling"];
      } else {
        detail.potential_nodes.push_back(node);
      }
    }
    std::vector<std::string> potential;
    for (const NodeId node : detail.potential_nodes) potential.push_back(NodeName(node));
    Compare("potential nodes", "", "DefaultPreemption",
            Sorted(Texts(recorded.at("potentialNodes"))), Sorted(potential));
    framework_.DryRun(attempt, detail.potential_nodes, random_, detail);
    CompareCandidates(recorded, detail);
    if (!detail.candidates.empty()) return "";
    for (const auto& [node, why] : detail.failures) {
      for (const std::string& reason : why) ++reasons[reason];
    }
    const std::string message =
        "preemption: " + core::UnavailableMessage(cluster_.node_count(), reasons);
    ComparePostFilterMessage(recorded, message);
    return message;
  }

  void ComparePostFilterMessage(const Json& recorded, const std::string& message) {
    if (recorded.contains("message")) {
      Compare("preemption message", "", "DefaultPreemption", recorded["message"].get<std::string>(),
              message);
    }
  }

  void CompareCandidates(const Json& recorded, const core::PreemptionDetail& detail) {
    std::map<std::string, const Candidate*> own;
    for (const Candidate& c : detail.candidates) own[NodeName(c.node)] = &c;
    std::vector<std::string> theirs, ours;
    for (const Json& c : recorded.at("candidates")) theirs.push_back(c.at("node"));
    for (const auto& [name, unused] : own) ours.push_back(name);
    Compare("candidates", "", "DefaultPreemption", Sorted(theirs), Sorted(ours));
    for (const Json& c : recorded.at("candidates")) {
      const std::string name = c.at("node").get<std::string>();
      const auto at = own.find(name);
      if (at == own.end()) continue;
      Compare("victims", name, "DefaultPreemption",
              fmt::format("{}", fmt::join(Texts(c.at("victims")), " ")),
              fmt::format("{}", fmt::join(VictimNames(*at->second), " ")));
      Compare("budget violations", name, "DefaultPreemption",
              c.at("pdbViolations").get<std::int64_t>(), at->second->pdb_violations);
    }
    Compare("preemption result", "", "DefaultPreemption", recorded.at("code").get<std::string>(),
            detail.candidates.empty() ? "Unschedulable" : "Success");
    const std::int32_t best = framework_.PickCandidate(detail.candidates);
    if (best == kNone) return;
    // Any candidate as good as the best may win.
    const auto& chosen = detail.candidates[static_cast<std::size_t>(best)];
    const std::string nominated = recorded.value("nominatedNode", "");
    const auto at = own.find(nominated);
    const bool as_good =
        at != own.end() && framework_.RankOf(*at->second) == framework_.RankOf(chosen);
    Compare("preempted node", "", "DefaultPreemption", nominated,
            as_good ? nominated : NodeName(chosen.node));
  }

  // The path that simulations take must come to the same.
  void CompareFastPath(const Json& line, PodId pod, std::int64_t feasible,
                       const std::set<std::string>& tied) {
    algorithm_.Schedule(pod, random_, nullptr, result_);
    const bool scheduled = result_.outcome == core::Outcome::kScheduled;
    Compare("fast path", "", "", line.at("result").get<std::string>(),
            scheduled ? "scheduled" : "unschedulable");
    Compare("fast path", "", "", feasible, result_.feasible);
    if (scheduled) {
      Compare("fast path", "", "", true, tied.count(NodeName(result_.node)) > 0);
      Compare("chosen node", "", "", true, tied.count(line.at("node").get<std::string>()) > 0);
    }
  }

  VerifyReport& report_;
  Release release_;
  core::Cluster& cluster_;
  core::Framework framework_;
  core::Algorithm algorithm_;
  Random random_;
  core::ScheduleResult result_;
  std::map<std::string, PodId> pods_;
  std::map<PodId, std::vector<NodeId>> nominations_;  // made, not yet come back as events
  std::map<PodId, std::int64_t> starts_;  // status.startTime, known to the scheduler or not
  std::vector<std::optional<FilterVerdict>> verdicts_;
  std::map<std::string, int> reasons_;
  std::int64_t seq_ = 0, attempt_ = 0;
  std::string pod_name_;
};

std::string Unpack(const std::string& path) {
  const auto source = OpenByteSource(path, path);
  std::string out(std::size_t{1} << 20, '\0');
  std::size_t size = 0;
  while (const std::size_t n = source->Read(out.data() + size, out.size() - size)) {
    size += n;
    if (size == out.size()) out.resize(2 * size);
  }
  out.resize(size);
  return out;
}

std::string ReadDecisions(const std::filesystem::path& directory) {
  for (const char* name : {"decisions.jsonl.gz", "decisions.jsonl"}) {
    const auto path = directory / name;
    if (std::filesystem::exists(path)) return Unpack(path.string());
  }
  throw Error(ErrorKind::kFailed,
              fmt::format("{}: no decisions.jsonl.gz; give a folder with cluster.json, config.yaml "
                          "and decisions.jsonl.gz",
                          directory.string()));
}

// v1beta1 was read from 1.19 to 1.22 and v1 is since 1.25: what the decisions name tells more.
Release TellRelease(const core::Configuration& configuration, std::string_view decisions) {
  const bool own_scores =
      decisions.find("\"NodeResourcesLeastAllocated\"") != std::string_view::npos;
  const bool shortcut = decisions.find("\"nominatedNodeShortcut\":true") != std::string_view::npos;
  if (configuration.api_version == "v1beta1") return Release{shortcut && !own_scores ? 22 : 20};
  return configuration.release;
}

}  // namespace

std::int64_t VerifyReport::compared() const {
  std::int64_t sum = 0;
  for (const auto& [kind, count] : by_kind) sum += count.compared;
  return sum;
}

VerifyReport VerifyPlacements(const std::string& directory, std::string_view kubernetes_version) {
  const std::filesystem::path folder(directory);
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::kFailed, fmt::format("{}: no such folder", directory));
  }
  const std::string config_file = (folder / "config.yaml").string();
  const std::string config = ReadFile(config_file);
  const std::string decisions = ReadDecisions(folder);
  std::optional<Release> release;
  if (!kubernetes_version.empty()) release = Release::Parse(kubernetes_version);
  core::Configuration configuration = core::ReadConfiguration(config, config_file, release);
  if (!release) {
    release = TellRelease(configuration, decisions);
    configuration = core::ReadConfiguration(config, config_file, release);
  }

  VerifyReport report;
  report.directory = directory;
  report.kubernetes_version = fmt::format("1.{}", release->minor);
  core::Cluster cluster(*release, std::make_shared<core::Strings>());
  const std::string cluster_file = (folder / "cluster.json").string();
  core::LoadObjects(ReadFile(cluster_file), cluster_file, cluster);
  Replay replay(report, *release, configuration, cluster);
  std::size_t begin = 0;
  for (int number = 1; begin < decisions.size(); ++number) {
    const std::size_t end = std::min(decisions.find('\n', begin), decisions.size());
    const std::string_view text = std::string_view(decisions).substr(begin, end - begin);
    begin = end + 1;
    if (text.empty()) continue;
    try {
      replay.Line(Json::parse(text));
    } catch (const Json::exception& error) {
      throw Error(ErrorKind::kFailed,
                  fmt::format("{}: decisions, line {}: {}", directory, number, error.what()));
    } catch (const Error& error) {
      throw Error(error.kind(),
                  fmt::format("{}: decisions, line {}: {}", directory, number, error.what()));
    }
  }
  if (report.attempts == 0) {
    throw Error(ErrorKind::kInsufficientData,
                fmt::format("{}: the decisions hold no attempt to compare", directory));
  }
  return report;
}

std::string VerifyText(const VerifyReport& report) {
  std::string out = fmt::format("{}: {} attempts of kube-scheduler {} replayed\n", report.directory,
                                report.attempts, report.kubernetes_version);
  if (report.skipped > 0) {
    out +=
        fmt::format("{} attempts skipped: the recorder did not know the state\n", report.skipped);
  }
  for (const auto& [kind, count] : report.by_kind) {
    out += fmt::format("  {:<20} {:>9} compared {:>6} different\n", kind, count.compared,
                       count.mismatches);
  }
  for (const VerifyMismatch& m : report.mismatches) {
    out += fmt::format("mismatch: line {} {} attempt {}", m.seq, m.pod, m.attempt);
    if (!m.node.empty()) out += " node " + m.node;
    if (!m.plugin.empty()) out += " " + m.plugin;
    out += fmt::format(": {}: recorded `{}`, own `{}`\n", m.kind, m.recorded, m.own);
  }
  out += fmt::format("{} compared, {} mismatches\n", report.compared(), report.mismatches.size());
  return out;
}

std::string VerifyJson(const VerifyReport& report) {
  Json out = {{"compared", report.compared()},
              {"mismatches", report.mismatches.size()},
              {"kubernetes_version", report.kubernetes_version},
              {"directory", report.directory},
              {"attempts", report.attempts},
              {"skipped", report.skipped},
              {"by_kind", Json::object()},
              {"list", Json::array()}};
  for (const auto& [kind, count] : report.by_kind) {
    out["by_kind"][kind] = {{"compared", count.compared}, {"mismatches", count.mismatches}};
  }
  for (const VerifyMismatch& m : report.mismatches) {
    out["list"].push_back({{"seq", m.seq},
                           {"pod", m.pod},
                           {"attempt", m.attempt},
                           {"node", m.node},
                           {"plugin", m.plugin},
                           {"kind", m.kind},
                           {"recorded", m.recorded},
                           {"own", m.own}});
  }
  return out.dump() + "\n";
}

}  // namespace schedlens::sim
