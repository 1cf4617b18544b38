#include "diagnose/pipeline/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/incident.h"
#include "diagnose/pipeline/diagnose.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using test::Attempt;

TEST(GatherTest, FindsTheCausesThatTheDiagnosisNames) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; });
  test::SelectorSource source(r.series());
  const Investigation found = Gather(source, QuerySet::Embedded(), {});
  ASSERT_TRUE(found.evidence);
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes.front().id, "bind.apiserver");
  EXPECT_TRUE(found.diagnosis.findings.empty());
  EXPECT_FALSE(found.diagnosis.alert) << "nothing but raw samples is asked for";
  EXPECT_EQ(found.diagnosis.window, found.evidence->now.breakdown.window);

  const Diagnosis concluded = Conclude(source, found);
  EXPECT_EQ(concluded.findings.at(0).id, found.causes.front().id);
  EXPECT_TRUE(concluded.alert);
}

TEST(GatherTest, WithoutASchedulerThereIsNoEvidenceAndNothingToConclude) {
  test::SelectorSource source({});
  const Investigation found = Gather(source, QuerySet::Embedded(), {});
  EXPECT_FALSE(found.evidence);
  EXPECT_TRUE(found.causes.empty());
  const std::string headline = InEnglish(found.diagnosis.headline);
  EXPECT_EQ(headline, "No kube-scheduler metrics were found here.");
  EXPECT_EQ(InEnglish(Conclude(source, found).headline), headline);
}

/// A server that has a scheduler's target and nothing else of it.
class DownSource : public test::SelectorSource {
 public:
  DownSource() : SelectorSource({}) {}
  Answer Ask(const Query& query) override {
    if (!query.promql.starts_with("up{")) return SelectorSource::Ask(query);
    EXPECT_TRUE(query.promql.ends_with("} == 0")) << query.promql;
    const Labels labels({{"instance", "cp-1:10259"}, {"job", "kube-scheduler"}});
    Answer answer;
    answer.series.push_back({.labels = labels, .samples = {{query.end, 0}}, .histograms = {}});
    return answer;
  }
};

TEST(GatherTest, ATargetThatIsDownIsNamed) {
  DownSource source;
  DiagnoseRequest request;
  request.now = 80'000;
  const Investigation found = Gather(source, QuerySet::Embedded(), request);
  EXPECT_THAT(InEnglish(found.diagnosis.headline),
              testing::StartsWith("The target cp-1:10259 of job kube-scheduler is down"));
}

TEST(GatherTest, WhoAnswersNoMoreIsDownUntilNow) {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  std::vector<Series> series = r.series();
  const TimeMs last = 70 * test::kScrape, now = last + 90'000;
  const auto with_up = [&](std::optional<double> up, bool others) {
    std::vector<Series> all = series;
    const Labels name({{"__name__", "up"}});
    for (TimeMs t = 0; t <= now; t += test::kScrape) {
      if (t == 0) all.push_back({name.With("job", "kube-scheduler"), {}, {}});
      if (t <= last || up) all.back().samples.push_back({t, t <= last ? 1 : *up});
    }
    Series other{name.With("job", "node"), {}, {}};
    for (TimeMs t = 0; t <= now; t += test::kScrape) other.samples.push_back({t, 1});
    if (others) all.push_back(std::move(other));
    return all;
  };
  const struct {
    const char* what;
    std::optional<double> up;
    bool others;
    Verdict verdict;
    Confidence confidence;
  } cases[] = {
      {"up is 0", 0, false, Verdict::kIncident, Confidence::kCertain},
      {"no target any more", {}, true, Verdict::kIncident, Confidence::kLikely},
      {"nobody is scraped", {}, false, Verdict::kNoIncident, {}},
      {"it answers, without its metrics", 1, true, Verdict::kNoIncident, {}},
  };
  for (const auto& c : cases) {
    testing_support::StoreSource source(with_up(c.up, c.others));
    DiagnoseRequest request;
    request.now = now;
    const Diagnosis d = Diagnose(source, QuerySet::Embedded(), request);
    EXPECT_EQ(d.verdict, c.verdict) << c.what << ": " << InEnglish(d.headline);
    if (c.verdict != Verdict::kIncident) continue;
    ASSERT_FALSE(d.findings.empty()) << c.what;
    EXPECT_EQ(d.findings[0].id, "scheduler.down") << c.what;
    EXPECT_EQ(d.findings[0].confidence, c.confidence) << c.what;
    EXPECT_EQ(d.window, (TimeRange{last, now})) << c.what;
  }
}

TEST(GatherTest, AnotherClustersSchedulerAnswersForNobodyElse) {
  test::Recorder r;
  test::RecordIncident(&r, test::Quick);
  const TimeMs last = 70 * test::kScrape, now = last + 90'000;
  std::vector<Series> series = r.series();
  for (Series& one : series) one.labels = one.labels.With("cluster", "a");
  const Labels up({{"__name__", "up"}, {"job", "kube-scheduler"}});
  Series here{up.With("cluster", "a"), {}, {}}, there{up.With("cluster", "b"), {}, {}};
  for (TimeMs t = 0; t <= now; t += test::kScrape) {
    here.samples.push_back({t, t <= last ? 1.0 : 0.0});
    there.samples.push_back({t, 1});
  }
  series.push_back(here);
  series.push_back(there);
  testing_support::StoreSource source(series);
  DiagnoseRequest request;
  request.now = now;
  const Diagnosis d = Diagnose(source, QuerySet::Embedded(), request);
  ASSERT_FALSE(d.findings.empty()) << InEnglish(d.headline);
  EXPECT_EQ(d.findings[0].id, "scheduler.down");
  EXPECT_EQ(d.findings[0].confidence, Confidence::kCertain);
}

std::vector<std::string> WarningsOf(const Investigation& found) {
  std::vector<std::string> ids;
  for (const Message& warning : found.diagnosis.warnings) ids.push_back(warning.id);
  return ids;
}

Investigation GatherOf(const test::Recorder& r, const DiagnoseRequest& request) {
  test::SelectorSource source(r.series());
  return Gather(source, QuerySet::Embedded(), request);
}

TEST(GatherTest, TheSlowestAttemptsAreBoundedUnlessNobodyAsks) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; });
  DiagnoseRequest request;
  request.window = TimeRange{180'000, 240'000};
  const Investigation all = GatherOf(r, request);
  request.bound_tail = false;
  const Investigation some = GatherOf(r, request);
  EXPECT_FALSE(all.evidence->tail.shares.empty());
  EXPECT_TRUE(some.evidence->tail.shares.empty());
  ASSERT_FALSE(some.causes.empty());
  EXPECT_EQ(some.causes.front().id, all.causes.front().id);
}

TEST(GatherTest, AGivenBaselineThatIsNoQuieterShowsChangesButRanksNoCauses) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; });
  DiagnoseRequest request;
  request.window = TimeRange{180'000, 240'000};
  request.baseline = TimeRange{110'000, 170'000};
  const Investigation found = GatherOf(r, request);
  EXPECT_THAT(WarningsOf(found), ::testing::Contains("baseline.not_quieter"));
  EXPECT_EQ(found.diagnosis.baseline, request.baseline);
  EXPECT_FALSE(found.evidence->change.empty());
  EXPECT_TRUE(found.evidence->slow);
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes.front().id, "bind.apiserver");
}

TEST(GatherTest, WithoutCalmThereIsNoBaseline) {
  test::Recorder r;
  const auto slow = [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; };
  test::RecordIncident(&r, slow, 50, {}, slow);
  DiagnoseRequest request;
  request.window = TimeRange{0, 100'000};
  const Investigation found = GatherOf(r, request);
  EXPECT_FALSE(found.diagnosis.baseline);
  EXPECT_TRUE(found.evidence->slow);
}

TEST(GatherTest, AWindowThatIsQuietAsAWholeIsJudgedByItsPartInALongerIncident) {
  // 1.5 % are slow from second 100 to 250: of the window less than one in a hundred.
  test::Recorder r;
  test::RecordIncident(
      &r, [](int i) { return i % 66 ? test::Quick(i) : Attempt{.bind = 3}; }, 200);
  DiagnoseRequest request;
  request.window = TimeRange{20'000, 180'000};
  const Investigation found = GatherOf(r, request);
  EXPECT_EQ(found.diagnosis.window, (TimeRange{100'000, 180'000}));
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes.front().id, "bind.apiserver");

  request.exact = true;
  const Investigation exact = GatherOf(r, request);
  EXPECT_EQ(exact.diagnosis.window, request.window);
  EXPECT_TRUE(exact.evidence->hurts) << "by its part";
}

/// A server with more than it is asked for: calm for an hour, then slow for two.
class Server : public test::SelectorSource {
 public:
  explicit Server(std::optional<ErrorKind> refuses = {})
      : SelectorSource(Record().series()), refuses_(refuses) {}
  Answer Ask(const Query& query) override {
    if (query.promql.find("[2h30m]") != std::string::npos) {
      if (refuses_) throw Error(*refuses_, "too long");
      ++asked_for_more;
    }
    return SelectorSource::Ask(query);
  }
  SourceInfo Describe() override {
    SourceInfo info = SelectorSource::Describe();
    info.extent.reset();
    return info;
  }
  static test::Recorder Record() {
    test::Recorder r;
    r.Set("process_start_time_seconds", {}, -100);
    r.Run(test::Quick(0));
    r.Scrape(0);
    int number = 0;
    for (TimeMs t = 30'000; t <= kEnd; t += 30'000) {
      for (int i = 0; i < 20; ++i, ++number) {
        r.Run(t > kOnset && number % 10 == 0 ? Attempt{.bind = 2} : test::Quick(number));
      }
      r.Scrape(t);
    }
    return r;
  }
  static constexpr TimeMs kOnset = 3'600'000, kEnd = 10'800'000;
  int asked_for_more = 0;

 private:
  std::optional<ErrorKind> refuses_;
};

TEST(GatherTest, AServerIsAskedForCalmBeforeWhereAllOfTheRangeHurts) {
  DiagnoseRequest request;
  request.window = TimeRange{7'200'000, 9'000'000};  // half an hour around it hurts, too
  Server server;
  const Investigation found = Gather(server, QuerySet::Embedded(), request);
  EXPECT_GT(server.asked_for_more, 0);
  EXPECT_EQ(found.diagnosis.window, *request.window);
  ASSERT_EQ(found.diagnosis.calm.size(), 1U);
  EXPECT_EQ(found.diagnosis.calm[0].end, Server::kOnset);
  EXPECT_EQ(found.diagnosis.baseline, found.diagnosis.calm[0]);
  EXPECT_FALSE(found.evidence->standing);

  const Investigation recording = GatherOf(Server::Record(), request);
  EXPECT_TRUE(recording.evidence->standing) << "a recording is asked once";
  for (const ErrorKind kind : {ErrorKind::kFailed, ErrorKind::kTimeout}) {
    Server refuses(kind);
    EXPECT_TRUE(Gather(refuses, QuerySet::Embedded(), request).evidence->standing)
        << "what was answered stands";
  }
  Server interrupted(ErrorKind::kInterrupted);
  EXPECT_THROW(Gather(interrupted, QuerySet::Embedded(), request), Error);
  request.want_baseline = false;
  Server unasked;
  Gather(unasked, QuerySet::Embedded(), request);
  EXPECT_EQ(unasked.asked_for_more, 0);
}

TEST(GatherTest, WhatWasFetchedForCalmIsNotSearched) {
  DiagnoseRequest request;
  request.now = Server::kOnset + 4'200'000;  // the hour before it hurts throughout
  Server server;
  const Investigation found = Gather(server, QuerySet::Embedded(), request);
  ASSERT_FALSE(found.diagnosis.calm.empty());
  EXPECT_GE(found.diagnosis.window.start, request.now - 3'600'000);
  ASSERT_EQ(found.diagnosis.episodes.size(), 1U);
  EXPECT_LE(found.diagnosis.baseline->end, Server::kOnset);
}

}  // namespace
}  // namespace schedlens
