// What a diagnosis says of data that is hardly any: what can be said, what was missing, and never a
// number that the data does not hold.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/incident.h"
#include "diagnose/pipeline/diagnose.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::kScrape;
using testing::Contains;
using testing::HasSubstr;

Diagnosis DiagnoseSeries(const std::vector<Series>& series, std::optional<TimeRange> window = {},
                         std::optional<TimeRange> baseline = {}) {
  test::SelectorSource source(series);
  DiagnoseRequest request;
  request.window = window;
  request.baseline = baseline;
  return Diagnose(source, QuerySet::Embedded(), request);
}

/// Bounds in order and around their value, nothing that is not a number.
void ExpectSound(const Diagnosis& d) {
  for (const StageTime& stage : d.stages) {
    for (const auto& m : {std::optional(stage.seconds), std::optional(stage.share),
                          stage.tail_time_share, stage.sufficient, stage.excess}) {
      if (!m) continue;
      if (m->value) {
        EXPECT_TRUE(std::isfinite(*m->value)) << stage.id;
      }
      if (m->low && m->high) {
        EXPECT_LE(*m->low, *m->high) << stage.id;
      }
      if (m->value && m->low) {
        EXPECT_GE(*m->value, *m->low - 1e-9) << stage.id;
      }
      if (m->value && m->high) {
        EXPECT_LE(*m->value, *m->high + 1e-9) << stage.id;
      }
    }
  }
  for (const QuantileRow& row : d.quantiles) {
    if (row.interval.low && row.interval.high) {
      EXPECT_LE(*row.interval.low, *row.interval.high) << row.metric;
    }
  }
  EXPECT_FALSE(d.headline.empty());
}

Attempt SlowBind(int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; }

std::vector<Series> Without(std::vector<Series> series, std::string_view part) {
  std::erase_if(series, [&](const Series& s) {
    return s.labels.Get("__name__").find(part) != std::string_view::npos;
  });
  return series;
}

std::vector<Series> AnIncident() {
  test::Recorder r;
  test::RecordIncident(&r, SlowBind);
  return r.series();
}

TEST(DiagnoseBadInputTest, OneAttempt) {
  test::Recorder r;
  r.Scrape(0);
  r.Run({});
  r.Scrape(kScrape);
  r.Run({.bind = 5});
  r.Scrape(2 * kScrape);
  const Diagnosis d = DiagnoseSeries(r.series(), TimeRange{kScrape, 2 * kScrape});
  ExpectSound(d);
  EXPECT_EQ(d.attempts, 1);
  EXPECT_EQ(d.verdict, Verdict::kUndecidable);
  for (const Finding& f : d.findings) {
    EXPECT_NE(f.confidence, Confidence::kCertain) << f.id;
  }
}

TEST(DiagnoseBadInputTest, OnlyFailures) {
  test::Recorder r;
  test::RecordIncident(&r, [](int) { return Attempt{.result = "unschedulable"}; });
  const Diagnosis d = DiagnoseSeries(r.series());
  ExpectSound(d);
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings[0].id, "attempts.unschedulable");
}

TEST(DiagnoseBadInputTest, HalfOfTheMetrics) {
  for (const char* missing :
       {"scheduling_algorithm", "extension_point", "e2e_scheduling", "binding_duration"}) {
    const Diagnosis d = DiagnoseSeries(Without(AnIncident(), missing));
    ExpectSound(d);
    EXPECT_NE(d.verdict, Verdict::kNoIncident) << missing;
    if (std::string_view(missing) != "binding_duration") {
      EXPECT_FALSE(d.gaps.empty()) << missing;
    }
    for (const Finding& f : d.findings) {
      if (f.confidence == Confidence::kCertain && !f.id.starts_with("data.")) {
        EXPECT_EQ(f.id, "bind.apiserver") << missing;
      }
    }
  }
}

TEST(DiagnoseBadInputTest, WithoutTheAttemptsTheirPartsSayWhereTheTimeWent) {
  const Diagnosis d = DiagnoseSeries(Without(AnIncident(), "e2e_scheduling"));
  ExpectSound(d);
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings[0].id, "bind.apiserver");
  EXPECT_NE(d.findings[0].confidence, Confidence::kCertain);
  EXPECT_GT(d.findings[0].share->value, 0.9);
  EXPECT_THAT(InEnglish(d.gaps), Contains(HasSubstr("there is no e2e quantile")));
  for (const QuantileRow& row : d.quantiles) {
    EXPECT_EQ(row.metric.find("e2e"), std::string::npos) << row.metric;
  }
}

TEST(DiagnoseBadInputTest, WhatCannotBeSeenIsNotSaidToBeWell) {
  test::Recorder quiet;
  test::RecordIncident(&quiet, test::Quick);
  for (const char* missing : {"e2e_scheduling", "_bucket"}) {
    const Diagnosis d = DiagnoseSeries(Without(quiet.series(), missing));
    ExpectSound(d);
    EXPECT_EQ(d.verdict, Verdict::kUndecidable) << missing;
    EXPECT_TRUE(d.findings.empty()) << missing;
  }
}

TEST(DiagnoseBadInputTest, OnlySumsAndCountsOrOnlyBuckets) {
  const Diagnosis sums = DiagnoseSeries(Without(AnIncident(), "_bucket"));
  ExpectSound(sums);
  ASSERT_FALSE(sums.findings.empty());
  EXPECT_EQ(sums.findings[0].id, "bind.apiserver");
  EXPECT_THAT(InEnglish(sums.gaps), Contains(HasSubstr("_bucket is missing: sums and counts")));
  for (const QuantileRow& row : sums.quantiles) EXPECT_FALSE(row.estimate.value) << row.metric;
  const Diagnosis buckets = DiagnoseSeries(Without(Without(AnIncident(), "_sum"), "_count"),
                                           test::kIncident, test::kQuiet);
  ExpectSound(buckets);
  EXPECT_EQ(buckets.verdict, Verdict::kIncident);  // slow it is; where is in the sums
  for (const Finding& finding : buckets.findings) {
    EXPECT_TRUE(finding.id.starts_with("data.")) << finding.id;
  }
  for (const StageTime& stage : buckets.stages) EXPECT_FALSE(stage.share.value) << stage.id;
}

TEST(DiagnoseBadInputTest, AScrapeAsLongAsTheWindow) {
  constexpr TimeMs kFiveMinutes = 300'000;
  test::Recorder r;
  int number = 0;
  for (int s = 0; s <= 12; ++s) {
    for (int i = 0; i < 600; ++i, ++number) r.Run(s > 6 ? SlowBind(number) : test::Quick(number));
    r.Scrape(s * kFiveMinutes);
  }
  const TimeRange window{9 * kFiveMinutes + 1000, 10 * kFiveMinutes + 1000};
  const Diagnosis d = DiagnoseSeries(r.series(), window);
  ExpectSound(d);
  EXPECT_EQ(d.attempts, 1200) << "of the two intervals that hold the window";
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings[0].id, "bind.apiserver");
}

TEST(DiagnoseBadInputTest, CountersResetInEveryScrape) {
  test::Recorder r;
  for (int s = 0; s <= 30; ++s) {
    r.Restart(s * kScrape - 1000);
    for (int i = 0; i < 50; ++i) r.Run(SlowBind(i));
    r.Scrape(s * kScrape);
  }
  const Diagnosis d = DiagnoseSeries(r.series(), TimeRange{10 * kScrape, 20 * kScrape});
  ExpectSound(d);
  EXPECT_EQ(d.verdict, Verdict::kIncident);
  EXPECT_THAT(InEnglish(d.warnings), Contains(HasSubstr("restarted 30 times")));
  EXPECT_EQ(d.attempts, 500);  // each process counted its own from zero
}

TEST(DiagnoseBadInputTest, ReplicasOfDifferentReleases) {
  test::Recorder old, young;
  test::RecordIncident(&old, SlowBind);
  young.instance = "10.0.0.2:10259";
  young.with_binding = false;
  young.algorithm_with_failures = true;
  test::RecordIncident(&young, test::Quick, 5);
  auto series = old.series();
  for (Series& s : young.series()) series.push_back(std::move(s));
  const Diagnosis d = DiagnoseSeries(series);
  ExpectSound(d);
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings[0].id, "bind.apiserver");
}

TEST(DiagnoseBadInputTest, ABaselineThatIsItselfAnIncident) {
  const TimeRange& whole = test::kIncident;
  const TimeMs middle = (whole.start + whole.end) / 2 / kScrape * kScrape;
  const Diagnosis d =
      DiagnoseSeries(AnIncident(), TimeRange{middle, whole.end}, TimeRange{whole.start, middle});
  ExpectSound(d);
  EXPECT_THAT(InEnglish(d.warnings), Contains(HasSubstr("is itself slow next to calm time")));
  EXPECT_TRUE(d.baseline) << "it was asked for: what changed since then is still shown";
  EXPECT_EQ(d.verdict, Verdict::kIncident);
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings[0].id, "bind.apiserver");
}

}  // namespace
}  // namespace schedlens
