#include <gtest/gtest.h>

#include "diagnose/pipeline/diagnose.h"

namespace schedlens {
namespace {

Measured ValueOf(double value) { return Exact(value, "s"); }

StageTime Stage(const std::string& id, const std::string& parent, double seconds, double share) {
  StageTime stage;
  stage.id = id;
  stage.parent = parent;
  stage.seconds = ValueOf(seconds);
  stage.share = ValueOf(share);
  return stage;
}

Finding Found(const std::string& id, double share) {
  Finding finding;
  finding.id = id;
  finding.share = ValueOf(share);
  return finding;
}

/// A hundred pods, whose bindings take all the time but that of the algorithm.
Diagnosis WithBind(double bind, double algorithm) {
  Diagnosis d;
  d.results = {{"scheduled", 100, bind + algorithm}, {"error", 7, 1}};
  const double all = bind + algorithm;
  d.stages = {Stage("algorithm", "", algorithm, algorithm / all),
              Stage("algorithm.score", "algorithm", algorithm, algorithm / all),
              Stage("bind", "", bind, bind / all),
              Stage("bind.plugins", "bind", bind, bind / all),
              Stage("bind.plugins/DefaultBinder", "bind.plugins", bind, bind / all),
              Stage("permit", "", 0, 0)};
  return d;
}

TEST(SetAgainst, StagesAreSecondsAScheduledPod) {
  const Against both = SetAgainst(WithBind(1, 1), WithBind(19, 1));
  ASSERT_EQ(both.stages.size(), 4U);
  const char* ids[] = {"algorithm", "algorithm.score", "bind", "bind.plugins"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(both.stages[i].id, ids[i]);
    EXPECT_EQ(both.stages[i].depth, static_cast<int>(i % 2));
  }
  EXPECT_EQ(both.stages[0].then, 0.01);
  EXPECT_EQ(both.stages[2].now, 0.19);
  Diagnosis nobody = WithBind(1, 1);
  nobody.results.clear();
  EXPECT_FALSE(SetAgainst(nobody, WithBind(1, 1)).stages[0].then);
}

TEST(SetAgainst, AStageThatIsItsOwnAncestorHasOneRow) {
  Diagnosis then = WithBind(1, 1), now = WithBind(1, 1);
  then.stages = {Stage("b", "", 1, 1), Stage("a", "b", 1, 1)};
  now.stages = {Stage("a", "", 1, 1), Stage("b", "a", 1, 1), Stage("", "", 1, 1)};
  EXPECT_EQ(SetAgainst(then, now).stages.size(), 3U);
}

TEST(SetAgainst, FindingsAreNewKeptOrGone) {
  Diagnosis then, now;
  then.findings = {Found("bind.apiserver", 0.9), Found("algorithm.filter", 0.2)};
  now.findings = {Found("queue.backlog", 0.5), Found("bind.apiserver", 0.4)};
  CauseBehind webhook;
  webhook.id = "apiserver.webhook";
  webhook.object = "a";
  webhook.share = ValueOf(0.8);
  then.findings[0].behind = {webhook};
  webhook.object = "b";
  now.findings[1].behind = {webhook};
  const Against both = SetAgainst(then, now);
  std::string told;
  for (const AgainstFinding& one : both.findings) {
    told += ToString(one.fate) + " " + one.id + (one.behind ? "/" + one.object : "") + "; ";
  }
  EXPECT_EQ(told,
            "new queue.backlog; kept bind.apiserver; new apiserver.webhook/b; gone "
            "apiserver.webhook/a; gone algorithm.filter; ");
  EXPECT_EQ(both.findings[1].share_then, 0.9);
  EXPECT_EQ(both.findings[1].share_now, 0.4);
  EXPECT_EQ(both.findings[4].share_then, 0.2);
  EXPECT_FALSE(both.findings[4].share_now);
}

TEST(SetAgainst, SaysWhereTheTwoAreNotLikeForLike) {
  Diagnosis then, now;
  then.alert.emplace();
  now.alert.emplace();
  EXPECT_TRUE(SetAgainst(then, now).notes.empty());
  then.alert->metric = "a";
  now.alert->metric = "b";
  now.alert->quantile = 0.5;
  then.release = "1.20";
  now.release = "1.31";
  const Against both = SetAgainst(then, now);
  ASSERT_EQ(both.notes.size(), 3U);
  EXPECT_EQ(both.notes[0].id, "against.metric");
  EXPECT_EQ(both.notes[1].id, "against.quantile");
  EXPECT_EQ(both.notes[2].id, "against.release");
}

}  // namespace
}  // namespace schedlens
