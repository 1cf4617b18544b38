#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/incident.h"
#include "diagnose/pipeline/diagnose.h"
#include "diagnose/pipeline/verdict.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using test::Attempt;

Diagnosis DiagnoseRecorder(const test::Recorder& r, const DiagnoseRequest& request = {}) {
  test::SelectorSource source(r.series());
  return Diagnose(source, QuerySet::Embedded(), request);
}

TEST(DiagnoseTest, FindsWindowBaselineAndCauseByItself) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; });
  const Diagnosis d = DiagnoseRecorder(r);
  EXPECT_EQ(d.verdict, Verdict::kIncident);
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings[0].id, "bind.apiserver");
  EXPECT_TRUE(d.window_found);
  ASSERT_TRUE(d.baseline);
  EXPECT_LE(d.baseline->end, d.window.start);
  EXPECT_FALSE(d.queries.empty());
}

/// Answers as a server does that could not ask one of its stores.
class PartialSource : public test::SelectorSource {
 public:
  using SelectorSource::SelectorSource;
  std::string warning;
  Answer Ask(const Query& query) override {
    Answer answer = SelectorSource::Ask(query);
    if (!warning.empty()) answer.warnings = {warning};
    return answer;
  }
};

TEST(DiagnoseTest, NothingIsCertainWhereAServerLeftDataOut) {
  test::Recorder r;
  test::RecordIncident(&r,
                       [](int i) { return i % 20 ? test::Quick(i) : Attempt{.extender_bind = 3}; });
  PartialSource source(r.series());
  const auto diagnose = [&](std::string warning) {
    source.warning = std::move(warning);
    return Diagnose(source, QuerySet::Embedded(), {});
  };
  const Diagnosis whole = diagnose("");
  ASSERT_EQ(whole.findings.at(0).confidence, Confidence::kCertain);
  EXPECT_TRUE(InEnglish(whole.headline).starts_with("Proven: "));
  const Diagnosis partial = diagnose("store is down");
  EXPECT_EQ(partial.findings.at(0).id, whole.findings.at(0).id);
  EXPECT_EQ(partial.findings.at(0).confidence, Confidence::kLikely);
  EXPECT_TRUE(InEnglish(partial.headline).starts_with("Likely: "));
  EXPECT_EQ(InEnglish(partial.warnings.at(0)), "An answer of the server lacks data: store is down");
  const Diagnosis remark = diagnose("PromQL warning: bucket label le is missing");
  EXPECT_EQ(remark.findings.at(0).confidence, Confidence::kCertain);
}

TEST(DiagnoseTest, OfNumbersThatContradictCausesArePossibleAtMost) {
  const auto diagnose = [](const char* plugins_point, double posts) {
    test::Recorder r;
    const auto count = [&](test::Recorder& rec, double n, double posted) {
      const std::vector<Labels::Pair> labels = {{"extension_point", plugins_point},
                                                {"plugin", "DefaultBinder"}};
      rec.Add("scheduler_plugin_execution_duration_seconds_count", labels, n);
      rec.Add("scheduler_plugin_execution_duration_seconds_sum", labels, n * 0.005);
      rec.Add("rest_client_request_duration_seconds_count", {{"verb", "POST"}}, posted);
      rec.Add("rest_client_request_duration_seconds_sum", {{"verb", "POST"}}, posted * 0.005);
    };
    count(r, 0, 0);
    test::RecordIncident(
        &r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.extender_bind = 3}; }, 50,
        [&](test::Recorder& rec) { count(rec, 5, posts); });
    return DiagnoseRecorder(r);
  };
  const Diagnosis whole = diagnose("Bind", 97);
  ASSERT_EQ(whole.findings.at(0).id, "bind.extender");
  ASSERT_NE(whole.findings.at(0).confidence, Confidence::kPossible);
  for (const Diagnosis& d : {diagnose("PreBind", 97), diagnose("Bind", 150)}) {
    EXPECT_EQ(d.verdict, Verdict::kIncident);
    std::size_t causes = 0;
    for (const Finding& finding : d.findings) {
      if (finding.id.starts_with("data.") || finding.id.starts_with("quantile.")) continue;
      ++causes;
      EXPECT_EQ(finding.confidence, Confidence::kPossible) << finding.id;
    }
    EXPECT_GE(causes, 1U);
    EXPECT_TRUE(std::ranges::any_of(
        d.findings, [](const Finding& finding) { return finding.id == "data.contradiction"; }));
  }
}

TEST(DiagnoseTest, TheAlertIsJudgedWhereTheIncidentOfALongRangeEnded) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; });
  DiagnoseRequest request;
  request.window = {0, 2 * test::kQuiet.end + (test::kIncident.end - test::kIncident.start)};
  request.alert_expr =
      "histogram_quantile(0.99, sum by (le) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[1m]))) > 1";
  testing_support::StoreSource source(r.series());
  const Diagnosis found = Diagnose(source, QuerySet::Embedded(), request);
  EXPECT_TRUE(found.window_found);
  EXPECT_EQ(found.alert->decided, Decided::kAbove);
  EXPECT_EQ(found.verdict, Verdict::kIncident);
  request.exact = true;
  const Diagnosis exact = Diagnose(source, QuerySet::Embedded(), request);
  EXPECT_FALSE(exact.window_found);
  EXPECT_EQ(exact.alert->decided, Decided::kBelow) << "at the end that was asked for";
}

/// Ten minutes with a first incident from 100 to 200 s and one twice as bad, of slow binds, from
/// 350 to 500 s; `after` comes after each attempt.
void RecordTwoIncidents(test::Recorder* r, const std::function<void(Attempt*)>& first,
                        const std::function<void(const Attempt&)>& after = {}) {
  r->Set("process_start_time_seconds", {}, -100);
  r->Run(test::Quick(0));
  r->Scrape(0);
  int number = 0;
  for (TimeMs t = test::kScrape; t <= 600'000; t += test::kScrape) {
    for (int i = 0; i < 50; ++i, ++number) {
      Attempt attempt = test::Quick(number);
      if (t > 100'000 && t <= 200'000 && number % 20 == 0) first(&attempt);
      if (t > 350'000 && t <= 500'000 && number % 10 == 0) attempt = {.bind = 3};
      r->Run(attempt);
      if (after) after(attempt);
    }
    r->Scrape(t);
  }
}

TEST(DiagnoseTest, EveryEpisodeOfTheRangeIsToldWithItsOwnCause) {
  test::Recorder r;
  RecordTwoIncidents(&r, [](Attempt* one) { *one = {.extender_bind = 3}; });
  const Diagnosis d = DiagnoseRecorder(r);
  ASSERT_EQ(d.episodes.size(), 2U);
  EXPECT_EQ(d.episodes[0].window, (TimeRange{100'000, 200'000}));
  EXPECT_EQ(d.episodes[0].findings.at(0).id, "bind.extender");
  EXPECT_FALSE(d.episodes[0].reported);
  EXPECT_EQ(d.episodes[1].window, (TimeRange{350'000, 500'000}));
  EXPECT_EQ(d.episodes[1].findings.at(0).id, d.findings.at(0).id);
  EXPECT_TRUE(d.episodes[1].reported) << "the worse one";
  EXPECT_EQ(d.window, d.episodes[1].window);
  EXPECT_GE(d.calm.size(), 2U);
}

TEST(DiagnoseTest, AnEpisodeThatIsListedIsCalledAsItIsWhenItIsOpened) {
  test::Recorder r;
  RecordTwoIncidents(
      &r, [](Attempt* one) { one->filter = 2; },
      [&](const Attempt& one) {
        r.Observe("scheduler_plugin_execution_duration_seconds",
                  {{"plugin", "GpuFit"}, {"extension_point", "Filter"}, {"status", "Success"}},
                  one.filter);
      });
  const Diagnosis whole = DiagnoseRecorder(r);
  ASSERT_EQ(whole.episodes.size(), 2U);
  const Episode& listed = whole.episodes[0];
  ASSERT_FALSE(listed.reported);
  EXPECT_EQ(InEnglish(listed.headline).substr(0, 44),
            "Likely: the plugin GpuFit is slow in Filter ");
  DiagnoseRequest request;
  request.window = listed.window;
  test::SelectorSource source(r.series());
  const Diagnosis opened = Diagnose(source, QuerySet::Embedded(), request);
  EXPECT_EQ(InEnglish(listed.headline), InEnglish(opened.headline));
  EXPECT_EQ(listed.certainty, opened.findings.at(0).confidence);
}

TEST(DiagnoseTest, WhatIsTooBriefToMatterIsSeenAndNoIncident) {
  test::Recorder r;
  r.Set("process_start_time_seconds", {}, -100);
  r.Run(test::Quick(0));
  r.Scrape(0);
  for (int scrape = 1; scrape <= 70; ++scrape) {
    const bool brief = scrape > 30 && scrape <= 34;
    for (int i = 0; i < 50; ++i) r.Run(brief && i < 3 ? Attempt{.bind = 3} : test::Quick(i));
    r.Scrape(scrape * test::kScrape);
  }
  const Diagnosis d = DiagnoseRecorder(r);
  EXPECT_EQ(d.verdict, Verdict::kNoIncident);
  ASSERT_EQ(d.also_seen.size(), 1U);
  EXPECT_EQ(d.also_seen[0].verdict, Verdict::kNoIncident);
  EXPECT_EQ(InEnglish(d.also_seen[0].headline),
            InEnglish(d.also_seen[0].reasons.at(0)) +
                " It lasted too short a time, or affected too few, to count as an incident.");
  EXPECT_THAT(InEnglish(d.headline), testing::HasSubstr(InEnglish(d.also_seen[0].reasons.at(0))));
}

TEST(DiagnoseTest, AQueueThatStandsStillIsAnIncidentWithoutAnyAttempt) {
  test::Recorder r;
  r.Set("process_start_time_seconds", {}, -100);
  r.Run(test::Quick(0));
  int number = 0;
  for (TimeMs t = 0; t <= 400'000; t += test::kScrape) {
    const bool stands = t > 200'000 && t <= 300'000;
    for (int i = 0; i < 20 && !stands; ++i) r.Run(test::Quick(++number));
    r.Set("scheduler_pending_pods", {{"queue", "active"}}, stands ? 500 : 0);
    r.Scrape(t);
  }
  const Diagnosis d = DiagnoseRecorder(r);
  EXPECT_EQ(d.attempts, 0);
  EXPECT_EQ(d.verdict, Verdict::kIncident);
  ASSERT_EQ(d.episodes.size(), 1U);
  EXPECT_THAT(InEnglish(d.episodes[0].reasons),
              testing::ElementsAre("500 pods waited in the queues."));
}

TEST(DiagnoseTest, CertaintyIsOfCausesAlone) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; });
  Diagnosis d = DiagnoseRecorder(r);
  ASSERT_EQ(d.episodes.size(), 1U);
  Finding remark;
  remark.id = "data.missing";
  remark.confidence = Confidence::kCertain;
  d.findings = {remark};
  Episode alone;
  alone.window = d.window;
  alone.reported = true;
  d.episodes = {alone};
  FinishEpisodes(&d);
  EXPECT_TRUE(d.episodes[0].findings.empty());
  EXPECT_EQ(d.episodes[0].certainty, Confidence::kPossible);
}

TEST(DiagnoseTest, WhatAlwaysTookLongIsNoIncidentAgainstOtherCalm) {
  // Four in a hundred wait for a volume, all the time: 1.1 s.
  const auto claims = [](int i) { return i % 25 ? test::Quick(i) : Attempt{.prebind = 1.1}; };
  test::Recorder r;
  test::RecordIncident(&r, claims, 50, {}, claims);
  DiagnoseRequest request;
  request.window = test::kIncident;
  request.baseline = test::kQuiet;
  request.exact = true;
  EXPECT_EQ(DiagnoseRecorder(r, request).verdict, Verdict::kNoIncident);
}

TEST(DiagnoseTest, AQuietRecordingIsNoIncident) {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  const Diagnosis d = DiagnoseRecorder(r);
  EXPECT_EQ(d.verdict, Verdict::kNoIncident);
  EXPECT_TRUE(d.findings.empty());
}

TEST(DiagnoseTest, OneSlowFailureAmongQuickAttemptsIsNoIncident) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) {
    return i == 1700 ? Attempt{.result = "unschedulable", .filter = 0.6} : test::Quick(i);
  });
  DiagnoseRequest request;
  request.window = test::kIncident;
  request.baseline = test::kQuiet;
  const Diagnosis d = DiagnoseRecorder(r, request);
  EXPECT_EQ(d.verdict, Verdict::kNoIncident);
  EXPECT_TRUE(d.findings.empty());
}

TEST(DiagnoseTest, WithoutASchedulerTheDataIsInsufficient) {
  const Diagnosis d = DiagnoseRecorder({});
  EXPECT_EQ(d.verdict, Verdict::kInsufficientData);
  EXPECT_FALSE(d.gaps.empty());
}

TEST(DiagnoseTest, AWindowWithoutAttemptsIsInsufficient) {
  test::Recorder r;
  r.Run({});
  for (TimeMs t = 0; t <= 60'000; t += 5000) r.Scrape(t);
  DiagnoseRequest request;
  request.window = TimeRange{20'000, 50'000};
  EXPECT_EQ(DiagnoseRecorder(r, request).verdict, Verdict::kInsufficientData);
}

TEST(DiagnoseTest, AWindowOutsideTheDataIsSaidWithWhatThereIs) {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  DiagnoseRequest request;
  request.window = TimeRange{900'000'000, 900'300'000};
  EXPECT_EQ(InEnglish(DiagnoseRecorder(r, request).headline),
            "The window lies outside the data, which spans 1970-01-01 00:00:00 UTC to "
            "1970-01-01 00:05:50 UTC.");
}

TEST(DiagnoseTest, AWindowBetweenScrapesIsMovedToThemAndSaysSo) {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  DiagnoseRequest request;
  request.window = TimeRange{101'000, 209'999};
  const Diagnosis d = DiagnoseRecorder(r, request);
  EXPECT_EQ(d.window, (TimeRange{100'000, 210'000})) << "all that was asked for lies inside";
  ASSERT_FALSE(d.warnings.empty());
  EXPECT_EQ(InEnglish(d.warnings.front()),
            "The window's edges fall between scrapes: moved to 1970-01-01T00:01:40Z and "
            "1970-01-01T00:03:30Z.");
  request.window = TimeRange{100'000, 209'999};
  EXPECT_EQ(InEnglish(DiagnoseRecorder(r, request).warnings.front()),
            "The window's end falls between scrapes: moved to 1970-01-01T00:03:30Z.");
  request.window = TimeRange{101'000, 205'000};
  EXPECT_EQ(InEnglish(DiagnoseRecorder(r, request).warnings.front()),
            "The window's start falls between scrapes: moved to 1970-01-01T00:01:40Z.");
  request.window = d.window;
  const Diagnosis again = DiagnoseRecorder(r, request);
  EXPECT_EQ(again.window, d.window);
  EXPECT_TRUE(again.warnings.empty());
  EXPECT_EQ(again.attempts, d.attempts);
}

TEST(DiagnoseTest, AWindowWithinOneScrapeIntervalIsThatInterval) {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  DiagnoseRequest request;
  request.window = TimeRange{101'000, 102'000};
  const Diagnosis d = DiagnoseRecorder(r, request);
  EXPECT_EQ(d.window, (TimeRange{100'000, 105'000}));
  EXPECT_EQ(d.attempts, 50) << "all that may lie inside";
  ASSERT_FALSE(d.warnings.empty());
  EXPECT_EQ(d.warnings.front().id, "window.moved");
}

TEST(DiagnoseTest, ABaselineOutsideTheDataIsRefused) {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  DiagnoseRequest request;
  request.window = test::kIncident;
  request.baseline = TimeRange{900'000'000, 900'300'000};
  try {
    DiagnoseRecorder(r, request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInsufficientData);
    EXPECT_NE(std::string(error.what()).find("no scrapes of a scheduler there"), std::string::npos);
  }
}

TEST(DiagnoseTest, WithoutSumsNoFigureIsMadeUp) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) {
    Attempt slow = test::Quick(i);
    slow.bind = 2;
    return slow;
  });
  const auto lacking = [&](const std::string& all, const std::string& only) {
    std::vector<Series> kept = r.series();
    std::erase_if(kept, [&](const Series& series) {
      const std::string name(series.labels.Get(kMetricName));
      return name.ends_with("_sum") && (name.find(all) != std::string::npos) &&
             (only.empty() || name.find(only) != std::string::npos);
    });
    test::SelectorSource source(std::move(kept));
    DiagnoseRequest request;
    request.window = test::kIncident;
    request.baseline = test::kQuiet;
    return Diagnose(source, QuerySet::Embedded(), request);
  };
  const Diagnosis with = lacking("nothing", "");
  const Diagnosis attempts = lacking("scheduler_", "e2e_scheduling");
  EXPECT_EQ(attempts.findings.at(0).id, with.findings.at(0).id);
  EXPECT_NEAR(attempts.e2e_seconds, with.e2e_seconds, 0.01 * with.e2e_seconds);
  EXPECT_LE(*attempts.findings.at(0).share->value, 1);
  const Diagnosis none = lacking("scheduler_", "");
  EXPECT_TRUE(std::isnan(none.e2e_seconds));
  for (const Finding& finding : none.findings) {
    for (const Evidence& evidence : finding.evidence) {
      const std::string text = InEnglish(evidence.text);
      EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    }
  }
}

TEST(DiagnoseTest, TheQuestionsDependOnTheWindowAlone) {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  DiagnoseRequest request;
  request.window = test::kIncident;
  const auto full = DiagnoseRecorder(r, request).queries;
  test::Recorder longer;
  test::RecordIncident(&longer, test::Quick);
  longer.Scrape(10'000'000);
  const auto again = DiagnoseRecorder(longer, request).queries;
  ASSERT_EQ(full.size(), again.size());
  for (std::size_t i = 0; i < full.size(); ++i) EXPECT_EQ(full[i].promql, again[i].promql);
}

}  // namespace
}  // namespace schedlens
