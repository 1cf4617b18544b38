#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schedlens/error.h"
#include "scheduler/engine/truth.h"

namespace schedlens::sim {
namespace {

using testing::HasSubstr;

// Small nodes that fill up, tainted ones, and pods that preempt.
constexpr const char* kTight = R"yaml(
name: tight
kubernetes_version: "1.30"
duration: 80s
incident: {start: 5s, end: 25s}
cluster:
  nodes:
  - {name: small, count: 30, cpu: 4}
  - {name: tainted, count: 12, cpu: 32, manifest: {spec: {taints: [{key: gpu, effect: NoSchedule}]}}}
workload:
  rate: 3
  templates:
  - {name: web, weight: 8, cpu: 1, life: "u(20,60)"}
  - {name: big, weight: 1, cpu: 3, priority: 10, life: "u(20,60)"}
  - {name: huge, weight: 1, cpu: 3.5, life: "u(20,60)"}
)yaml";

const Scenario& Tight() {
  static const Scenario kScenario = ParseScenario(kTight, "tight");
  return kScenario;
}

SimulationResult Watch(const std::string& pod) {
  RunOptions run;
  run.scrape = false;
  run.watch = pod;
  return RunScenario(Tight(), run);
}

// The first pod with this many attempts whose last was scheduled, by the record of a plain run.
std::string Scheduled(const std::string& prefix, int attempts) {
  RunOptions run;
  run.scrape = false;
  const SimulationResult result = RunScenario(Tight(), run);
  for (const AttemptRecord& record : result.attempts) {
    const std::string name = PodName(Tight(), result, record.pod);
    if (record.number == attempts && record.result == AttemptResult::kScheduled &&
        name.rfind("default/" + prefix, 0) == 0) {
      return name;
    }
  }
  return "";
}

TEST(PodStory, WatchingChangesNothing) {
  RunOptions plain;
  plain.scrape = false;
  const SimulationResult result = RunScenario(Tight(), plain);
  EXPECT_EQ(TruthCsv(Tight(), result), TruthCsv(Tight(), Watch("default/big-000003")));
  EXPECT_FALSE(result.watched.has_value());
}

TEST(PodStory, EveryNodeHasAVerdictAndTheWinnerHasTheHighestTotal) {
  for (const char* pod : {"default/web-000001", "default/web-000100", "default/big-000004"}) {
    const SimulationResult result = Watch(pod);
    ASSERT_GE(result.watched->number, 0) << pod;
    ASSERT_FALSE(result.watched->attempts.empty());
    for (const WatchedAttempt& attempt : result.watched->attempts) {
      const core::AttemptDetail& d = *attempt.detail;
      std::size_t rejected = 0;
      for (const auto& group : d.rejected) rejected += group.nodes.size();
      EXPECT_EQ(d.nodes, 42);
      EXPECT_EQ(static_cast<int>(rejected) + d.feasible + d.unseen + d.outside, d.nodes);
      const AttemptRecord* record = RecordOf(result, attempt);
      ASSERT_NE(record, nullptr);
      EXPECT_EQ(record->node, d.node);
      if (d.scored.empty()) continue;
      EXPECT_EQ(d.scored.front().node, d.node);
      EXPECT_EQ(static_cast<int>(d.scored.size()), d.feasible);
      for (const core::ScoredNode& node : d.scored) {
        std::int64_t total = node.extenders;
        for (std::size_t i = 0; i < node.scores.size(); ++i) {
          total += node.scores[i] * d.score_plugins[i].weight;
        }
        EXPECT_EQ(total, node.total);
        EXPECT_LE(node.total, d.scored.front().total);
      }
      EXPECT_EQ(std::count_if(d.scored.begin(), d.scored.end(),
                              [&](const auto& n) { return n.total == d.scored[0].total; }),
                d.tied);
    }
  }
}

TEST(PodStory, TellsThePreemptionAndWhatWokeThePod) {
  const std::string pod = Scheduled("big", 2);
  ASSERT_NE(pod, "");
  const SimulationResult result = Watch(pod);
  const PodStory& story = *result.watched;
  ASSERT_EQ(story.attempts.size(), 2U);
  ASSERT_TRUE(story.attempts[0].preemption.has_value());
  const WatchedPreemption& preemption = *story.attempts[0].preemption;
  EXPECT_EQ(preemption.why_not, "");
  const auto chosen =
      std::find_if(preemption.candidates.begin(), preemption.candidates.end(),
                   [&](const auto& candidate) { return candidate.node == preemption.node; });
  ASSERT_NE(chosen, preemption.candidates.end());
  ASSERT_FALSE(chosen->victims.empty());
  EXPECT_TRUE(story.attempts[1].detail->nominated_first);
  EXPECT_EQ(story.attempts[1].detail->node, preemption.node);
  // PodAdd, the failure, what woke it, and perhaps the end of its back-off.
  ASSERT_GE(story.moves.size(), 3U);
  EXPECT_EQ(story.moves[0].event, PodEvent::kPodAdd);
  EXPECT_EQ(story.moves[1].event, PodEvent::kAttemptFailure);
  EXPECT_EQ(story.moves[2].event, PodEvent::kAssignedPodDelete);
  EXPECT_GE(story.moves[2].subject, 0);
  const std::string text = StoryText(Tight(), result, false);
  EXPECT_THAT(text, HasSubstr("preemption: "));
  EXPECT_THAT(text, HasSubstr("AssignedPodDelete of default/"));
  EXPECT_THAT(text, HasSubstr("its nominated node was tried first"));
}

TEST(PodStory, TextFitsAScreenUnlessFull) {
  for (const char* pod : {"default/web-000001", "default/web-000120", "default/huge-000006"}) {
    const SimulationResult result = Watch(pod);
    std::istringstream lines(StoryText(Tight(), result, false));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_LE(count, 31) << pod;
  }
  const SimulationResult result = Watch("default/huge-000006");
  const std::size_t attempts = result.watched->attempts.size();
  EXPECT_GT(attempts, 4U);
  EXPECT_THAT(StoryText(Tight(), result, true),
              HasSubstr("Attempt " + std::to_string(attempts) + " at"));
  EXPECT_THAT(StoryText(Tight(), result, true), HasSubstr("small-29"));
  EXPECT_THAT(StoryText(Tight(), result, false), testing::Not(HasSubstr("small-29")));
}

TEST(PodStory, JsonHasEveryAttemptAndMove) {
  const SimulationResult result = Watch("default/huge-000006");
  const auto json = nlohmann::json::parse(StoryJson(Tight(), result, 1));
  EXPECT_EQ(json["schema"], "schedlens.why/1");
  EXPECT_EQ(json["pod"], "default/huge-000006");
  EXPECT_EQ(json["attempts"].size(), result.watched->attempts.size());
  EXPECT_EQ(json["queue"].size(), result.watched->moves.size());
  const auto& first = json["attempts"][0];
  EXPECT_EQ(first["result"], "unschedulable");
  EXPECT_EQ(first["rejected"][0]["plugin"], "NodeResourcesFit");
  EXPECT_EQ(first["rejected"][0]["nodes"].size(), 30U);
  EXPECT_EQ(first["preemption"]["eligible"], true);
}

TEST(PodStory, NamesCloseOnesForAnUnknownPod) {
  const SimulationResult result = Watch("default/wbe-000007");
  try {
    CheckWatched(Tight(), result);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("no pod `default/wbe-000007`"));
    EXPECT_THAT(error.what(), HasSubstr("default/web-000007"));
  }
}

}  // namespace
}  // namespace schedlens::sim
