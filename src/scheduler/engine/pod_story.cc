#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "scheduler/engine/truth.h"

namespace schedlens::sim {
namespace {

using core::Index;
using Lines = std::vector<std::string>;

constexpr std::size_t kLines = 30;
constexpr std::size_t kColumns = 80;
constexpr std::size_t kGroups = 5;  // of nodes, unless all are shown
constexpr std::size_t kNames = 3;   // of nodes in a group

// Puts words over as many lines as they need; all but the first are indented by `hang`.
void PutWrapped(Lines& lines, std::string text, std::size_t hang) {
  const std::string indent(hang, ' ');
  while (text.size() > kColumns) {
    std::size_t cut = text.rfind(' ', kColumns);
    const std::size_t start = text.find_first_not_of(' ');
    if (cut == std::string::npos || cut <= std::max(hang, start)) cut = text.find(' ', kColumns);
    if (cut == std::string::npos) break;
    lines.push_back(text.substr(0, cut));
    text = indent + text.substr(cut + 1);
  }
  lines.push_back(std::move(text));
}

// The first names, and how many more there are.
std::string Some(const std::vector<std::string>& names, std::size_t shown) {
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format(
      "{} and {} more",
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      names.size() - shown);
}

// The groups of rejected nodes; `names` by node index.
void PutRejected(Lines& out, const core::AttemptDetail& detail,
                 const std::vector<std::string>& names, bool full) {
  const std::size_t groups =
      full ? detail.rejected.size() : std::min(detail.rejected.size(), kGroups);
  for (std::size_t i = 0; i < groups; ++i) {
    const core::RejectedNodes& group = detail.rejected[i];
    std::vector<std::string> nodes;
    for (const core::NodeId node : group.nodes) nodes.push_back(names[Index(node)]);
    PutWrapped(
        out,
        fmt::format("  {:>6}  {}: {}", nodes.size(), group.plugin, fmt::join(group.reasons, "; ")),
        10);
    PutWrapped(out, fmt::format("          {}", Some(nodes, full ? nodes.size() : kNames)), 10);
  }
  if (groups < detail.rejected.size()) {
    out.push_back(fmt::format("          {} more reasons", detail.rejected.size() - groups));
  }
}

// Nodes by how many pods each takes, most first.
void PutSpread(Lines& out, const FitResult& fit, bool full) {
  std::size_t groups = 0;
  for (auto at = fit.by_node.begin(); at != fit.by_node.end();) {
    const auto end = std::find_if(at, fit.by_node.end(),
                                  [&](const auto& node) { return node.second != at->second; });
    if (!full && ++groups > kGroups) {
      out.push_back(fmt::format("          fewer on {} more nodes", fit.by_node.end() - at));
      return;
    }
    std::vector<std::string> names;
    for (auto node = at; node != end; ++node) names.push_back(node->first);
    PutWrapped(out,
               fmt::format("  {:>6}  on {}{}", at->second, names.size() > 1 ? "each of " : "",
                           Some(names, full ? names.size() : kNames)),
               10);
    at = end;
  }
}

Json RejectedJson(const core::AttemptDetail& detail, const std::vector<std::string>& names) {
  Json rejected = Json::array();
  for (const core::RejectedNodes& group : detail.rejected) {
    Json nodes = Json::array();
    for (const core::NodeId node : group.nodes) nodes.push_back(names[Index(node)]);
    rejected.push_back({{"extension_point", kube::ToString(group.point)},
                        {"plugin", group.plugin},
                        {"status", kube::ToString(group.code)},
                        {"reasons", group.reasons},
                        {"count", group.nodes.size()},
                        {"nodes", std::move(nodes)}});
  }
  return rejected;
}

class JsonStory {
 public:
  JsonStory(const Scenario& scenario, const SimulationResult& result)
      : scenario_(scenario), result_(result) {}

  Json Attempt(const WatchedAttempt& attempt) const {
    Json json = {{"number", attempt.number}, {"start_s", ToSeconds(attempt.start)}};
    if (const AttemptRecord* record = RecordOf(result_, attempt)) {
      json["result"] = kube::ToString(record->result);
      json["algorithm_s"] = ToSeconds(record->algorithm);
      json["e2e_s"] = ToSeconds(record->e2e);
    }
    if (!attempt.why.empty()) json["why"] = attempt.why;
    if (attempt.detail) json.update(Detail(*attempt.detail));
    if (attempt.preemption) json["preemption"] = Preemption(*attempt.preemption);
    return json;
  }

  Json Move(const QueueMove& move) const {
    Json json = {{"at_s", ToSeconds(move.at)},
                 {"queue", kube::ToString(move.to)},
                 {"event", kube::SpellingIn(move.event, scenario_.release.minor)}};
    if (move.subject >= 0) json["pod"] = Pod(static_cast<PodNumber>(move.subject));
    return json;
  }

 private:
  std::string Pod(PodNumber pod) const { return PodName(scenario_, result_, pod); }
  const std::string& Node(int node) const { return result_.nodes[Index(node)]; }

  Json Detail(const core::AttemptDetail& detail) const {
    Json json = Json::object();
    if (detail.node >= 0) json["node"] = Node(detail.node);
    json.update({{"nodes", detail.nodes},
                 {"outside_prefilter", detail.outside},
                 {"not_looked_at", detail.unseen},
                 {"feasible", detail.feasible},
                 {"tied", detail.tied},
                 {"nominated_node_taken", detail.nominated_first}});
    if (!detail.message.empty()) json["message"] = detail.message;
    json["rejected"] = RejectedJson(detail, result_.nodes);
    if (detail.scored.empty()) return json;
    json["ahead_by"] = detail.scored[0].total - detail.scored[1].total;
    for (const auto& node : detail.scored) json["scores"].push_back(Scored(detail, node));
    return json;
  }

  Json Scored(const core::AttemptDetail& detail, const core::ScoredNode& node) const {
    Json json = {{"node", Node(node.node)}, {"total", node.total}};
    if (node.extenders != 0) json["extenders"] = node.extenders;
    json["plugins"] = Json::array();
    for (std::size_t i = 0; i < node.scores.size(); ++i) {
      json["plugins"].push_back({{"plugin", detail.score_plugins[i].name},
                                 {"score", node.scores[i]},
                                 {"weight", detail.score_plugins[i].weight}});
    }
    return json;
  }

  Json Preemption(const WatchedPreemption& preemption) const {
    Json json = {{"eligible", preemption.why_not.empty()}};
    if (!preemption.why_not.empty()) json["why_not"] = preemption.why_not;
    json["potential_nodes"] = preemption.potential_nodes;
    if (preemption.node >= 0) json["node"] = Node(preemption.node);
    json["candidates"] = Json::array();
    for (const PreemptionCandidate& candidate : preemption.candidates) {
      Json victims = Json::array();
      for (const PodNumber victim : candidate.victims) victims.push_back(Pod(victim));
      json["candidates"].push_back({{"node", Node(candidate.node)},
                                    {"pdb_violations", candidate.pdb_violations},
                                    {"victims", std::move(victims)}});
    }
    return json;
  }

  const Scenario& scenario_;
  const SimulationResult& result_;
};

std::string Short(Nanos t) {
  if (t < kMillisecond) return fmt::format("{:.0f} us", static_cast<double>(t) / 1e3);
  if (t < kSecond) return fmt::format("{:.1f} ms", static_cast<double>(t) / 1e6);
  return fmt::format("{:.3f} s", ToSeconds(t));
}

class Writer {
 public:
  Writer(const Scenario& scenario, const SimulationResult& result, bool full)
      : scenario_(scenario), result_(result), all_(full ? std::string::npos : 0) {}

  std::string Write() {
    Lines out;
    PutWrapped(out, Header(), 2);
    std::vector<Lines> blocks;
    for (std::size_t i = 0; i < story_.attempts.size();) {
      std::size_t end = i + 1;
      while (!full() && end < story_.attempts.size() && Repeats(end)) ++end;
      blocks.push_back(Block(i, end));
      i = end;
    }
    std::size_t total = out.size();
    for (const Lines& block : blocks) total += block.size() + 1;
    if (!full() && total > kLines) Shorten(blocks, kLines - out.size());
    for (const Lines& block : blocks) {
      out.emplace_back();
      out.insert(out.end(), block.begin(), block.end());
    }
    return fmt::format("{}\n", fmt::join(out, "\n"));
  }

 private:
  bool full() const { return all_ > 0; }
  std::size_t Limit(std::size_t shown) const { return std::max(all_, shown); }
  const std::string& Node(int node) const { return result_.nodes[Index(node)]; }
  std::vector<std::string> Pods(const std::vector<PodNumber>& pods) const {
    std::vector<std::string> out;
    for (const PodNumber pod : pods) out.push_back(PodName(scenario_, result_, pod));
    return out;
  }

  std::string Header() const {
    const std::string where =
        fmt::format("{}, kube-scheduler {}", scenario_.name, scenario_.release.ToString());
    if (story_.ran_from_start && story_.attempts.empty()) {
      return fmt::format("{} ran {}from the start ({}): there is no attempt to explain", story_.pod,
                         story_.node >= 0 ? fmt::format("on {} ", Node(story_.node)) : "", where);
    }
    const std::size_t n = story_.attempts.size();
    std::string state = story_.state;
    if (state == "bound") {
      state = fmt::format("bound to {}", Node(story_.node));
    } else if (state != "deleted" && state != "in flight" && state != "pending") {
      state = fmt::format("waits in the {} queue", state);
    }
    return fmt::format("{}: {} after {} attempt{} ({}), created at {:.3f} s", story_.pod, state, n,
                       n == 1 ? "" : "s", where, ToSeconds(story_.created));
  }

  // The attempt found the same as the one before.
  bool Repeats(std::size_t i) const {
    const WatchedAttempt& a = story_.attempts[i];
    const WatchedAttempt& before = story_.attempts[i - 1];
    return a.detail != nullptr && a.detail == before.detail && a.detail->node < 0 &&
           (a.preemption && a.preemption->node >= 0) ==
               (before.preemption && before.preemption->node >= 0);
  }

  // Attempts begin..end found the same.
  Lines Block(std::size_t begin, std::size_t end) const {
    Lines out;
    const WatchedAttempt& first = story_.attempts[begin];
    const WatchedAttempt& last = story_.attempts[end - 1];
    const AttemptRecord* record = RecordOf(result_, first);
    std::string head = fmt::format("Attempt {} at {:.3f} s", first.number, ToSeconds(first.start));
    if (end - begin > 1) {
      head = fmt::format("Attempts {} to {}, {:.3f} s to {:.3f} s, all alike", first.number,
                         last.number, ToSeconds(first.start), ToSeconds(last.start));
    }
    head += record == nullptr
                ? ": not over at the end"
                : fmt::format(": {} after {}", kube::ToString(record->result), Short(record->e2e));
    out.push_back(std::move(head));
    if (!first.why.empty()) PutWrapped(out, "  " + first.why, 4);
    if (first.detail) PutDetail(out, *first.detail);
    if (first.preemption) PutPreemption(out, *first.preemption);
    PutMoves(out, begin, end);
    return out;
  }

  void PutDetail(Lines& out, const core::AttemptDetail& d) const {
    std::string head = fmt::format("  {} of {} nodes fit", d.feasible, d.nodes);
    if (d.outside > 0) head += fmt::format(", {} are not in PreFilter's set of nodes", d.outside);
    if (d.unseen > 0) head += fmt::format(", {} were not looked at", d.unseen);
    if (d.nominated_first) head += "; its nominated node was tried first and taken";
    PutWrapped(out, head, 4);
    PutRejected(out, d, result_.nodes, full());
    if (!d.scored.empty()) PutScores(out, d);
  }

  // A table: plugins down, the best nodes across. Plugins that decide nothing share a line.
  void PutScores(Lines& out, const core::AttemptDetail& d) const {
    const std::size_t shown = std::min<std::size_t>(d.scored.size(), full() ? d.scored.size() : 3);
    std::vector<std::string> even;
    std::size_t width = 5;
    for (std::size_t n = 0; n < shown; ++n) {
      width = std::max(width, std::min<std::size_t>(Node(d.scored[n].node).size(), 13));
    }
    const auto row = [&](const std::string& name, const auto& cell) {
      std::string line = fmt::format("  {:<34}", name);
      for (std::size_t n = 0; n < shown; ++n) line += fmt::format("  {:>{}}", cell(n), width);
      out.push_back(std::move(line));
    };
    row("score x weight", [&](std::size_t n) {
      const std::string& name = Node(d.scored[n].node);
      return full() || name.size() <= 13 ? name : ".." + name.substr(name.size() - 11);
    });
    for (std::size_t p = 0; p < d.score_plugins.size(); ++p) {
      const core::ScorePlugin& plugin = d.score_plugins[p];
      const std::int64_t score = d.scored[0].scores[p];
      const bool same =
          std::ranges::all_of(d.scored, [&](const auto& node) { return node.scores[p] == score; });
      if (same && !full()) {
        even.push_back(fmt::format("{} {}", plugin.name, score * plugin.weight));
        continue;
      }
      row(fmt::format("{} x {}", plugin.name, plugin.weight),
          [&](std::size_t n) { return std::to_string(d.scored[n].scores[p] * plugin.weight); });
    }
    if (std::ranges::any_of(d.scored, [](const auto& n) { return n.extenders; })) {
      row("extenders", [&](std::size_t n) { return std::to_string(d.scored[n].extenders); });
    }
    row("total", [&](std::size_t n) { return std::to_string(d.scored[n].total); });
    if (!even.empty()) {
      PutWrapped(out, fmt::format("  the same for every node: {}", fmt::join(even, ", ")), 4);
    }
    const std::int64_t best = d.scored[0].total;
    PutWrapped(out,
               d.tied > 1 ? fmt::format("  {} was drawn from {} nodes that tie at {}", Node(d.node),
                                        d.tied, best)
                          : fmt::format("  {} won by {}: {} against {} of {}", Node(d.node),
                                        best - d.scored[1].total, best, d.scored[1].total,
                                        Node(d.scored[1].node)),
               4);
  }

  void PutPreemption(Lines& out, const WatchedPreemption& p) const {
    if (!p.why_not.empty()) {
      PutWrapped(out, fmt::format("  preemption: {}", p.why_not), 4);
      return;
    }
    if (p.node < 0) {
      PutWrapped(out,
                 fmt::format("  preemption: would help on none of {} nodes", p.potential_nodes), 4);
      return;
    }
    for (const PreemptionCandidate& candidate : p.candidates) {
      if (candidate.node != p.node) {
        if (full()) {
          PutWrapped(out,
                     fmt::format("  preemption: would do on {} too, victims: {}",
                                 Node(candidate.node), Some(Pods(candidate.victims), all_)),
                     4);
        }
        continue;
      }
      std::string text = fmt::format(
          "  preemption: {} of {} nodes would do, {} chosen, {} victim{}: {}", p.candidates.size(),
          p.potential_nodes, Node(p.node), candidate.victims.size(),
          candidate.victims.size() == 1 ? "" : "s", Some(Pods(candidate.victims), Limit(4)));
      if (candidate.pdb_violations > 0) {
        text += fmt::format("; violates {} disruption budgets", candidate.pdb_violations);
      }
      PutWrapped(out, std::move(text), 4);
    }
  }

  std::string Event(const QueueMove& move) const {
    std::string out(kube::SpellingIn(move.event, scenario_.release.minor));
    if (move.subject >= 0) {
      out += " of " + PodName(scenario_, result_, static_cast<PodNumber>(move.subject));
    }
    return out;
  }

  // What put the pod into which queue after these attempts and before the next one.
  void PutMoves(Lines& out, std::size_t begin, std::size_t end) const {
    const Nanos from = story_.attempts[begin].start;
    const bool open = end == story_.attempts.size();
    std::vector<std::string> texts;
    std::map<std::string, int> counts;
    for (const QueueMove& move : story_.moves) {
      if (move.at <= from || (!open && move.at > story_.attempts[end].start)) continue;
      if (end - begin > 1) {
        ++counts[fmt::format("{} by {}", kube::ToString(move.to),
                             kube::SpellingIn(move.event, scenario_.release.minor))];
        continue;
      }
      texts.push_back(fmt::format("{} at {:.3f} s ({})", kube::ToString(move.to),
                                  ToSeconds(move.at), Event(move)));
    }
    for (const auto& [what, count] : counts) {
      texts.push_back(fmt::format("{} {} time{}", what, count, count == 1 ? "" : "s"));
    }
    if (texts.empty()) return;
    PutWrapped(out, fmt::format("  queue: {}", fmt::join(texts, ", ")), 4);
  }

  // The first and the last, and how many are left out.
  static void Shorten(std::vector<Lines>& blocks, std::size_t room) {
    const auto cut = [](Lines& block, std::size_t lines) {
      if (block.size() <= lines) return;
      block.resize(lines - 1);
      block.emplace_back("  ... (--full shows the rest)");
    };
    if (blocks.size() > 2) {
      const std::size_t between = blocks.size() - 2;
      blocks = {std::move(blocks.front()),
                {fmt::format("... {} more {} (--full shows all)", between,
                             between == 1 ? "attempt" : "attempts or runs of like ones")},
                std::move(blocks.back())};
      room -= 2;
    }
    if (blocks.size() == 1) {
      cut(blocks.front(), room - 1);
      return;
    }
    room -= 2;
    // What the shorter one does not need is the other's.
    const std::size_t last = std::min(blocks.back().size(), room / 2);
    cut(blocks.front(), room - last);
    cut(blocks.back(), room - std::min(blocks.front().size(), room));
  }

  const Scenario& scenario_;
  const SimulationResult& result_;
  const PodStory& story_ = *result_.watched;
  std::size_t all_;  // no limit if above 0
};

}  // namespace

const AttemptRecord* RecordOf(const SimulationResult& result, const WatchedAttempt& attempt) {
  const auto pod = static_cast<std::uint32_t>(result.watched->number);
  const auto at = std::ranges::find_if(result.attempts, [&](const auto& record) {
    return record.pod == pod && record.start == attempt.start;
  });
  return at == result.attempts.end() ? nullptr : &*at;
}

void CheckWatched(const Scenario& scenario, const SimulationResult& result) {
  const PodStory& story = *result.watched;
  if (story.number >= 0) return;
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<std::size_t, std::string>> names;
  for (std::uint32_t pod = 0; pod < result.pods.size(); ++pod) {
    std::string name = PodName(scenario, result, pod);
    const std::size_t distance = EditDistance(story.pod, name);
    names.emplace_back(distance, std::move(name));
  }
  const std::size_t shown = std::min(kShown, names.size());
  std::partial_sort(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), names.end());
  std::vector<std::string> close;
  for (std::size_t i = 0; i < shown; ++i) close.push_back(names[i].second);
  Raise(ErrorKind::kUsage, "no pod `{}` among the {} of this run{}", story.pod, names.size(),
        close.empty() ? std::string() : fmt::format("; close names: {}", fmt::join(close, ", ")));
}

std::string StoryJson(const Scenario& scenario, const SimulationResult& result,
                      std::uint64_t seed) {
  const PodStory& story = *result.watched;
  const JsonStory writer(scenario, result);
  Json json = {{"schema", "schedlens.why/1"},
               {"scenario", scenario.name},
               {"kubernetes_version", scenario.release.ToString()},
               {"seed", seed},
               {"pod", story.pod},
               {"state", story.state}};
  if (story.node >= 0) json["node"] = result.nodes[Index(story.node)];
  json["ran_from_start"] = story.ran_from_start;
  json["created_s"] = ToSeconds(story.created);
  json["attempts"] = Json::array();
  for (const auto& attempt : story.attempts) json["attempts"].push_back(writer.Attempt(attempt));
  json["queue"] = Json::array();
  for (const auto& move : story.moves) json["queue"].push_back(writer.Move(move));
  return JsonText(std::move(json), JsonStyle::kDocument) + "\n";
}

std::string StoryText(const Scenario& scenario, const SimulationResult& result, bool full) {
  return Writer(scenario, result, full).Write();
}

std::string FitText(const Scenario& scenario, const FitResult& fit, bool full) {
  Lines out;
  const bool most = fit.count >= FitResult::kMost;
  PutWrapped(out,
             fmt::format("{}: {}{} more fit ({}, kube-scheduler {}, {} nodes)", fit.pod,
                         most ? "at least " : "", fit.count, scenario.name,
                         scenario.release.ToString(), fit.next.nodes),
             2);
  if (!fit.maker.empty()) {
    PutWrapped(out,
               fmt::format("{} asks for {}: {} of them fit.", fit.maker, fit.replicas,
                           fit.count >= fit.replicas ? "all" : std::to_string(fit.count)),
               2);
  }
  PutSpread(out, fit, full);
  if (!most) {
    PutWrapped(out, "The next one: " + fit.next.message, 2);
    PutRejected(out, fit.next, fit.nodes, full);
  }
  if (fit.pending > 0) {
    PutWrapped(out, fmt::format("{} pods that wait for a node were left out.", fit.pending), 2);
  }
  if (!scenario.extenders.empty()) out.emplace_back("Extenders were not asked.");
  return fmt::format("{}\n", fmt::join(out, "\n"));
}

std::string FitJson(const Scenario& scenario, const FitResult& fit) {
  // How many nodes have each reason; a node may have several.
  std::map<std::string, std::size_t> reasons;
  for (const core::RejectedNodes& group : fit.next.rejected) {
    for (const std::string& reason : group.reasons) reasons[reason] += group.nodes.size();
  }
  const auto rows = [](const char* name, const char* number, const auto& pairs) {
    Json all = Json::array();
    for (const auto& [first, second] : pairs) all.push_back({{name, first}, {number, second}});
    return all;
  };
  Json json = {{"schema", "schedlens.fit/1"},
               {"scenario", scenario.name},
               {"kubernetes_version", scenario.release.ToString()},
               {"pod", fit.pod},
               {"profile", fit.profile}};
  if (!fit.maker.empty()) json.update({{"maker", fit.maker}, {"replicas", fit.replicas}});
  json.update({{"count", fit.count},
               {"limit_reached", fit.count >= FitResult::kMost},
               {"pending_left_out", fit.pending},
               {"extenders_asked", false},
               {"nodes", rows("node", "count", fit.by_node)},
               {"next",
                {{"message", fit.next.message},
                 {"reasons", rows("reason", "nodes", reasons)},
                 {"rejected", RejectedJson(fit.next, fit.nodes)}}}});
  return JsonText(std::move(json), JsonStyle::kDocument) + "\n";
}

}  // namespace schedlens::sim
