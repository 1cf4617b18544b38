#include "promql/evaluate.h"

#include <gtest/gtest.h>

#include "promql/ask.h"

namespace schedlens::promql {
namespace {

const Asker& EvaluateData() {
  static const Asker asker({Line({{"__name__", "z"}, {"k", "2"}}, {"1", "2"}),
                            Line({{"__name__", "a"}, {"k", "1"}}, {"3", "4"})});
  return asker;
}

TEST(EvaluateTest, AnswersInTheKindOfTheExpression) {
  EXPECT_EQ(EvaluateData().Full("1", "3.0", 0, 0, 0).kind, ValueKind::kScalar);
  EXPECT_EQ(EvaluateData().Full("z", "3.0", 0, 0, 0).kind, ValueKind::kVector);
  EXPECT_EQ(EvaluateData().Full("z[1m]", "3.0", 0, 0, 0).kind, ValueKind::kMatrix);
  EXPECT_EQ(EvaluateData().Full("1", "3.0", 0, 10, 10).kind, ValueKind::kMatrix);
  const Answer text = EvaluateData().Full("(\"x\")", "3.0", 0, 0, 0);
  EXPECT_EQ(text.kind, ValueKind::kString);
  EXPECT_EQ(text.text, "x");
}

TEST(EvaluateTest, SortsMatricesButNotInstantVectors) {
  EXPECT_EQ(EvaluateData().At(0, "z or a"), "z{k=\"2\"} 1; a{k=\"1\"} 3");
  EXPECT_EQ(EvaluateData().Range(0, 10'000, 10'000, "z or a"),
            "a{k=\"1\"} 3@0 4@10; z{k=\"2\"} 1@0 2@10");
}

TEST(EvaluateTest, RefusesImpossibleRanges) {
  EXPECT_NE(EvaluateData().Range(0, 10, 0, "z").find("a step longer than zero"), std::string::npos);
  EXPECT_NE(EvaluateData().Range(10, 0, 1, "z").find("end lies before its start"),
            std::string::npos);
  EXPECT_NE(EvaluateData().Range(0, 10'000'000, 1, "z").find("take a longer step"),
            std::string::npos);
  EXPECT_NE(
      EvaluateData().Range(0, 10, 1, "z[1m]").find("invalid expression type \"range vector\""),
      std::string::npos);
}

const Asker& SelectorsData() {
  static const Asker asker({
      Line({{"__name__", "up"}, {"job", "a"}}, {"1", "2", "3", "4"}),
      Line({{"__name__", "up"}, {"job", "b"}}, {"5", "6", "stale"}),
      Line({{"__name__", "up"}, {"job", "c"}}, {"7", "_", "NaN"}),
  });
  return asker;
}

TEST(SelectorsTest, TakeTheLastSampleInTheLookback) {
  EXPECT_EQ(SelectorsData().At(15'000, "up"), "up{job=\"a\"} 2; up{job=\"b\"} 6; up{job=\"c\"} 7");
  EXPECT_EQ(SelectorsData().At(25'000, "up"), "up{job=\"a\"} 3; up{job=\"c\"} NaN");  // b is stale
  EXPECT_EQ(SelectorsData().At(30'000 + 300'000, "up", "2.42"), "up{job=\"a\"} 4");   // closed
  EXPECT_EQ(SelectorsData().At(30'000 + 300'000, "up", "3.0"), "");                   // left-open
  EXPECT_EQ(SelectorsData().At(30'000 + 299'999, "up", "3.0"), "up{job=\"a\"} 4");
  EXPECT_EQ(SelectorsData().At(-1, "up"), "");
}

TEST(SelectorsTest, MatchInAllFourWaysAnchored) {
  EXPECT_EQ(SelectorsData().At(0, "up{job=\"a\"}"), "up{job=\"a\"} 1");
  EXPECT_EQ(SelectorsData().At(0, "up{job!=\"a\"}"), "up{job=\"b\"} 5; up{job=\"c\"} 7");
  EXPECT_EQ(SelectorsData().At(0, "{__name__=~\"u.\",job=~\"a|b\"}"),
            "up{job=\"a\"} 1; up{job=\"b\"} 5");
  EXPECT_EQ(SelectorsData().At(0, "up{job=~\"\"}"), "");
  EXPECT_EQ(SelectorsData().At(0, "up{job!~\"[ab]\"}"), "up{job=\"c\"} 7");
  EXPECT_EQ(SelectorsData().At(0, "up{missing=\"\"}").size(), SelectorsData().At(0, "up").size());
  EXPECT_EQ(SelectorsData().At(0, "up{missing!=\"\"}"), "");
}

TEST(SelectorsTest, ShiftByOffsetAndAt) {
  EXPECT_EQ(SelectorsData().At(20'000, "up{job=\"a\"} offset 10s"), "up{job=\"a\"} 2");
  EXPECT_EQ(SelectorsData().At(20'000, "up{job=\"a\"} offset -10s"), "up{job=\"a\"} 4");
  EXPECT_EQ(SelectorsData().At(20'000, "up{job=\"a\"} @ 0"), "up{job=\"a\"} 1");
  EXPECT_EQ(SelectorsData().At(20'000, "up{job=\"a\"} @ 30 offset 10s"), "up{job=\"a\"} 3");
  EXPECT_EQ(SelectorsData().Range(10'000, 30'000, 10'000, "up{job=\"a\"} @ start()"),
            "up{job=\"a\"} 2@10 2@20 2@30");
  EXPECT_EQ(SelectorsData().Range(10'000, 30'000, 10'000, "up{job=\"a\"} @ end()"),
            "up{job=\"a\"} 4@10 4@20 4@30");
}

TEST(SelectorsTest, RangesHoldRawSamplesWithoutStaleMarkers) {
  EXPECT_EQ(SelectorsData().At(20'000, "up[20s]"),
            "up{job=\"a\"} 1@0 2@10 3@20; up{job=\"b\"} 5@0 6@10; up{job=\"c\"} 7@0 NaN@20");
  EXPECT_EQ(SelectorsData().At(20'000, "up[20s]", "3.0"),
            "up{job=\"a\"} 2@10 3@20; up{job=\"b\"} 6@10; up{job=\"c\"} NaN@20");
  EXPECT_EQ(SelectorsData().At(20'000, "up{job=\"a\"}[10s] offset 10s"), "up{job=\"a\"} 1@0 2@10");
}

TEST(SelectorsTest, SubqueriesStandOnMultiplesOfTheirStep) {
  EXPECT_EQ(SelectorsData().At(25'000, "up{job=\"a\"}[20s:10s]"), "up{job=\"a\"} 2@10 3@20");
  EXPECT_EQ(SelectorsData().At(30'000, "up{job=\"a\"}[20s:10s]"), "up{job=\"a\"} 2@10 3@20 4@30");
  EXPECT_EQ(SelectorsData().At(30'000, "up{job=\"a\"}[20s:10s]", "3.0"), "up{job=\"a\"} 3@20 4@30");
  EXPECT_EQ(SelectorsData().At(60'000, "(up{job=\"a\"} + 1)[2m:]"), "{job=\"a\"} 2@0 5@60");
}

TEST(SelectorsTest, ExtendedEdgesNeed37) {
  EXPECT_EQ(SelectorsData().At(25'000, "increase(up{job=\"a\"}[10s] anchored)", "3.7"),
            "{job=\"a\"} 1");
  EXPECT_EQ(SelectorsData().At(25'000, "increase(up{job=\"a\"}[10s] smoothed)", "3.7"),
            "{job=\"a\"} 1");
  EXPECT_NE(SelectorsData()
                .At(25'000, "increase(up[10s] anchored)", "3.6")
                .find("3.6 does not know them"),
            std::string::npos);
  EXPECT_NE(
      SelectorsData().At(25'000, "up[10s] anchored", "3.7").find("only allowed inside a function"),
      std::string::npos);
}

TEST(SelectorsTest, NativeHistogramsAreNeverPassedOverInSilence) {
  Series native;
  native.labels = Labels({{"__name__", "n"}});
  native.histograms = {{0, {2, 3, {{1, 2, 2, 0}}}}};
  const Asker asker({native, Line({{"__name__", "m"}}, {"1", "2"})});
  for (const char* text :
       {"abs(n)", "max(n)", "topk(1, n)", "sum_over_time(n[1m])", "absent(n)", "rate(n[1m:10s])",
        "deriv(n[1m])", "label_replace(n, \"a\", \"\", \"b\", \"\")",
        "quantile_over_time(0.5, n[1m])", "max_over_time(n[1m])"}) {
    EXPECT_NE(asker.At(0, text).find("native histograms are evaluated here only"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(asker.At(0, "histogram_count(n)"), "{} 2");
  EXPECT_EQ(asker.At(10'000, "sum(m)"), "{} 2");
}

}  // namespace
}  // namespace schedlens::promql
