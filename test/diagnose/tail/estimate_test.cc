#include "diagnose/tail/estimate.h"

#include <gtest/gtest.h>

#include <random>

#include "diagnose/recorder.h"
#include "diagnose/tail_truth.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Recorder;

StageShares EstimateOf(const std::vector<Attempt>& attempts, Recorder r) {
  constexpr int kScrapes = 20;
  test::RecordEvenly(&r, attempts, kScrapes);
  const Facts facts = FactsOf(r);
  const WindowIncreases cells = CutWindow(GroupAll(facts), facts.targets, {0, 5000 * kScrapes});
  const TimeBreakdown breakdown = BreakDownTime(cells);
  return EstimateTail(TailPopulationsOf(facts.targets, cells), breakdown,
                      (attempts.size() + 99) / 100);
}

struct EstimateKind {
  const char* name;
  bool with_binding, failures_in_algorithm;
  double points;  // off at most
  void (*slow)(double seconds, Attempt*);
};

TEST(EstimateTailTest, IsNearTheTruthForEveryCause) {
  const EstimateKind kinds[] = {
      {"bind", true, false, 0.05, [](double s, Attempt* a) { a->bind = s; }},
      {"bind, no binding histogram", false, false, 0.05, [](double s, Attempt* a) { a->bind = s; }},
      {"extender", true, false, 0.05, [](double s, Attempt* a) { a->extender_bind = s; }},
      {"filter", false, false, 0.05, [](double s, Attempt* a) { a->filter = s; }},
      {"extender filter", true, false, 0.05, [](double s, Attempt* a) { a->unmeasured = s; }},
      {"prebind", false, true, 0.05, [](double s, Attempt* a) { a->prebind = s; }},
      {"preemption", false, true, 0.05,
       [](double s, Attempt* a) { a->result = "unschedulable", a->postfilter = s; }},
      {"preemption, older", false, false, 0.05,
       [](double s, Attempt* a) { a->result = "unschedulable", a->postfilter = s; }},
      {"filter and bind", true, false, 0.1,
       [](double s, Attempt* a) { (s > 2 ? a->filter : a->bind) = s; }},
  };
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> quick(-5, 0.5), slow(0.7, 0.5);
  for (const EstimateKind& kind : kinds) {
    Recorder r;
    r.with_binding = kind.with_binding;
    r.algorithm_with_failures = kind.failures_in_algorithm;
    std::vector<Attempt> attempts(4000);
    for (Attempt& a : attempts) {
      a.bind = quick(random);
      a.filter = 0.05 * quick(random);
      if (random() % 25 == 0) kind.slow(slow(random), &a);
    }
    const auto estimate = EstimateOf(attempts, r);
    for (const auto& [id, share] : test::TailTruth(attempts)) {
      EXPECT_NEAR(estimate.Get(kube::Parse<kube::Stage>(id).value()), share, kind.points)
          << kind.name << ": " << id;
    }
    double all = 0;
    for (const auto& [stage, share] : estimate) {
      if (!RowOf(stage).parent) all += share;
    }
    EXPECT_NEAR(all, 1, 1e-9) << kind.name;
  }
}

TEST(EstimateTailTest, LeavesItWhereTooManyAreAboutAsSlow) {
  Recorder r;
  std::vector<Attempt> attempts(100'000);  // all in one bucket, 5,000 a scrape interval
  for (Attempt& a : attempts) a.bind = 1.5;
  EXPECT_TRUE(EstimateOf(attempts, r).empty());
}

TEST(EstimateTailTest, NoAttemptsNoEstimate) {
  EXPECT_TRUE(EstimateTail({}, {}, 0).empty());
  EXPECT_TRUE(EstimateTail({}, {}, 10).empty());
}

}  // namespace
}  // namespace schedlens
