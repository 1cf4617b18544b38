#include "diagnose/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/exposition.h"
#include "messages/catalog.h"
#include "messages/written.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

/// Raw samples by the metric names that a question asks for; no arithmetic.
class NamedSource : public Source {
 public:
  NamedSource(std::vector<Series> series, SourceInfo info)
      : series_(std::move(series)), info_(std::move(info)) {}
  Answer Ask(const Query& query) override {
    std::smatch found;
    std::string names = "up";
    if (std::regex_search(query.promql, found, std::regex("__name__=~\"([^\"]*)\""))) {
      names = found[1];
    } else if (std::regex_search(query.promql, found, std::regex("^([a-z_]+)[{\\[]"))) {
      names = found[1];
    }
    const std::regex pattern(names);
    Answer answer;
    for (const Series& series : series_) {
      if (std::regex_match(std::string(series.labels.Get(kMetricName)), pattern)) {
        answer.series.push_back(series);
      }
    }
    return answer;
  }
  SourceInfo Describe() override { return info_; }

 private:
  std::vector<Series> series_;
  SourceInfo info_;
};

std::unique_ptr<Source> From(const std::string& text) {
  SourceInfo info;
  info.kind = "capture";
  info.name = "f.om";
  info.extent = TimeRange{1000, 61000};
  return std::make_unique<NamedSource>(ParseExposition(text, "f.om", std::nullopt).series, info);
}

DoctorReport Examined(const std::string& text) {
  const auto source = From(text);
  return Examine(*source, QuerySet::Embedded(), {});
}

std::string TextOf(const DoctorReport& report, const std::string& subject) {
  std::string text;
  for (const CheckUp& check : report.checks) {
    if (check.subject != subject) continue;
    text += ToString(check.health) + ": " + InEnglish(check.text) + "\n";
    test::ExpectWrittenInEveryLanguage({check.text, check.fix, check.evidence});
  }
  return text;
}

std::string Attempts(const std::string& labels, double at_end) {
  const std::string name = "scheduler_e2e_scheduling_duration_seconds";
  const std::string end = std::to_string(at_end);
  std::string text;
  for (const char* part : {"_bucket{le=\"1\",", "_bucket{le=\"+Inf\",", "_sum{", "_count{"}) {
    text += name + part + labels + "} 1 1\n" + name + part + labels + "} 1 16\n" + name + part +
            labels + "} 1 31\n" + name + part + labels + "} " + end + " 61\n";
  }
  return text;
}

TEST(Doctor, AWorkingSource) {
  const DoctorReport report =
      Examined(Attempts("job=\"s\",pod=\"a\",result=\"scheduled\"", 9) +
               Attempts("job=\"s\",pod=\"b\",result=\"scheduled\"", 1) + "# EOF\n");
  EXPECT_TRUE(report.diagnosable);
  EXPECT_THAT(TextOf(report, "source"), HasSubstr("capture f.om, arithmetic of 3.15, to the bit"));
  EXPECT_THAT(TextOf(report, "scheduler"), HasSubstr("pod=\"a\"}: 8 attempts"));
  EXPECT_THAT(TextOf(report, "scheduler"), HasSubstr("pod=\"b\"}: no attempts"));
  EXPECT_EQ(TextOf(report, "leader"), "ok: a led through the whole range\n");
  EXPECT_THAT(TextOf(report, "scrapes"), HasSubstr("note: a: 4 scrapes, one every 15s"));
  EXPECT_THAT(TextOf(report, "scrapes"), HasSubstr("1 gap (longest 30s)"));
  EXPECT_EQ(TextOf(report, "window"), "ok: rate() and --window want at least 1m (4 scrapes)\n");
  EXPECT_THAT(TextOf(report, "attempts"), HasSubstr("ok: 8 attempts in scheduler_e2e"));
  EXPECT_THAT(TextOf(report, "metric"), HasSubstr("note: scheduler_pending_pods is missing"));
}

TEST(Doctor, TwoBusyReplicasAreAFailover) {
  const DoctorReport report =
      Examined(Attempts("job=\"s\",pod=\"a\"", 9) + Attempts("job=\"s\",pod=\"b\"", 5) + "# EOF\n");
  EXPECT_THAT(TextOf(report, "leader"),
              HasSubstr("note: 2 targets scheduled in this range (a, b)"));
}

TEST(Doctor, NoAttemptsInTheRange) {
  const DoctorReport report = Examined(Attempts("job=\"s\"", 1) + "# EOF\n");
  EXPECT_FALSE(report.diagnosable);
  EXPECT_THAT(TextOf(report, "attempts"), HasSubstr("problem: 0 attempts"));
}

TEST(Doctor, NoSchedulerSaysWhatIsThereInstead) {
  const DoctorReport report = Examined("up{job=\"x\"} 1 1\nup{job=\"x\"} 1 61\n# EOF\n");
  EXPECT_FALSE(report.diagnosable);
  EXPECT_THAT(TextOf(report, "scheduler"),
              HasSubstr("problem: no kube-scheduler metrics here: 1 metric: up"));
}

TEST(Doctor, CountsWithoutBucketsAreNoted) {
  const DoctorReport report = Examined(
      "scheduler_scheduling_attempt_duration_seconds_count{job=\"s\"} 1 1\n"
      "scheduler_scheduling_attempt_duration_seconds_count{job=\"s\"} 5 61\n# EOF\n");
  EXPECT_TRUE(report.diagnosable);
  EXPECT_THAT(TextOf(report, "attempts"), HasSubstr("note: 4 attempts"));
  EXPECT_THAT(TextOf(report, "attempts"), HasSubstr("without buckets"));
  EXPECT_THAT(
      TextOf(report, "metric"),
      HasSubstr("note: only scheduler_scheduling_attempt_duration_seconds_count is present"));
}

/// Attempts of one target, one more at each of these times.
std::string ScrapedAt(const std::string& labels, const std::vector<int>& seconds) {
  std::string text;
  for (const char* part : {"_bucket{le=\"+Inf\",", "_sum{", "_count{"}) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      text += "scheduler_e2e_scheduling_duration_seconds" + std::string(part) + labels + "} " +
              std::to_string(i) + " " + std::to_string(seconds[i]) + "\n";
    }
  }
  return text;
}

TEST(Doctor, UnevenScrapesAreNoted) {
  const DoctorReport even = Examined(ScrapedAt("job=\"s\"", {1, 16, 32, 46, 61}) + "# EOF\n");
  EXPECT_THAT(TextOf(even, "scrapes"),
              HasSubstr("ok: s: 5 scrapes, one every 15s, jitter up to 1s"));
  // Two jobs that scrape one target: pairs of scrapes close together.
  const DoctorReport mixed =
      Examined(ScrapedAt("job=\"s\"", {1, 6, 16, 21, 31, 36, 46, 51, 61}) + "# EOF\n");
  EXPECT_THAT(TextOf(mixed, "scrapes"), HasSubstr("note: s: 9 scrapes"));
  EXPECT_THAT(TextOf(mixed, "scrapes"), HasSubstr("early or late by more than a fifth"));
}

TEST(Doctor, TargetsScrapedAtDifferentIntervalsAreNoted) {
  const DoctorReport report = Examined(ScrapedAt("job=\"s\",pod=\"a\"", {1, 16, 31, 46, 61}) +
                                       ScrapedAt("job=\"s\",pod=\"b\"", {1, 31, 61}) + "# EOF\n");
  EXPECT_THAT(TextOf(report, "scrapes"), HasSubstr("different intervals, from 15s to 30s"));
  EXPECT_EQ(TextOf(report, "window"),
            "note: rate() and --window want at least 2m (4 scrapes); this range holds 3\n");
}

TEST(Doctor, AScrapeThatStoppedIsNoted) {
  const DoctorReport report = Examined(ScrapedAt("job=\"s\"", {1, 3, 5, 7}) + "# EOF\n");
  EXPECT_THAT(TextOf(report, "scrapes"),
              HasSubstr("s: the last scrape was at 1970-01-01T00:00:07Z, 54s before the end"));
}

TEST(Doctor, ClockSkewIsShown) {
  const auto source = From(Attempts("job=\"s\"", 9) + "# EOF\n");
  DoctorRequest request;
  request.clock_skew = -60.5;
  EXPECT_THAT(TextOf(Examine(*source, QuerySet::Embedded(), request), "clock"),
              HasSubstr("note: the server's clock is 1m1s behind this machine's"));
}

TEST(Doctor, AccessIsShownAsItWasTold) {
  const auto source = From(Attempts("job=\"s\"", 9) + "# EOF\n");
  DoctorRequest request;
  request.access = Message(
      "doctor.access.sent",
      {{"sent", std::vector<Message>{Message("doctor.access.headers", {{"count", arg::Count(1)}}),
                                     Message("doctor.access.user")}}});
  EXPECT_EQ(TextOf(Examine(*source, QuerySet::Embedded(), request), "access"),
            "ok: it answers; sent with every request: 1 header of --header, the URL's user\n");
}

TEST(Doctor, ASchedulerWithoutItsHistogramsIsNamed) {
  const DoctorReport report = Examined(
      "scheduler_pending_pods{job=\"s\"} 1 1\nscheduler_pending_pods{job=\"s\"} 1 61\n# EOF\n");
  EXPECT_FALSE(report.diagnosable);
  EXPECT_THAT(TextOf(report, "scheduler"),
              HasSubstr("histograms of its attempts are not kept: only scheduler_pending_pods"));
}

TEST(Doctor, SchedulersOfOneNameAreToldApart) {
  const DoctorReport report =
      Examined(Attempts("cluster=\"x\",job=\"s\",pod=\"a\"", 9) +
               Attempts("cluster=\"y\",job=\"s\",pod=\"a\"", 5) + "# EOF\n");
  EXPECT_THAT(TextOf(report, "leader"), HasSubstr("cluster=\"x\""));
  EXPECT_THAT(TextOf(report, "scrapes"), HasSubstr("cluster=\"y\""));
  const auto leader = std::find_if(report.checks.begin(), report.checks.end(),
                                   [](const CheckUp& check) { return check.subject == "leader"; });
  ASSERT_NE(leader, report.checks.end());
  EXPECT_EQ(leader->fix, Message("doctor.leaders.fix.by", {{"label", "cluster"}}));
}

/// A server that has the same to say of every answer.
class WarningSource : public Source {
 public:
  explicit WarningSource(std::unique_ptr<Source> inner) : inner_(std::move(inner)) {}
  Answer Ask(const Query& query) override {
    Answer answer = inner_->Ask(query);
    answer.warnings = {"a store is down"};
    answer.infos = {"no counter"};
    return answer;
  }
  SourceInfo Describe() override { return inner_->Describe(); }

 private:
  std::unique_ptr<Source> inner_;
};

TEST(Doctor, WhatTheServerRepeatsIsToldOnce) {
  WarningSource source(From(Attempts("job=\"s\"", 9) + "# EOF\n"));
  const DoctorReport report = Examine(source, QuerySet::Embedded(), {});
  EXPECT_EQ(TextOf(report, "server"),
            "note: An answer of the server lacks data: a store is down\nnote: no counter\n");
}

}  // namespace
}  // namespace schedlens
