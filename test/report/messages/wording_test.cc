#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "messages/catalog.h"
#include "report/messages/messages.h"
#include "report/samples.h"

namespace schedlens {
namespace {

const Messages& English() {
  static const Messages t{"en"};
  return t;
}

TEST(WordingTest, HeadlineIsTheAnalysisOwnInEnglish) {
  EXPECT_EQ(Headline(English(), ExtenderIncident()), InEnglish(ExtenderIncident().headline));
  Diagnosis d = ExtenderIncident();
  d.headline = {};
  EXPECT_EQ(Headline(English(), d), "Incident.");
}

TEST(WordingTest, NoIncidentNextToTrulyNotAbove) {
  Diagnosis d = ExtenderIncident();
  EXPECT_EQ(VerdictWord(English(), d), "Incident");
  d.alert->decided = Decided::kBelow;
  EXPECT_EQ(VerdictWord(English(), d), "Slower, but not above the alert's threshold");
  d.alert->decided = Decided::kUndecidable;
  EXPECT_EQ(VerdictWord(English(), d), "Incident");
  d.alert.reset();
  EXPECT_EQ(VerdictWord(English(), d), "Incident");
}

TEST(WordingTest, SharesSayOfWhat) {
  const Diagnosis d = ExtenderIncident();
  EXPECT_EQ(ShareSentence(English(), d.findings[0].share, "91.2 %"), "91.2 % of all e2e time");
  EXPECT_EQ(ShareSentence(English(), d.findings[1].share, "2.1 %"), "2.1 % of the growth");
}

TEST(WordingTest, PartialSentence) {
  EXPECT_EQ(PartialSentence(English(), ExtenderIncident()), "");
  EXPECT_EQ(PartialSentence(English(), Unsettled()),
            "An answer of the server lacks data: store 10.0.0.7:10901 is down. What is proven "
            "holds for the rest of the data only");
}

TEST(WordingTest, DecidedSentence) {
  AlertVerdict alert;
  EXPECT_EQ(DecidedSentence(English(), alert), "");
  alert.threshold = 3;
  EXPECT_EQ(DecidedSentence(English(), alert), "no data to compare with 3 s");
  alert.decided = Decided::kUndecidable;
  EXPECT_EQ(DecidedSentence(English(), alert), "cannot be decided against 3 s from this data");
}

TEST(WordingTest, WhatIsShownAndWhatIsProvenStandTogether) {
  AlertVerdict alert;
  EXPECT_EQ(ShownSentence(English(), alert), "shows nothing");
  alert.shown = 2.72;
  EXPECT_EQ(ShownSentence(English(), alert), "shows 2.72 s");
  alert.interval = {2.05, 2.8};
  EXPECT_EQ(ShownSentence(English(), alert), "shows 2.72 s; proven: 2.05–2.8 s");
  alert.interval = {2.05, 2.57};
  alert.shown_proven_wrong = true;
  EXPECT_EQ(ShownSentence(English(), alert), "shows 2.72 s, proven wrong: 2.05–2.57 s");
  EXPECT_EQ(ShownAlone(English(), alert), "shows 2.72 s");
}

TEST(WordingTest, AnAlertThatIsNoQuantileHasItsOwnWords) {
  AlertVerdict alert;
  alert.quantile = NAN;
  alert.expr = "sum(scheduler_pending_pods) > 20";
  EXPECT_EQ(AlertSubject(English(), alert), "`sum(scheduler_pending_pods) > 20`");
  EXPECT_EQ(ShownSentence(English(), alert), "shows nothing");
  EXPECT_EQ(DecidedSentence(English(), alert), "whether it fires cannot be told from this data");
  alert.value = 1234.5678;
  EXPECT_EQ(ShownSentence(English(), alert), "is 1,235");
  alert.value = 0.044685;
  EXPECT_EQ(ShownSentence(English(), alert), "is 0.0447");
  alert.fires.state = FiresState::kNo;
  EXPECT_EQ(DecidedSentence(English(), alert), "it does not fire in this window");
  alert.fires = {FiresState::kYes, {3'600'000, 3'660'000}};
  EXPECT_EQ(DecidedSentence(English(), alert),
            "it fires in this window, from 01:00:00 to 01:01:00 UTC");
}

TEST(WordingTest, OfSeveralSchedulersItSaysWhichOne) {
  Diagnosis d;
  EXPECT_EQ(UnitSentence(English(), d), "");
  d.units.resize(3);
  d.units[0].labels = {{"cluster", "a"}};
  EXPECT_EQ(UnitSentence(English(), d),
            "Scheduler {cluster=\"a\"}: the worst of 3 here, each judged by itself.");
}

TEST(WordingTest, LabelsAreVisible) {
  EXPECT_EQ(LabelText({}), "");
  EXPECT_EQ(LabelText({{"a", "b"}, {"c", "\x1b"}}), "{a=\"b\", c=\"\\x1b\"}");
}

TEST(WordingTest, SourceSentence) {
  EXPECT_EQ(SourceSentence(English(), ExtenderIncident()),
            "capture metrics.om.gz; kube-scheduler 1.20 according to its metrics; "
            "arithmetic of Prometheus 2.42");
}

TEST(WordingTest, ShareText) {
  EXPECT_EQ(ShareText(Messages("en"), {0.912, 0.905, 0.9151, "1", {}}), "91.2 % (90.5–91.6 %)");
  EXPECT_EQ(ShareText(Messages("en"), {0.5, {}, {}, "1", {}}), "50.0 %");
}

TEST(WordingTest, AnOpenReleaseIsInTheReadersLanguage) {
  Diagnosis d;
  d.release = "1.23 or later";
  EXPECT_EQ(ReleaseText(Messages("en"), d), "1.23 or later");
  EXPECT_EQ(ReleaseText(Messages("zh"), d), "1.23 及以后");
  d.release = "1.16 or earlier";
  EXPECT_EQ(ReleaseText(Messages("zh"), d), "1.16 及以前");
  d.release = "1.20";
  EXPECT_EQ(ReleaseText(Messages("zh"), d), "1.20");
}

Diagnosis WithServers(double seen, double all) {
  ControlPlaneSeen n;
  n.apiserver.seen = seen;
  n.apiserver.instances = {all, seen, std::nullopt, "count", BasisKind::kControlPlane};
  n.apiserver.covered = Exact(seen / all, "1");
  n.etcd.missing = {Message("neighbours.missing.etcd")};
  Diagnosis d;
  d.control_plane = n;
  d.gaps = {Message("gap.nothing", {{"command", "schedlens doctor"}})};
  return d;
}

TEST(ControlPlaneSentenceTest, SaysHowManyAreThereAndWhatTheyAnswered) {
  EXPECT_EQ(ControlPlaneSentence(Messages("en"), WithServers(1, 4)),
            "API servers: 1 of 4, with 25.0 % of the bindings; etcd: none in this source; "
            "kube-state-metrics: none in this source");
}

TEST(ControlPlaneSentenceTest, IsNotGivenWhereNobodyAsksForThem) {
  Diagnosis d = WithServers(0, 1);
  EXPECT_EQ(ControlPlaneSentence(Messages("en"), d), "");
  EXPECT_EQ(GapSentences(Messages("en"), d).size(), 1u);
  d.findings.emplace_back().id = "bind.apiserver";
  EXPECT_NE(ControlPlaneSentence(Messages("en"), d), "");
  EXPECT_EQ(GapSentences(Messages("en"), d).size(), 2u) << "the gap, and etcd's metrics";
  EXPECT_EQ(ControlPlaneSentence(Messages("en"), Diagnosis()), "");
}

Episode EpisodeAt(TimeMs start, Verdict verdict) {
  Episode episode;
  episode.window = {start, start + 90'000};
  episode.verdict = verdict;
  episode.headline = Message("headline.slow");
  episode.command = "schedlens diagnose --start 0";
  return episode;
}

TEST(WordingTest, OtherEpisodesHaveALineEachAndThoseThatHurtComeFirst) {
  using Lines = std::vector<std::pair<std::string, std::string>>;
  Diagnosis d;
  EXPECT_EQ(EpisodeLines(English(), d), Lines());
  d.also_seen = {EpisodeAt(0, Verdict::kNoIncident)};
  d.episodes = {EpisodeAt(300'000, Verdict::kIncident), EpisodeAt(600'000, Verdict::kIncident)};
  d.episodes[1].reported = true;
  EXPECT_EQ(
      EpisodeLines(English(), d),
      (Lines{{"Episode",
              "1970-01-01 00:05:00 to 00:06:30 UTC (1m30s): Attempts are slow. `schedlens "
              "diagnose --start 0`"},
             {"Also seen", "1970-01-01 00:00:00 to 00:01:30 UTC (1m30s): Attempts are slow."}}));
  d.also_seen.clear();
  d.episodes.assign(23, d.episodes[0]);
  const auto lines = EpisodeLines(English(), d);
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines.back().second, "3 more like these: `-o json` lists all.");
}

TEST(WordingTest, OfManyRemarksOfAKindTheFirstAreListed) {
  std::vector<Message> all;
  for (int i = 0; i < 25; ++i) {
    all.push_back(Verbatim(fmt::format("remark {}", i)));
    if (i < 20) all.push_back(Message("source.note", {{"text", fmt::format("note {}", i)}}));
  }
  const std::vector<std::string> remarks = RemarkLines(English(), all);
  ASSERT_EQ(remarks.size(), 41u);
  EXPECT_EQ(remarks[0], "remark 0");
  EXPECT_EQ(remarks[38], "remark 19");
  EXPECT_EQ(remarks[39], "5 more like these: `-o json` lists all.");
}

}  // namespace
}  // namespace schedlens
