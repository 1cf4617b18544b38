#include "diagnose/pods/holders.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "diagnose/pods/played_pods.h"

namespace schedlens {
namespace {

using kube::QueueName;
using test::PlayedPods;
using test::Playing;
using testing_support::At;
using testing_support::Range;
using testing_support::StateMetrics;

/// One scheduler that is scraped every thirty seconds from 0 to 60, and nothing else.
struct Minute {
  Facts facts;
  Histograms histograms;
  ControlPlaneFacts control_plane;
  std::vector<LeadingScrape> scrapes;
  TimeBreakdown breakdown;
  std::vector<Absence> absences;

  Minute() {
    Target target{.id = Labels({{"instance", "a"}}), .scrapes = {}, .starts = {}, .processes = {}};
    for (const double t : {0, 30, 60}) {
      LeadingScrape& one = scrapes.emplace_back();
      one.at = At(t);
      one.counted = true;
      target.scrapes.push_back(one.at);
    }
    facts.targets.push_back(std::move(target));
    breakdown.window = Range(0, 60);
    breakdown.e2e.seconds = std::nan("");
    breakdown.pod_scheduling.seconds = std::nan("");
  }

  void Standing(QueueName queue, const std::vector<double>& pods) {
    for (std::size_t i = 0; i < pods.size(); ++i) scrapes[i].pods[queue] = pods[i];
  }
  std::optional<HeldTime> Measure() const {
    return MeasureHolders({facts, histograms, control_plane, scrapes}, breakdown, absences);
  }
};

TEST(MeasureHoldersTest, NothingWithoutQueuesGauges) {
  Minute minute;
  EXPECT_TRUE(minute.Measure());
  minute.scrapes[1].counted = false;
  EXPECT_FALSE(minute.Measure()) << "one is below zero";
  minute = {};
  minute.scrapes.resize(1);
  EXPECT_FALSE(minute.Measure());
  minute.scrapes.clear();
  EXPECT_FALSE(minute.Measure());
}

TEST(MeasureHoldersTest, TheLengthIsTheWindows) {
  const auto held = Minute().Measure();
  ASSERT_TRUE(held);
  EXPECT_EQ(held->length, 60);
}

// Ten pods all the time are 600 pod-seconds. Of what stood, 3.5 may have moved and one more, each a
// half: 4.5 / 4 squared pods in thirty seconds, twice; three deviations of that, and one.
TEST(MeasureHoldersTest, QueuesAreTrapezoidsBetweenScrapes) {
  const double off = 3 * std::sqrt(2 * 30 * 30 * 4.5 / 4) + 1;
  const struct {
    std::vector<double> pods;
    double seconds;
  } cases[] = {{{10, 10, 10}, 600}, {{0, 10, 20}, 600}, {{20, 0, 0}, 300}};
  for (const auto& c : cases) {
    Minute minute;
    minute.Standing(QueueName::kGated, c.pods);
    const auto held = minute.Measure();
    ASSERT_TRUE(held);
    const BoundedValue& gate = (*held)[Holder::kGate];
    EXPECT_NEAR(gate.value, c.seconds, 1);
    EXPECT_LE(gate.low, c.seconds);
    EXPECT_GE(gate.high, c.seconds);
    if (c.pods[0] != c.pods[2]) continue;
    EXPECT_NEAR(gate.low, 600 - off, 1e-2);
    EXPECT_NEAR(gate.high, 600 + off, 1e-2);
  }
}

TEST(MeasureHoldersTest, WhatIsNotMeasuredIsLeftOpen) {
  Minute minute;
  const auto held = minute.Measure();
  ASSERT_TRUE(held);
  EXPECT_TRUE(std::isinf((*held)[Holder::kAttempt].high)) << "no attempts";
  EXPECT_TRUE(std::isfinite((*held)[Holder::kQueue].high)) << "by its gauge";
  EXPECT_LE((*held)[Holder::kNobody].high, 2);
}

TEST(MeasureHoldersTest, ScrapesAroundTheWindowAreItsEdges) {
  Minute minute;
  minute.Standing(QueueName::kGated, {50, 10, 10});
  minute.breakdown.window = Range(30, 60);
  const auto held = minute.Measure();
  ASSERT_TRUE(held);
  EXPECT_NEAR((*held)[Holder::kGate].value, 300, 1);
  EXPECT_EQ(held->length, 30);
}

// Three pods wait ten seconds each: no holder has more than thirty, but for whole seconds.
TEST(MeasureHoldersTest, AllOfItIsWhatThePodsWaited) {
  Minute minute;
  StateMetrics ksm;
  for (const double created : {5, 20, 35}) {
    ksm.Pod("shop", "pod-" + std::to_string(created), "", created, 10);
  }
  minute.control_plane = ksm.Facts();
  const auto held = minute.Measure();
  ASSERT_TRUE(held);
  double all = 0;
  for (const BoundedValue& one : held->seconds) {
    EXPECT_LE(one.high, 40);
    all += one.high;
  }
  EXPECT_GE(all, 30);
  EXPECT_EQ(held->relaxation, 1);
}

// Ten pods are created at once, at 12 s, and bound at 48 s when a scheduler leads again.
TEST(MeasureHoldersTest, NobodyHoldsPodsInAnAbsence) {
  Minute minute;
  StateMetrics ksm;
  for (int i = 0; i < 10; ++i) ksm.Pod("shop", "pod-" + std::to_string(i), "", 12, 36);
  minute.control_plane = ksm.Facts();
  Absence away;
  away.id = "scheduler.down";
  away.before = At(0);
  away.after = At(60);
  away.start = {At(10), At(10), At(11)};
  away.end = {At(48), At(48.5), At(49)};
  minute.absences = {away};
  minute.scrapes.erase(minute.scrapes.begin() + 1);
  const auto held = minute.Measure();
  ASSERT_TRUE(held);
  const BoundedValue& nobody = (*held)[Holder::kNobody];
  EXPECT_LE(nobody.low, 360);
  EXPECT_GE(nobody.high, 360);
  EXPECT_NEAR(nobody.value, 360, 20);
  EXPECT_GT(nobody.low, 300);
  minute.absences.clear();
  EXPECT_LE((*minute.Measure())[Holder::kNobody].high, 2);
}

/// How pods of one draw come; every third has an outage, and half have bursts, rejections, gates.
PlayedPods DrawHow(int number, std::mt19937* random) {
  std::uniform_real_distribution<double> unit(0, 1);
  PlayedPods how;
  how.rate = 0.3 + 2 * unit(*random);
  how.algorithm = 0.01 + 0.25 * unit(*random) / how.rate;
  how.bind = 0.02 + unit(*random);
  if (unit(*random) < 0.5) how.burst = 20 + 100 * unit(*random);
  if (number % 3 == 2) {
    how.down_from = 200 + 100 * unit(*random);
    how.down_to = how.down_from + 35 + 60 * unit(*random);
    return how;
  }
  if (unit(*random) < 0.5) how.rejected = 0.3 * unit(*random);
  how.postfilter = number % 2 == 0 ? 0.2 : 0;
  if (unit(*random) < 0.5) how.gated = 0.1;
  return how;
}

struct HoldersPlayed {
  int leaves = 0, inside = 0;
  double widths = 0, seconds = 0;   ///< of attempts, where no outage is
  int loops = 0, loops_inside = 0;  ///< `queue.algorithm`
  std::string outside;
};

void PlayOne(int number, std::mt19937* random, HoldersPlayed* out) {
  const PlayedPods how = DrawHow(number, random);
  const Playing played(how, static_cast<unsigned>((*random)()));
  const Facts facts = played.Record(number % 2 == 0 ? 30 : 15);
  const ControlPlaneFacts control_plane = number % 4 < 2 ? played.Pods() : ControlPlaneFacts{};
  const Histograms histograms = GroupAll(facts);
  const TimeRange window = Range(120, 480);
  const WindowIncreases cells = CutWindow(histograms, facts.targets, window);
  const auto scrapes = LeadingScrapesOf(facts);
  const auto absences = FindAbsences(facts, scrapes, cells.attempt, control_plane, window);
  EXPECT_EQ(absences.size(), how.down_to > 0 ? 1U : 0U) << number;
  const auto held =
      MeasureHolders({facts, histograms, control_plane, scrapes}, BreakDownTime(cells), absences);
  ASSERT_TRUE(held) << number;
  if (const BoundedValue* loop = held->loop.Find(kube::Stage::kAlgorithm)) {
    const double truth = played.TruthOfLoop(120, 480);
    ++out->loops;
    if (loop->low <= truth && truth <= loop->high) {
      ++out->loops_inside;
    } else {
      out->outside +=
          fmt::format("{} loop {} not in {} to {}; ", number, truth, loop->low, loop->high);
    }
  }
  for (std::size_t i = 0; i < kHolders; ++i) {
    const auto holder = static_cast<Holder>(i);
    const double truth = played.Truth(holder, 120, 480);
    const BoundedValue& x = (*held)[holder];
    const bool inside = x.low <= truth && truth <= x.high;
    ++out->leaves;
    if (inside) ++out->inside;
    if (how.down_to == 0 && holder == Holder::kAttempt) {
      out->widths += x.high - x.low;
      out->seconds += truth;
    }
    EXPECT_LE(x.low, x.value);
    EXPECT_LE(x.value, x.high);
    if (inside) continue;
    out->outside += std::to_string(number) + " " + std::string(kHolderIds[i]) + " " +
                    std::to_string(truth) + " not in " + std::to_string(x.low) + " to " +
                    std::to_string(x.high) + "; ";
  }
}

TEST(MeasureHoldersTest, TheTruthLiesInTheBounds) {
  std::mt19937 random(7);
  HoldersPlayed played;
  for (int number = 0; number < 40; ++number) PlayOne(number, &random, &played);
  EXPECT_EQ(played.leaves, 40 * static_cast<int>(kHolders));
  EXPECT_GE(played.inside, 0.98 * played.leaves) << played.outside;
  EXPECT_LT(played.widths, 0.8 * played.seconds) << "and the bounds say something";
  EXPECT_GE(played.loops, 20);
  EXPECT_GE(played.loops_inside, 0.98 * played.loops) << played.outside;
}

// The process stands still from 250 s on and goes on with what it had: its start tells nothing, but
// no pod is bound meanwhile.
TEST(MeasureHoldersTest, AHaltIsSeenByThePodsThatNobodyBound) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const PlayedPods how{.rate = 2,
                         .algorithm = 0.01,
                         .bind = 0.05,
                         .down_from = 250,
                         .down_to = 330,
                         .halted = true};
    const Playing played(how, seed);
    const Facts facts = played.Record(30);
    const ControlPlaneFacts control_plane = played.Pods();
    const Histograms histograms = GroupAll(facts);
    const TimeRange window = Range(120, 480);
    const WindowIncreases cells = CutWindow(histograms, facts.targets, window);
    const auto scrapes = LeadingScrapesOf(facts);
    const auto absences = FindAbsences(facts, scrapes, cells.attempt, control_plane, window);
    ASSERT_EQ(absences.size(), 1U) << seed;
    EXPECT_EQ(absences[0].id, "scheduler.stuck");
    EXPECT_TRUE(absences[0].keeps_queues);
    EXPECT_NEAR(MsToSeconds(absences[0].start.value - At(250)), 0, 5) << seed;
    EXPECT_NEAR(MsToSeconds(absences[0].end.value - At(330)), 0, 2) << seed;
    const auto held =
        MeasureHolders({facts, histograms, control_plane, scrapes}, BreakDownTime(cells), absences);
    ASSERT_TRUE(held) << seed;
    const double truth = played.Truth(Holder::kNobody, 120, 480);
    EXPECT_NEAR((*held)[Holder::kNobody].value, truth, 0.1 * truth) << seed;
  }
}

}  // namespace
}  // namespace schedlens
