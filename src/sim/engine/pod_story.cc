// The JSON, and what both forms need.

#include "sim/engine/pod_story.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/json_text.h"
#include "model/nearest.h"
#include "schedlens/error.h"
#include "sim/engine/truth.h"

namespace schedlens::sim {
namespace {

using core::Index;

class JsonWriter {
 public:
  JsonWriter(const Scenario& scenario, const SimulationResult& result, JsonText& json)
      : scenario_(scenario), result_(result), json_(json) {}

  void Attempt(const WatchedAttempt& attempt) {
    json_("number", attempt.number);
    json_("start_s", ToSeconds(attempt.start));
    if (const AttemptRecord* record = RecordOf(result_, attempt)) {
      json_("result", kube::ToString(record->result));
      json_("algorithm_s", ToSeconds(record->algorithm));
      json_("e2e_s", ToSeconds(record->e2e));
    }
    if (!attempt.why.empty()) json_("why", attempt.why);
    if (attempt.detail) Detail(*attempt.detail);
    if (attempt.preemption) {
      json_.Object("preemption", [&] { Preemption(*attempt.preemption); });
    }
  }

  void Move(const QueueMove& move) {
    json_("at_s", ToSeconds(move.at));
    json_("queue", kube::ToString(move.to));
    json_("event", kube::SpellingIn(move.event, scenario_.release.minor));
    if (move.subject >= 0) json_("pod", Pod(static_cast<PodNumber>(move.subject)));
  }

 private:
  std::string Pod(PodNumber pod) const { return PodName(scenario_, result_, pod); }
  const std::string& Node(int node) const { return result_.nodes[Index(node)]; }

  void Detail(const core::AttemptDetail& detail) {
    if (detail.node >= 0) json_("node", Node(detail.node));
    json_("nodes", detail.nodes);
    json_("outside_prefilter", detail.outside);
    json_("not_looked_at", detail.unseen);
    json_("feasible", detail.feasible);
    json_("tied", detail.tied);
    json_("nominated_node_taken", detail.nominated_first);
    if (!detail.message.empty()) json_("message", detail.message);
    json_.Array("rejected", [&] {
      for (const auto& group : detail.rejected) json_.ObjectElement([&] { Rejected(group); });
    });
    if (detail.scored.empty()) return;
    json_("ahead_by", detail.scored[0].total - detail.scored[1].total);
    json_.Array("scores", [&] {
      for (const auto& node : detail.scored) {
        json_.RowElement([&] { Scored(detail, node); });
      }
    });
  }

  void Rejected(const core::RejectedNodes& group) {
    json_("extension_point", kube::ToString(group.point));
    json_("plugin", group.plugin);
    json_("status", core::CodeText(group.code));
    json_.Array("reasons", [&] {
      for (const std::string& reason : group.reasons) json_.Element(reason);
    });
    json_("count", group.nodes.size());
    json_.Array("nodes", [&] {
      for (const core::NodeId node : group.nodes) json_.Element(Node(node));
    });
  }

  void Scored(const core::AttemptDetail& detail, const core::ScoredNode& node) {
    json_("node", Node(node.node));
    json_("total", node.total);
    if (node.extenders != 0) json_("extenders", node.extenders);
    json_.Array("plugins", [&] {
      for (std::size_t i = 0; i < node.scores.size(); ++i) {
        json_.ObjectElement([&] {
          json_("plugin", detail.score_plugins[i].name);
          json_("score", node.scores[i]);
          json_("weight", detail.score_plugins[i].weight);
        });
      }
    });
  }

  void Preemption(const WatchedPreemption& preemption) {
    json_("eligible", preemption.why_not.empty());
    if (!preemption.why_not.empty()) json_("why_not", preemption.why_not);
    json_("potential_nodes", preemption.potential_nodes);
    if (preemption.node >= 0) json_("node", Node(preemption.node));
    json_.Array("candidates", [&] {
      for (const PreemptionCandidate& candidate : preemption.candidates) {
        json_.RowElement([&] {
          json_("node", Node(candidate.node));
          json_("pdb_violations", candidate.pdb_violations);
          json_.Array("victims", [&] {
            for (const PodNumber victim : candidate.victims) json_.Element(Pod(victim));
          });
        });
      }
    });
  }

  const Scenario& scenario_;
  const SimulationResult& result_;
  JsonText& json_;
};

}  // namespace

const AttemptRecord* RecordOf(const SimulationResult& result, const WatchedAttempt& attempt) {
  const auto pod = static_cast<std::uint32_t>(result.watched->number);
  const auto at = std::find_if(
      result.attempts.begin(), result.attempts.end(),
      [&](const auto& record) { return record.pod == pod && record.start == attempt.start; });
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
  throw Error(
      ErrorKind::kUsage,
      fmt::format("no pod `{}` among the {} of this run{}", story.pod, names.size(),
                  close.empty() ? std::string()
                                : fmt::format("; close names: {}", fmt::join(close, ", "))));
}

std::string StoryJson(const Scenario& scenario, const SimulationResult& result,
                      std::uint64_t seed) {
  const PodStory& story = *result.watched;
  return JsonText::Document(JsonStyle::kDocument,
                            [&](JsonText& json) {
                              JsonWriter writer(scenario, result, json);
                              json("schema", "schedlens.why/1");
                              json("scenario", scenario.name);
                              json("kubernetes_version", scenario.release.ToString());
                              json("seed", seed);
                              json("pod", story.pod);
                              json("state", story.state);
                              if (story.node >= 0) json("node", result.nodes[Index(story.node)]);
                              json("ran_from_start", story.ran_from_start);
                              json("created_s", ToSeconds(story.created));
                              json.Array("attempts", [&] {
                                for (const auto& a : story.attempts) {
                                  json.ObjectElement([&] { writer.Attempt(a); });
                                }
                              });
                              json.Array("queue", [&] {
                                for (const auto& m : story.moves)
                                  json.RowElement([&] { writer.Move(m); });
                              });
                            }) +
         "\n";
}

}  // namespace schedlens::sim
