#include <gtest/gtest.h>

#include <limits>

#include "report/commands.h"

namespace schedlens {
namespace {

Series Of(std::vector<Labels::Pair> labels, std::vector<Sample> samples) {
  Series series;
  series.labels = Labels(std::move(labels));
  series.samples = std::move(samples);
  return series;
}

TEST(AnswerOutput, WritesTheApisData) {
  Answer answer;
  answer.series = {Of({{"__name__", "up"}, {"job", "a\"<\n"}}, {{1795223360353, 0.1}}),
                   Of({}, {{2000, std::numeric_limits<double>::infinity()}})};
  EXPECT_EQ(AnswerJson(answer, 0),
            R"({"resultType":"vector","result":[)"
            R"({"metric":{"__name__":"up","job":"a\"\u003c\n"},"value":[1795223360.353,"0.1"]},)"
            R"({"metric":{},"value":[2,"+Inf"]}]})");
  answer.kind = ValueKind::kMatrix;
  answer.series = {Of({{"a", "b"}}, {{1500, 1e-7}, {-500, 1e21}})};
  EXPECT_EQ(AnswerJson(answer, 0), R"({"resultType":"matrix","result":[{"metric":{"a":"b"},)"
                                   R"("values":[[1.500,"1e-07"],[-0.500,"1e+21"]]}]})");
  answer.series.clear();
  EXPECT_EQ(AnswerJson(answer, 0), R"({"resultType":"matrix","result":[]})");
  answer.kind = ValueKind::kScalar;
  answer.series = {Of({}, {{1000, -0.0}})};
  EXPECT_EQ(AnswerJson(answer, 0), R"({"resultType":"scalar","result":[1,"-0"]})");
  answer.series = {Of({}, {{1000, -2e-7}})};
  EXPECT_EQ(AnswerJson(answer, 0), R"({"resultType":"scalar","result":[1,"-0.0000002"]})");
  EXPECT_EQ(AnswerTable(answer), "-0.0000002\n");
  answer.kind = ValueKind::kString;
  answer.text = "x";
  EXPECT_EQ(AnswerJson(answer, 1001), R"({"resultType":"string","result":[1.001,"x"]})");
}

TEST(AnswerOutput, WritesNativeHistograms) {
  Answer answer;
  Series series = Of({{"a", "b"}}, {});
  series.histograms = {{1000, {3, 1.5, {{-0.5, 0.5, 1, 3}, {0.5, 1, 2, 0}}}}};
  answer.series = {series};
  EXPECT_EQ(AnswerJson(answer, 0),
            R"({"resultType":"vector","result":[{"metric":{"a":"b"},"histogram":[1,{"count":"3",)"
            R"("sum":"1.5","buckets":[[3,"-0.5","0.5","1"],[0,"0.5","1","2"]]}]}]})");
}

TEST(AnswerOutput, DrawsTables) {
  Answer answer;
  answer.series = {Of({{"__name__", "up"}}, {{0, 1}}), Of({{"a", "b"}}, {{0, 22.5}})};
  EXPECT_EQ(AnswerTable(answer), "VALUE  SERIES\n    1  up\n 22.5  {a=\"b\"}\n");
  answer.kind = ValueKind::kMatrix;
  answer.series = {Of({{"a", "b"}}, {{0, 1}, {60'000, 5}, {120'000, 3}})};
  EXPECT_EQ(AnswerTable(answer),
            "1970-01-01T00:00:00Z to 1970-01-01T00:02:00Z\n"
            "SAMPLES  FIRST  LOWEST  HIGHEST  LAST  SERIES\n"
            "      3      1       1        5     3  {a=\"b\"}\n");
  EXPECT_EQ(AnswerTable({}), "");
}

}  // namespace
}  // namespace schedlens
