#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/recorder.h"
#include "diagnose/tail/bounds.h"
#include "diagnose/tail_truth.h"

namespace schedlens {
namespace {

using kube::Stage;
using test::Attempt;
using test::Recorder;

using test::TimedAttempt;

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

/// Two causes at once, attempts that cross both edges of the window, and history before it.
struct TwoCauses {
  const char* first;
  const char* second;
  bool with_binding, failures_in_algorithm;
};

void Slow(std::string_view stage, double seconds, Attempt* a) {
  if (stage == "filter") a->filter = seconds;
  if (stage == "extender filter") a->unmeasured = seconds;
  if (stage == "prebind") a->prebind = seconds;
  if (stage == "permit-wait") a->permit_wait = seconds;
  if (stage == "bind") a->bind = seconds;
  if (stage == "extender bind") a->extender_bind = seconds;
}

std::vector<TimedAttempt> Play(const TwoCauses& causes, std::mt19937_64* random, double until) {
  std::lognormal_distribution<double> quick(-5, 0.6);
  std::exponential_distribution<double> gap(12);
  std::uniform_real_distribution<double> chance(0, 1);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, chance(*random));
  };
  const double sizes[] = {between(0.15, 10), between(0.15, 10)};
  const double shares[] = {between(0.005, 0.5), between(0.005, 0.5)};
  std::lognormal_distribution<double> first(std::log(sizes[0]), 0.4),
      second(std::log(sizes[1]), 0.4);
  std::vector<TimedAttempt> attempts;
  for (double t = gap(*random); t < until; t += gap(*random)) {
    Attempt a;
    a.bind = quick(*random);
    a.filter = 0.05 * quick(*random);
    a.prebind = 1e-5;
    if (chance(*random) < shares[0]) Slow(causes.first, first(*random), &a);
    if (chance(*random) < shares[1]) Slow(causes.second, second(*random), &a);
    if (chance(*random) < 0.05) a.result = "unschedulable";
    attempts.push_back({t, a});
  }
  return attempts;
}

/// The window's sums less what belongs to later attempts, and with what its attempts had before it,
/// have these attempts' true seconds between them.
void ExpectSecondsBetweenEdges(const TimeBreakdown& breakdown, const AcrossEdges& across,
                               const std::vector<Attempt>& ended) {
  const struct {
    Stage stage;
    double Attempt::*seconds;
    bool of_failed;
  } stages[] = {{Stage::kFilter, &Attempt::filter, true},
                {Stage::kPreBind, &Attempt::prebind, false},
                {Stage::kPermitWait, &Attempt::permit_wait, false}};
  for (const auto& [stage, seconds, of_failed] : stages) {
    double truth = 0;
    for (const Attempt& a : ended) {
      if (of_failed || a.result == "scheduled") truth += a.*seconds;
    }
    EXPECT_LE(breakdown.Seconds(stage) - across.after.Get(stage), truth + 1e-6) << ToString(stage);
    EXPECT_GE(breakdown.Seconds(stage) + across.before.Get(stage), truth - 1e-6) << ToString(stage);
  }
}

TEST(BoundTailTest, HoldsTheTruthOfTwoCausesAndIsOfUse) {
  const TwoCauses all[] = {{"extender filter", "bind", true, false},
                           {"filter", "bind", false, true},
                           {"filter", "extender bind", true, false},
                           {"prebind", "bind", true, false},
                           {"prebind", "filter", false, false},
                           {"permit-wait", "filter", false, true},
                           {"permit-wait", "extender bind", false, false},
                           {"prebind", "extender bind", false, true}};
  std::mt19937_64 random(17);
  std::vector<double> lows;  // of the leading stage, where both have histograms of their own
  for (int round = 0; round < 48; ++round) {
    const TwoCauses& causes = all[static_cast<std::size_t>(round) % std::size(all)];
    const std::vector<TimedAttempt> attempts = Play(causes, &random, 300);
    Recorder r;
    r.with_binding = causes.with_binding;
    r.algorithm_with_failures = causes.failures_in_algorithm;
    test::RecordInTime(&r, attempts, 300);
    const Facts facts = FactsOf(r);
    const Histograms histograms = GroupAll(facts);
    const WindowIncreases cells = CutWindow(histograms, facts.targets, {100'000, 200'000});
    const TimeBreakdown breakdown = BreakDownTime(cells);
    const TailShares bounds = BoundTail(histograms, facts.targets, cells, breakdown, 0.01);
    std::vector<Attempt> ended;
    for (const TimedAttempt& timed : attempts) {
      if (timed.end() > 100 && timed.end() <= 200) ended.push_back(timed.attempt);
    }
    ASSERT_EQ(bounds.attempts, (ended.size() + 99) / 100);
    ExpectSecondsBetweenEdges(breakdown, bounds.across.value(), ended);
    std::pair<double, double> leading;  // truth, low
    for (const auto& [id, truth] : test::TailTruth(ended)) {
      const TailShare& share = *bounds.shares.Find(kube::Parse<kube::Stage>(id).value());
      EXPECT_LE(share.low, truth + 1e-6) << id << " round " << round;
      EXPECT_GE(share.high, truth - 1e-6) << id << " round " << round;
      if (!RowOf(kube::Parse<kube::Stage>(id).value()).parent) {
        leading = std::max(leading, {truth, share.low});
      }
    }
    if (causes.with_binding) lows.push_back(leading.second);
  }
  std::sort(lows.begin(), lows.end());
  EXPECT_GT(lows[lows.size() / 2], 0.5);
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
