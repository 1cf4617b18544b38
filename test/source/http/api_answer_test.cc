#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/url.h"
#include "schedlens/error.h"
#include "source/http/json_stream.h"

namespace schedlens {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

ApiAnswer InPieces(const std::string& text, std::size_t piece) {
  ApiAnswerReader reader;
  for (std::size_t at = 0; at < text.size(); at += piece) reader.Feed(text.substr(at, piece));
  return reader.Finish();
}

std::string ErrorOf(const std::string& text) {
  try {
    ReadApiAnswer(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    return error.what();
  }
  return "no error";
}

TEST(ApiAnswer, AMatrixHoweverItIsCut) {
  const std::string text = R"({"status":"success","data":{"resultType":"matrix","result":[
    {"metric":{"__name__":"x_bucket","le":"+Inf","a":"\u00e9\"q"},
     "values":[[1435781451.781,"1"],[1435781452,"0.25"],[1435781453.5,"NaN"],[1435781454.05,"-Inf"]]},
    {"metric":{},"values":[]}]}})";
  for (std::size_t piece = 1; piece < text.size(); piece += 7) {
    const ApiAnswer api = InPieces(text, piece);
    ASSERT_TRUE(api.success);
    EXPECT_EQ(api.answer.kind, ValueKind::kMatrix);
    ASSERT_EQ(api.answer.series.size(), 2u);
    const Series& first = api.answer.series[0];
    EXPECT_EQ(first.labels,
              Labels({{"__name__", "x_bucket"}, {"le", "+Inf"}, {"a", "\xC3\xA9\"q"}}));
    ASSERT_EQ(first.samples.size(), 4u);
    EXPECT_EQ(first.samples[0], (Sample{1435781451781, 1}));
    EXPECT_EQ(first.samples[1], (Sample{1435781452000, 0.25}));
    EXPECT_EQ(first.samples[2].t, 1435781453500);
    EXPECT_TRUE(std::isnan(first.samples[2].v));
    EXPECT_EQ(first.samples[3], (Sample{1435781454050, -kInf}));
    EXPECT_TRUE(api.answer.series[1].labels.empty());
  }
}

// Pairs are read at once where they are whole and plain: never otherwise than piece by piece.
TEST(ApiAnswer, APairIsTheSameHoweverItIsCut) {
  const struct {
    const char* pair;
    bool good;
  } rows[] = {
      {R"([1.5,"1"])", true},
      {R"([1,"007"])", true},
      {R"([0,"1"])", true},
      {R"([0.25,"1"])", true},
      {R"([1795223207.55,"-0"])", true},
      {R"([1795223207.5525,"1e-07"])", true},
      {R"([1,"123456789012345"])", true},
      {R"([1,"1234567890123456"])", true},
      {R"([1,"9007199254740993"])", true},
      {R"([1,"12345678901234567890.5"])", true},
      {R"([1, "2"])", true},
      {R"([1,"+Inf"])", true},
      {R"([1,"1"])", true},
      {R"([123456789012,"1"])", true},
      {R"([1234567890123456,"1"])", false},
      {R"([01,"1"])", false},
      {R"([1.,"1"])", false},
      {R"([1.5.5,"1"])", false},
      {R"([-,"1"])", false},
      {R"([1,""])", false},
      {R"([1,"1-2"])", false},
      {R"([1,2])", false},
      {R"([1,"1"x])", false},
      {R"([1,"1","1"])", false},
      {R"([])", false},
  };
  for (const auto& row : rows) {
    const std::string text =
        std::string(R"({"status":"success","data":{"resultType":"matrix","result":[{"values":[)") +
        row.pair + "]}]}}";
    const auto read = [&](std::size_t piece) -> std::optional<std::vector<Sample>> {
      try {
        return InPieces(text, piece).answer.series.at(0).samples;
      } catch (const Error&) {
        return std::nullopt;
      }
    };
    const auto by_bytes = read(1), at_once = read(text.size());
    ASSERT_EQ(at_once.has_value(), row.good) << row.pair;
    EXPECT_EQ(at_once, by_bytes) << row.pair;
  }
}

TEST(ApiAnswer, VectorsKeepTheServersOrderAndItsRemarks) {
  const ApiAnswer api = ReadApiAnswer(
      R"({"status":"success","data":{"resultType":"vector","result":[)"
      R"({"metric":{"i":"b"},"value":[1.5,"2"]},{"metric":{"i":"a"},"value":[1.5,"1e-07"]}],)"
      R"("stats":{"timings":[1,{"a":[null]}],"x":true}},"warnings":["w1","w2"],"infos":["i"]})");
  ASSERT_EQ(api.answer.series.size(), 2u);
  EXPECT_EQ(api.answer.series[0].labels.Get("i"), "b");
  EXPECT_EQ(api.answer.series[1].samples[0], (Sample{1500, 1e-7}));
  EXPECT_EQ(api.answer.warnings, (std::vector<std::string>{"w1", "w2"}));
  EXPECT_EQ(api.answer.infos, (std::vector<std::string>{"i"}));
}

TEST(ApiAnswer, APartialAnswerIsAWarning) {
  const auto warnings = [](const std::string& partial) {
    return ReadApiAnswer(R"({"status":"success","isPartial":)" + partial +
                         R"(,"data":{"resultType":"vector","result":[]}})")
        .answer.warnings.size();
  };
  EXPECT_EQ(warnings("true"), 1u);
  EXPECT_EQ(warnings("false"), 0u);
}

TEST(ApiAnswer, ScalarsAndStringsInEitherOrderOfKeys) {
  const ApiAnswer scalar = ReadApiAnswer(
      R"({"data":{"result":[1435781451.781,"+Inf"],"resultType":"scalar"},"status":"success"})");
  EXPECT_EQ(scalar.answer.kind, ValueKind::kScalar);
  ASSERT_EQ(scalar.answer.series.size(), 1u);
  EXPECT_EQ(scalar.answer.series[0].samples[0], (Sample{1435781451781, kInf}));
  const ApiAnswer text = ReadApiAnswer(
      R"({"status":"success","data":{"resultType":"string","result":[1,"some text"]}})");
  EXPECT_EQ(text.answer.kind, ValueKind::kString);
  EXPECT_EQ(text.answer.text, "some text");
}

TEST(ApiAnswer, NativeHistograms) {
  const std::string histogram =
      R"({"count":"3","sum":"4.5","buckets":[[3,"-0.001","0.001","1"],[0,"1","2","2"]]})";
  const NativeHistogram want{3, 4.5, {{-0.001, 0.001, 1, 3}, {1, 2, 2, 0}}};
  const ApiAnswer instant = ReadApiAnswer(
      R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[2,)" +
      histogram + "]}]}}");
  ASSERT_EQ(instant.answer.series[0].histograms.size(), 1u);
  EXPECT_EQ(instant.answer.series[0].histograms[0], (NativeSample{2000, want}));
  const ApiAnswer range = ReadApiAnswer(
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"7"]],)"
      R"("histograms":[[2,)" +
      histogram + "],[3," + histogram + R"(]]}]}})");
  EXPECT_EQ(range.answer.series[0].samples.size(), 1u);
  ASSERT_EQ(range.answer.series[0].histograms.size(), 2u);
  EXPECT_EQ(range.answer.series[0].histograms[1], (NativeSample{3000, want}));
}

TEST(ApiAnswer, TheServersErrorIsKept) {
  const ApiAnswer api =
      ReadApiAnswer(R"({"status":"error","errorType":"bad_data","error":"parse error at char 3"})");
  EXPECT_FALSE(api.success);
  EXPECT_EQ(api.error_type, "bad_data");
  EXPECT_EQ(api.error, "parse error at char 3");
  EXPECT_FALSE(ReadApiAnswer(R"({"status":"error","data":null,"error":"x"})").success);
}

TEST(ApiAnswer, AValueThatQuotesASecretIsNotQuotedInPart) {
  const std::string secret = "s3cret-token-that-is-longer-than-forty-letters-of-a-value";
  RegisterSecret(secret);
  const std::string error = ErrorOf(
      R"({"status":"success","data":{"resultType":"scalar","result":[1,")" + secret + R"("]}})");
  EXPECT_EQ(error.find("s3cret"), std::string::npos) << error;
  EXPECT_NE(error.find("[secret]"), std::string::npos) << error;
  ForgetSecrets();
}

TEST(ApiAnswer, OtherJsonIsRefused) {
  for (
      const char* text : {
          "{}",
          "[]",
          "null",
          "7",
          R"("text")",
          R"({"status":"success"})",
          R"({"status":"success","data":null})",
          R"({"status":"success","data":{"result":[]}})",
          R"({"status":"success","data":{"resultType":"cube","result":[]}})",
          R"({"status":"success","data":{"resultType":"vector","result":{}}})",
          R"({"status":"success","data":{"resultType":"vector","result":[{"metric":[]}]}})",
          R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1]}]}})",
          R"({"status":"success","data":{"resultType":"vector","result":[{"value":["1","2"]}]}})",
          R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,2]}]}})",
          R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,"x"]}]}})",
          R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1e300,"1"]}]}})",
          R"({"status":"success","data":{"resultType":"matrix","result":[{"values":[[2,"1"],[1,"1"]]}]}})",
          R"({"status":"success","data":{"resultType":"vector","result":[{"histogram":[{}]}]}})",
          R"({"status":"success","data":{"resultType":"vector","result":[{"histogram":[1,{"buckets":[[0,"1"]]}]}]}})",
          R"({"status":"success","data":{"resultType":"vector","result":[null]}})",
          R"({"status":"success","data":{"resultType":"scalar","result":[]}})",
      }) {
    EXPECT_EQ(ErrorOf(text).rfind("not an answer of the Prometheus API: ", 0), 0u) << text;
  }
}

TEST(ApiAnswer, SeriesAreLimited) {
  ApiAnswerReader reader(1);
  try {
    reader.Feed(R"({"status":"success","data":{"resultType":"vector","result":[)"
                R"({"metric":{},"value":[1,"1"]},{"metric":{},"value":[1,"1"]}]}})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the answer has more than 1 series: narrow it with --selector");
  }
}

TEST(ApiAnswer, LabelsOfASeriesAreLimited) {
  const auto with_labels = [](int count) {
    std::string text = R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{)";
    for (int i = 0; i < count; ++i) text += fmt::format("{}\"l{}\":\"x\"", i == 0 ? "" : ",", i);
    return text + R"(},"value":[1,"1"]}]}})";
  };
  EXPECT_EQ(ErrorOf(with_labels(1001)),
            "not an answer of the Prometheus API: a series with more than 1,000 labels");
  EXPECT_EQ(ReadApiAnswer(with_labels(1000)).answer.series.at(0).labels.size(), 1000U);
}

TEST(ApiAnswer, TimesOfEveryForm) {
  struct Case {
    const char* text;
    TimeMs t;
  };
  for (const Case& c : {Case{"0", 0}, Case{"-1.5", -1500}, Case{"1.7e9", 1700000000000},
                        Case{"1435781451.7814", 1435781451781}, Case{"0.001", 1}}) {
    const ApiAnswer api = ReadApiAnswer(
        std::string(R"({"status":"success","data":{"resultType":"scalar","result":[)") + c.text +
        R"(,"1"]}})");
    EXPECT_EQ(api.answer.series[0].samples[0].t, c.t) << c.text;
  }
}

}  // namespace
}  // namespace schedlens
