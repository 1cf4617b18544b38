#include <gtest/gtest.h>

#include <random>

#include "analysis/recorder.h"
#include "analysis/tail/bounds.h"
#include "analysis/tail_truth.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Recorder;

struct Bound {
  std::vector<Attempt> attempts;
  TailShares shares;
};

Bound BoundTailOf(const std::vector<Attempt>& attempts, int scrapes) {
  Recorder r;
  test::RecordEvenly(&r, attempts, scrapes);
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  const WindowIncreases cells = CutWindow(histograms, facts.targets, {0, 5000 * scrapes});
  return {attempts, BoundTail(histograms, facts.targets, cells, BreakDownTime(cells), 0.01)};
}

TEST(BoundTailTest, ASingleSlowStageIsProvenToLead) {
  std::vector<Attempt> attempts(1000);
  for (std::size_t i = 0; i < attempts.size(); i += 20) attempts[i].bind = 3.0;
  const Bound run = BoundTailOf(attempts, 10);
  EXPECT_EQ(run.shares.attempts, 10u);
  EXPECT_GT(run.shares.shares.Get(kube::Stage::kBind).low, 0.95);
  EXPECT_LT(run.shares.shares.Get(kube::Stage::kAlgorithm).high, 0.05);
}

TEST(BoundTailTest, HoldsTheTruthWhateverTheCause) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> quick(-5, 0.8), slow(0, 0.7);
  for (int round = 0; round < 40; ++round) {
    const double p_bind = 0.1 * static_cast<double>(random() % 3) / 2;
    const double p_filter = 0.1 * static_cast<double>(random() % 3) / 2;
    const bool fails = random() % 2 == 0;
    std::vector<Attempt> attempts;
    for (int i = 0; i < 600; ++i) {
      const auto chance = [&](double p) {
        return static_cast<double>(random() % 10'000) < 10'000 * p;
      };
      Attempt a;
      a.bind = chance(p_bind) ? slow(random) : quick(random);
      a.filter = chance(p_filter) ? slow(random) : 0.01 * quick(random);
      a.prebind = chance(0.02) ? slow(random) : 1e-5;
      if (fails && chance(0.3)) a.result = "unschedulable";
      if (chance(0.1) && a.result == "scheduled") a.extender_bind = a.bind;
      attempts.push_back(a);
    }
    const Bound run = BoundTailOf(attempts, 12);
    for (const auto& [id, truth] : test::TailTruth(attempts)) {
      const TailShare& share = *run.shares.shares.Find(kube::Parse<kube::Stage>(id).value());
      EXPECT_LE(share.low, truth + 1e-6) << id << " round " << round;
      EXPECT_GE(share.high, truth - 1e-6) << id << " round " << round;
    }
  }
}

TEST(BoundTailTest, WithoutExtensionPointsNothingIsClaimed) {
  Recorder r;
  r.Observe("scheduler_e2e_scheduling_duration_seconds", {{"result", "scheduled"}}, 1);
  r.Scrape(0);
  r.Scrape(5000);
  const Facts facts = FactsOf(r);
  const Histograms histograms = GroupAll(facts);
  const WindowIncreases cells = CutWindow(histograms, facts.targets, {0, 5000});
  EXPECT_TRUE(
      BoundTail(histograms, facts.targets, cells, BreakDownTime(cells), 0.01).shares.empty());
}

}  // namespace
}  // namespace schedlens
