// One scene a case of the inversion list: scraped attempts in which that case, and none before it,
// explains why the part reads above the whole; and the same without the cause.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "diagnose/explain/compare.h"
#include "diagnose/recorder.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "messages/written.h"
#include "promql/alert_expression.h"
#include "schedlens/semantics.h"

namespace schedlens {
namespace {

using test::Recorder;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::StoreSource;

constexpr char kPart[] = "scheduler_scheduling_algorithm_duration_seconds";
constexpr char kWhole[] = "scheduler_e2e_scheduling_duration_seconds";
/// Its ladder ends at 0.2048 s, the others' at 16.384 s.
constexpr char kShortLadder[] = "scheduler_framework_extension_point_duration_seconds";

void Observe(Recorder* recorder, const std::string& family, int number, double seconds) {
  for (int i = 0; i < number; ++i) recorder->Observe(family, {}, seconds);
}

/// Both histograms of `number` attempts.
void Attempts(Recorder* recorder, int number, double part, double whole) {
  Observe(recorder, kPart, number, part);
  Observe(recorder, kWhole, number, whole);
}

struct Asked {
  std::string part = kPart, whole = kWhole;
  double q = 0.99;
  TimeRange window;
  std::string whole_selector;
  Semantics semantics;
};

/// With every message of the walk written once.
Comparison Checked(Comparison comparison) {
  std::vector<Message> all = comparison.believe;
  all.push_back(comparison.verdict);
  for (const ComparedCase& one : comparison.cases) all.push_back(one.text);
  test::ExpectWrittenInEveryLanguage(all);
  return comparison;
}

Comparison Compared(std::vector<Series> series, const Asked& asked) {
  StoreSource source(std::move(series), asked.semantics);
  CompareRequest request;
  request.part.metric = asked.part;
  request.whole.metric = asked.whole;
  request.whole.selector = asked.whole_selector;
  for (QuantileRequest* side : {&request.part, &request.whole}) {
    side->q = asked.q;
    side->window = asked.window;
    side->semantics = asked.semantics;
  }
  return Checked(Compare(source, request));
}

Comparison ComparedExpressions(std::vector<Series> series, const std::string& part,
                               const std::string& whole, TimeRange window) {
  StoreSource source(std::move(series));
  CompareRequest request;
  request.part.expression = promql::ParseAlertExpression(part);
  request.whole.expression = promql::ParseAlertExpression(whole);
  request.part.window = request.whole.window = window;
  return Checked(Compare(source, request));
}

/// The case that ended the walk; empty when there was nothing to walk.
std::string ProvenCase(const Comparison& comparison) {
  if (comparison.cases.empty()) return "";
  EXPECT_EQ(comparison.cases.back().outcome, CaseOutcome::kProven);
  for (std::size_t i = 0; i + 1 < comparison.cases.size(); ++i) {
    EXPECT_NE(comparison.cases[i].outcome, CaseOutcome::kProven);
  }
  EXPECT_FALSE(comparison.believe.empty());
  EXPECT_EQ(comparison.verdict, comparison.cases.back().text);
  return comparison.cases.back().id;
}

bool BlamesInterpolation(const Comparison& comparison) {
  return comparison.verdict.id == "compare.layouts.other_way";
}

/// Scrapes at 0 and 5 s around what `observe` adds; every child is there from the first scrape on.
template <typename Fill>
std::vector<Series> OneInterval(Fill fill) {
  Recorder recorder;
  for (const char* family : {kPart, kWhole, kShortLadder}) Observe(&recorder, family, 1, 1e-5);
  recorder.Scrape(0);
  fill(&recorder);
  recorder.Scrape(5000);
  return recorder.series();
}

constexpr TimeRange kOneInterval{0, 5000};

TEST(CompareCasesTest, LayoutsWhoseReadingsTurnTheTruthAround) {
  const auto series = OneInterval([](Recorder* recorder) {
    Observe(recorder, kPart, 10, 0.13);  // shown in 0.128 .. 0.256
    Observe(recorder, kShortLadder, 10, 0.2);
  });
  const Comparison comparison = Compared(series, {kPart, kShortLadder, 0.99, kOneInterval, "", {}});
  EXPECT_EQ(ProvenCase(comparison), "layouts");
  EXPECT_TRUE(BlamesInterpolation(comparison));
}

TEST(CompareCasesTest, LayoutsWithoutAnObservedOrder) {
  auto series = OneInterval([](Recorder* recorder) {
    Observe(recorder, kPart, 10, 0.2);
    Observe(recorder, kShortLadder, 10, 0.2);
  });
  // Without sums the buckets are all there is.
  std::erase_if(series, [](const Series& s) { return s.labels.Get("__name__").ends_with("_sum"); });
  const Comparison comparison = Compared(series, {kPart, kShortLadder, 0.99, kOneInterval, "", {}});
  EXPECT_EQ(ProvenCase(comparison), "layouts");
  EXPECT_FALSE(BlamesInterpolation(comparison));
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("no order was observed"));
}

TEST(CompareCasesTest, LabelsTakeTheWholeFromOneReplicaOnly) {
  const auto replica = [](const std::string& instance, double seconds) {
    Recorder recorder;
    recorder.instance = instance;
    Attempts(&recorder, 1, 1e-5, 1e-5);
    recorder.Scrape(0);
    Attempts(&recorder, 10, seconds, 1.1 * seconds);
    recorder.Scrape(5000);
    return recorder.series();
  };
  std::vector<Series> series = replica("a", 3);
  for (Series& s : replica("b", 0.01)) series.push_back(std::move(s));
  Asked asked;
  asked.window = kOneInterval;
  EXPECT_EQ(ProvenCase(Compared(series, asked)), "");
  asked.whole_selector = "instance=\"b\"";
  const Comparison comparison = Compared(series, asked);
  EXPECT_EQ(ProvenCase(comparison), "labels");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("different processes (2 and 1)"));
  EXPECT_FALSE(BlamesInterpolation(comparison));
}

TEST(CompareCasesTest, PopulationHoldsQuickFailuresInTheWholeAlone) {
  Recorder recorder;
  test::Attempt slow, failed;
  slow.filter = 3;
  failed.result = "unschedulable";
  recorder.Run(slow);
  recorder.Run(failed);
  recorder.Scrape(0);
  for (int i = 0; i < 10; ++i) recorder.Run(slow);
  recorder.Scrape(5000);
  Asked asked;
  asked.window = kOneInterval;
  EXPECT_EQ(ProvenCase(Compared(recorder.series(), asked)), "");
  for (int i = 0; i < 5000; ++i) recorder.Run(failed);
  recorder.Scrape(10000);
  asked.window = {0, 10000};
  const Comparison comparison = Compared(recorder.series(), asked);
  EXPECT_EQ(ProvenCase(comparison), "population");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("5000 unschedulable"));
  ASSERT_TRUE(comparison.witness);
  EXPECT_EQ(comparison.witness->whole_only, 5000);
  EXPECT_THAT(InEnglish(comparison.believe), Contains(HasSubstr("result=\"scheduled\"")));
}

TEST(CompareCasesTest, PopulationHoldsAttemptsOfThePartAlone) {
  const auto series = OneInterval([](Recorder* recorder) {
    Attempts(recorder, 10, 0.01, 0.02);
    Observe(recorder, kPart, 5, 3);
  });
  Asked asked;
  asked.window = kOneInterval;
  const Comparison comparison = Compared(series, asked);
  EXPECT_EQ(ProvenCase(comparison), "population");
  EXPECT_EQ(comparison.witness->part_only, 5);
}

/// Twenty quick attempts a scrape for a minute; then twenty slow ones, which `late` puts into the
/// whole one scrape later than into the part.
std::vector<Series> Minute(bool late) {
  Recorder recorder;
  Attempts(&recorder, 1, 1e-5, 1e-5);
  for (TimeMs t = 0; t <= 75000; t += 5000) {
    if (t > 0) Attempts(&recorder, 20, 0.01, 0.02);
    if (t == 60000) Observe(&recorder, kPart, 20, 3);
    if (t == (late ? 65000 : 60000)) Observe(&recorder, kWhole, 20, 3.1);
    recorder.Scrape(t);
  }
  return recorder.series();
}

TEST(CompareCasesTest, TimeLiesBetweenTheTwoObservations) {
  Asked asked;
  asked.window = {0, 60000};
  EXPECT_EQ(ProvenCase(Compared(Minute(false), asked)), "");
  const Comparison comparison = Compared(Minute(true), asked);
  EXPECT_EQ(ProvenCase(comparison), "time");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("20 attempts were in flight"));
  EXPECT_FALSE(BlamesInterpolation(comparison));
}

TEST(CompareCasesTest, WhatIsLostForGoodIsNoMatterOfTime) {
  // The slow ones never reach the whole: a later window does not bring them.
  Recorder recorder;
  Attempts(&recorder, 1, 1e-5, 1e-5);
  for (TimeMs t = 0; t <= 75000; t += 5000) {
    if (t > 0) Attempts(&recorder, 20, 0.01, 0.02);
    if (t == 60000) Observe(&recorder, kPart, 20, 3);
    recorder.Scrape(t);
  }
  Asked asked;
  asked.window = {0, 60000};
  EXPECT_EQ(ProvenCase(Compared(recorder.series(), asked)), "population");
}

TEST(CompareCasesTest, MissingSamplesEndTheWholeEarlier) {
  std::vector<Series> series = Minute(false);
  for (Series& s : series) {
    if (!s.labels.Get("__name__").starts_with(kWhole)) continue;
    std::erase_if(s.samples, [](const Sample& sample) { return sample.t == 60000; });
  }
  Asked asked;
  asked.window = {0, 60000};
  const Comparison comparison = Compared(series, asked);
  EXPECT_EQ(ProvenCase(comparison), "missing-samples");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("do not have the same scrapes"));
}

TEST(CompareCasesTest, AResetTakesTheWholesSlowOnesWithIt) {
  Recorder recorder;
  Attempts(&recorder, 1, 1e-5, 1e-5);
  recorder.Scrape(0);
  Attempts(&recorder, 100, 0.01, 0.02);
  recorder.Scrape(5000);
  // After the restart the part is exposed at once, the whole not before the next scrape.
  recorder.Restart(6000);
  Observe(&recorder, kPart, 50, 3);
  Observe(&recorder, kWhole, 50, 0.001);
  recorder.Scrape(10000);
  Asked asked;
  asked.window = {0, 10000};
  const Comparison comparison = Compared(recorder.series(), asked);
  EXPECT_EQ(ProvenCase(comparison), "missing-samples");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("counter reset"));
}

/// A process that starts a minute into the window. Up to 2.50 the first value of a bucket decides
/// whether rate() extrapolates by 16.4 s or by half an interval.
std::vector<Series> YoungProcess() {
  Recorder recorder;
  const auto observe = [&](const char* family, int low, int high) {
    Observe(&recorder, family, low, 1.0);
    Observe(&recorder, family, high, 1.5);
  };
  observe(kPart, 35, 33);
  observe(kWhole, 34, 34);
  recorder.Scrape(60000);
  for (TimeMs t = 75000; t <= 285000; t += 15000) recorder.Scrape(t);
  observe(kPart, 505, 495);
  observe(kWhole, 503, 497);
  recorder.Scrape(300000);
  return recorder.series();
}

TEST(CompareCasesTest, RateTurnsTheOrderOfYoungSeriesAround) {
  Asked asked;
  asked.q = 0.5;
  asked.window = {0, 300000};
  EXPECT_EQ(ProvenCase(Compared(YoungProcess(), asked)), "");
  asked.semantics = ParseSemantics("2.42");
  const Comparison comparison = Compared(YoungProcess(), asked);
  EXPECT_FALSE(comparison.inverted);
  EXPECT_TRUE(comparison.rate_inverted);
  EXPECT_EQ(ProvenCase(comparison), "rate");
  EXPECT_THAT(InEnglish(comparison.believe), Contains(HasSubstr("exact increases")));
}

// The scrape before the window holds slow attempts of the whole: rate() never sees them.
TEST(CompareCasesTest, RateLooksAtTheScrapesInsideTheWindow) {
  Recorder recorder;
  Attempts(&recorder, 1, 1e-5, 1e-5);
  recorder.Scrape(0);
  Observe(&recorder, kWhole, 50, 9);
  for (TimeMs t = 5000; t <= 60000; t += 5000) {
    Attempts(&recorder, 10, 3, 3.1);
    Observe(&recorder, kWhole, 200, 0.001);
    recorder.Scrape(t);
  }
  Asked asked;
  asked.q = 0.98;
  asked.window = {1000, 60000};
  const Comparison comparison = Compared(recorder.series(), asked);
  EXPECT_EQ(ProvenCase(comparison), "population");
  EXPECT_THAT(InEnglish(comparison.warnings), Contains(HasSubstr("as rate() does")));
}

/// Quick attempts before the slow ones; `torn` scrapes of the whole say 900 for a low bound.
std::vector<Series> Torn(std::function<bool(TimeMs)> torn) {
  Recorder recorder;
  Attempts(&recorder, 1, 1e-5, 1e-5);
  for (TimeMs t = 0; t <= 60000; t += 5000) {
    if (t > 0) Attempts(&recorder, 20, 1, 1.1);
    recorder.Scrape(t);
  }
  std::vector<Series> series = recorder.series();
  for (Series& s : series) {
    if (s.labels.Get("__name__") != std::string(kWhole) + "_bucket") continue;
    if (s.labels.Get("le") != "0.008") continue;
    for (Sample& sample : s.samples) {
      if (torn(sample.t)) sample.v = 900 + static_cast<double>(sample.t) / 100;
    }
  }
  return series;
}

TEST(CompareCasesTest, RepairOfOneTornScrapeMovesRateAlone) {
  Asked asked;
  asked.window = {0, 60000};
  EXPECT_EQ(ProvenCase(Compared(Torn([](TimeMs) { return false; }), asked)), "");
  const Comparison comparison = Compared(Torn([](TimeMs t) { return t == 30000; }), asked);
  EXPECT_FALSE(comparison.inverted);
  EXPECT_TRUE(comparison.rate_repaired);
  EXPECT_EQ(ProvenCase(comparison), "repair");
  EXPECT_THAT(InEnglish(comparison.warnings),
              Contains(HasSubstr("1 scrape in the window is not a histogram")));
}

TEST(CompareCasesTest, RepairOfEveryScrapeLeavesNothingToBelieve) {
  Asked asked;
  asked.window = {0, 60000};
  const Comparison comparison = Compared(Torn([](TimeMs) { return true; }), asked);
  EXPECT_EQ(ProvenCase(comparison), "repair");
  EXPECT_THAT(InEnglish(comparison.believe), Contains(HasSubstr("neither number")));
  EXPECT_TRUE(comparison.whole.proven.basis.empty());
}

TEST(CompareCasesTest, SaturationMeansMoreThan) {
  const auto series = OneInterval([](Recorder* recorder) {
    Observe(recorder, kPart, 10, 0.5);
    Observe(recorder, kShortLadder, 10, 0.6);
  });
  const Comparison comparison = Compared(series, {kPart, kShortLadder, 0.99, kOneInterval, "", {}});
  EXPECT_EQ(ProvenCase(comparison), "saturation");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("0.2048 s is its highest finite bound"));
  EXPECT_FALSE(BlamesInterpolation(comparison));
}

TEST(CompareCasesTest, SumsInvertWithEqualCounts) {
  const auto series = OneInterval([](Recorder* recorder) { Attempts(recorder, 10, 3, 1.5); });
  Asked asked;
  asked.window = kOneInterval;
  const Comparison comparison = Compared(series, asked);
  EXPECT_EQ(ProvenCase(comparison), "sums");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("equal counts (10)"));
}

TEST(CompareCasesTest, ExpressionsAskForDifferentQuantiles) {
  const auto series = OneInterval([](Recorder* recorder) {
    Attempts(recorder, 60, 0.01, 0.02);
    Attempts(recorder, 40, 3, 3.1);
  });
  const auto ask = [](const char* q, const char* family) {
    return std::string("histogram_quantile(") + q + ", sum by (le) (rate(" + family +
           "_bucket[5s])))";
  };
  const Comparison comparison =
      ComparedExpressions(series, ask("0.99", kPart), ask("0.5", kWhole), kOneInterval);
  EXPECT_EQ(ProvenCase(comparison), "expressions");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("different quantiles (0.99 and 0.5)"));
}

/// Five quick minutes, then a slow one.
std::vector<Series> SlowLastMinute() {
  Recorder recorder;
  Attempts(&recorder, 1, 1e-5, 1e-5);
  for (TimeMs t = 0; t <= 300000; t += 15000) {
    const bool slow = t > 240000;
    if (t > 0) Attempts(&recorder, 10, slow ? 3 : 0.01, slow ? 3.1 : 0.02);
    recorder.Scrape(t);
  }
  return recorder.series();
}

TEST(CompareCasesTest, ExpressionsLookAtDifferentWindows) {
  const std::string part =
      std::string("histogram_quantile(0.5, sum by (le) (rate(") + kPart + "_bucket[1m])))";
  const std::string whole =
      std::string("histogram_quantile(0.5, sum by (le) (rate(") + kWhole + "_bucket[5m])))";
  const Comparison comparison = ComparedExpressions(SlowLastMinute(), part, whole, {0, 300000});
  EXPECT_EQ(ProvenCase(comparison), "expressions");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("different windows (1m and 5m)"));
}

TEST(CompareCasesTest, ExpressionsAverageQuantiles) {
  std::vector<Series> series;
  for (const bool slow : {false, true}) {
    Recorder recorder;
    recorder.instance = slow ? "slow" : "fast";
    Attempts(&recorder, 1, 1e-5, 1e-5);
    for (TimeMs t = 0; t <= 300000; t += 15000) {
      Attempts(&recorder, 10, slow ? 3 : 0.01, slow ? 3.1 : 0.02);
      recorder.Scrape(t);
    }
    for (Series& s : recorder.series()) series.push_back(std::move(s));
  }
  const std::string part =
      std::string("histogram_quantile(0.99, sum by (le) (rate(") + kPart + "_bucket[5m])))";
  const std::string whole =
      std::string("avg(histogram_quantile(0.99, sum by (le, instance) (rate(") + kWhole +
      "_bucket[5m]))))";
  const Comparison comparison = ComparedExpressions(series, part, whole, {0, 300000});
  EXPECT_EQ(ProvenCase(comparison), "expressions");
  EXPECT_THAT(InEnglish(comparison.verdict),
              HasSubstr("avg(histogram_quantile(...)) is no quantile"));
}

TEST(CompareCasesTest, PremiseIsLeftWhenNothingElseIs) {
  const auto series = OneInterval([](Recorder* recorder) {
    Observe(recorder, kPart, 10, 3);
    Observe(recorder, kWhole, 6, 1);
    Observe(recorder, kWhole, 4, 10);
  });
  Asked asked;
  asked.q = 0.5;
  asked.window = kOneInterval;
  const Comparison comparison = Compared(series, asked);
  EXPECT_EQ(ProvenCase(comparison), "premise");
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("at least 6 attempts"));
  EXPECT_EQ(comparison.cases.size(), 11u);
}

TEST(CompareCasesTest, WithoutAnInversionItSaysWhatTheTwoAreGoodFor) {
  const auto series = OneInterval([](Recorder* recorder) { Attempts(recorder, 10, 1, 3); });
  Asked asked;
  asked.window = kOneInterval;
  const Comparison comparison = Compared(series, asked);
  EXPECT_THAT(comparison.cases, IsEmpty());
  EXPECT_THAT(InEnglish(comparison.verdict), HasSubstr("no inversion"));
  EXPECT_THAT(InEnglish(comparison.believe), Contains(HasSubstr("not their difference")));
}

}  // namespace
}  // namespace schedlens
