#include "report/messages/wording.h"

#include <gtest/gtest.h>

#include "messages/catalog.h"
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
  EXPECT_EQ(Headline(English(), d),
            "Incident: An extender's bind call is slow (certain), 91.2 % of the time.");
  d.findings.clear();
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
  EXPECT_EQ(ShareSentence(English(), d.findings[0], "91.2 %"), "91.2 % of the time");
  EXPECT_EQ(ShareSentence(English(), d.findings[1], "2.1 %"), "2.1 % of the growth");
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
  EXPECT_EQ(ShareText({0.912, 0.905, 0.9151, "1", {}}), "91.2 % (90.5–91.6 %)");
  EXPECT_EQ(ShareText({0.5, {}, {}, "1", {}}), "50.0 %");
}

}  // namespace
}  // namespace schedlens
