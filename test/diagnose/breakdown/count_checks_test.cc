#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/recorder.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::Recorder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// 20 attempts in a window, a quarter of them unschedulable, and what `more` adds to the counts.
template <typename More>
std::vector<std::string> CheckAfter(More more, Recorder r = {}) {
  r.Run({});
  r.Set("scheduler_scheduler_goroutines", {{"work", "binding"}}, 0);
  r.Scrape(0);
  for (int i = 0; i < 20; ++i) {
    Attempt a;
    if (i % 4 == 0) a.result = "unschedulable";
    r.Run(a);
  }
  more(r);
  r.Scrape(5000);
  const Facts facts = FactsOf(r);
  const WindowIncreases cells = CutWindow(GroupAll(facts), facts.targets, {0, 5000});
  return InEnglish(CheckCounts(facts, cells, BreakDownTime(cells)));
}

TEST(CheckCountsTest, CountsThatAgreeAreSilent) {
  EXPECT_THAT(CheckAfter([](Recorder&) {}), IsEmpty());
  Recorder newer;
  newer.with_binding = false;
  newer.algorithm_with_failures = true;
  EXPECT_THAT(CheckAfter([](Recorder&) {}, newer), IsEmpty());
}

TEST(CheckCountsTest, OneAttemptMayStraddleAnEdge) {
  EXPECT_THAT(CheckAfter([](Recorder& r) { r.Point("PostBind", 1e-6); }), IsEmpty());
}

TEST(CheckCountsTest, NamesWhatCountsLess) {
  const auto broken = CheckAfter([](Recorder& r) {
    for (int i = 0; i < 7; ++i) r.Point("PostBind", 1e-6);
  });
  EXPECT_THAT(broken, ElementsAre(HasSubstr("EP{PostBind} counts 7 more than e2e{scheduled}")));
}

TEST(CheckCountsTest, RunningBindingCyclesAreNotMissing) {
  const auto start_binds = [](Recorder& r, int running) {
    for (int i = 0; i < 9; ++i) {
      r.Observe("scheduler_scheduling_algorithm_duration_seconds", {}, 0.001);
      r.Point("Reserve", 1e-6);
    }
    r.Set("scheduler_scheduler_goroutines", {{"work", "binding"}}, running);
  };
  EXPECT_THAT(CheckAfter([&](Recorder& r) { start_binds(r, 9); }), IsEmpty());
  EXPECT_THAT(CheckAfter([&](Recorder& r) { start_binds(r, 0); }),
              ElementsAre(HasSubstr("counts 9 more than e2e and the running binding cycles")));
}

TEST(CheckCountsTest, NothingToCompareIsSilent) { EXPECT_THAT(CheckCounts({}, {}, {}), IsEmpty()); }

}  // namespace
}  // namespace schedlens
