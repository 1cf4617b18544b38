#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "diagnose/control_plane/changes.h"
#include "diagnose/pipeline/diagnose.h"

namespace schedlens {
namespace {

constexpr TimeRange kEarlier{0, 100'000}, kLater{100'000, 200'000};
using Lines = std::vector<std::string>;

/// A plugin that holds so many pods before and now.
Series Plugin(const std::string& name, double before, double now) {
  Series series{Labels{{"__name__", "scheduler_unschedulable_pods"}, {"plugin", name}}, {}, {}};
  for (TimeMs t = 10'000; t <= 200'000; t += 10'000) {
    series.samples.push_back({t, t <= kEarlier.end ? before : now});
  }
  return series;
}

/// "object confidence low high evidence", parts in whole percents.
Lines Behind(const std::vector<Series>& plugins) {
  Facts facts;
  facts.answers["unschedulable_pods"] = plugins;
  Lines lines;
  const auto percent = [](double x) { return " " + std::to_string(std::lround(100 * x)); };
  for (const CauseBehind& one : WhoRejectsPods(facts, kLater, kEarlier)) {
    EXPECT_EQ(one.id, "unschedulable.plugin");
    lines.push_back(one.object + " " + ToString(one.confidence) + percent(*one.share.low) +
                    percent(*one.share.high) + (one.evidence.size() > 1 ? " tied" : ""));
  }
  return lines;
}

TEST(WhoRejectsPodsTest, NamesThePluginThatHoldsMorePods) {
  EXPECT_EQ(Behind({Plugin("NodeResourcesFit", 0, 900), Plugin("TaintToleration", 40, 40)}),
            Lines{"NodeResourcesFit likely 100 100"});
  EXPECT_EQ(Behind({Plugin("NodeResourcesFit", 0, 900), Plugin("NodeAffinity", 0, 300)}),
            (Lines{"NodeResourcesFit likely 75 100", "NodeAffinity possible 25 33"}));
  EXPECT_EQ(Behind({Plugin("NodeResourcesFit", 900, 900)}), Lines());
  EXPECT_EQ(Behind({}), Lines());
}

TEST(WhoRejectsPodsTest, PluginsThatMayRejectTheSamePodsAreATie) {
  EXPECT_EQ(Behind({Plugin("NodeResourcesFit", 0, 500), Plugin("NodeAffinity", 0, 500)}),
            (Lines{"NodeAffinity possible 50 100 tied", "NodeResourcesFit possible 50 100 tied"}));
}

TEST(WhoRejectsPodsTest, ChanceIsNoGrowth) {
  EXPECT_EQ(Behind({Plugin("NodeResourcesFit", 3, 6)}), Lines{"NodeResourcesFit possible 100 100"});
  EXPECT_EQ(Behind({Plugin("NodeResourcesFit", 900, 1000)}),
            Lines{"NodeResourcesFit possible 100 100"});
}

TEST(WhoRejectsPodsTest, ReplicasAndProfilesAddUp) {
  EXPECT_EQ(Behind({Plugin("A", 0, 60), Plugin("A", 0, 60), Plugin("B", 0, 55)}),
            (Lines{"A likely 69 100", "B possible 31 46"}));
}

TEST(WhoRejectsPodsTest, IsNotWhatToActUponWhereOnlyTheTimerWakesPods) {
  Investigation gathered;
  gathered.facts.answers["unschedulable_pods"] = {Plugin("LabGate", 0, 900)};
  gathered.evidence.emplace();
  gathered.evidence->now.breakdown.window = kLater;
  gathered.evidence->baseline.emplace();
  gathered.evidence->baseline->breakdown.window = kEarlier;
  for (const auto& [id, confidence] : {std::pair("attempts.unschedulable", Confidence::kLikely),
                                       std::pair("queue.flush", Confidence::kPossible)}) {
    Diagnosis d;
    d.verdict = Verdict::kIncident;
    d.findings = {FindingOf(id, Confidence::kCertain)};
    LookPastTheDoor(gathered, *gathered.evidence, std::nullopt, &d);
    ASSERT_FALSE(d.findings[0].behind.empty()) << id;
    EXPECT_EQ(d.findings[0].behind[0].object, "LabGate");
    EXPECT_EQ(d.findings[0].behind[0].confidence, confidence) << id;
  }
}

}  // namespace
}  // namespace schedlens
