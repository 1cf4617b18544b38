#include <gtest/gtest.h>

#include "source/capture/capture_formats.h"

namespace schedlens {
namespace {

constexpr const char* kMatrix =
    R"({"status":"success","data":{"resultType":"matrix","result":[)"
    R"({"metric":{"__name__":"x","a":"b"},"values":[[1,"1"],[2.5,"+Inf"]]}]}})";
constexpr const char* kVector =
    R"({"status":"success","warnings":["half of it"],"data":{"resultType":"vector","result":[)"
    R"({"metric":{"__name__":"x","a":"b"},"value":[3,"7"]},{"metric":{},"value":[3,"8"]}]}})";
constexpr const char* kBoth = "x{a=\"b\"} 1@1000 +Inf@2500 7@3000\n{} 8@3000\n";

TEST(AnswerFile, ReadsOneAnswerOrSeveralInEveryForm) {
  EXPECT_EQ(ReadAs(kMatrix), "x{a=\"b\"} 1@1000 +Inf@2500\n");
  const std::string matrix = kMatrix, vector = kVector;
  EXPECT_EQ(ReadAs(matrix + vector), kBoth);
  EXPECT_EQ(ReadAs("\n" + matrix + "\r\n\n" + vector + "\n"), kBoth);
  EXPECT_EQ(ReadAs(" [" + matrix + ",\n" + vector + "] \n"), kBoth);
  // Only the data of an answer, as `schedlens query -o json` prints it.
  EXPECT_EQ(
      ReadAs(R"({ "resultType":"vector","result":[{"metric":{"a":"}{\""},"value":[1,"2"]}]})"),
      "{a=\"}{\\\"\"} 2@1000\n");
}

TEST(AnswerFile, KeepsTheServersWarnings) {
  EXPECT_EQ(ParseCapture(kVector, "F", 0).warnings.size(), 1u);
}

TEST(AnswerFile, NamesTheObjectThatCannotBeRead) {
  const std::string matrix = kMatrix;
  const std::pair<std::string, std::string> cases[] = {
      {R"({"status":"error","errorType":"bad_data","error":"no"})",
       "object 1, from byte 0 on: an error of the server, no samples: bad_data: no"},
      {R"({"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})",
       "object 1, from byte 0 on: a scalar or a string, no series; save the answer to a range of "
       "series, such as {job=\"kube-scheduler\"}[1h]"},
      {R"({"status":"success"})",
       "object 1, from byte 0 on: not an answer of the Prometheus API: status or result is "
       "missing"},
      {matrix.substr(0, 80), "byte 80: the last object has no end (is the file cut off?)"},
      {"[" + matrix, "byte 131: the list has no end (is the file cut off?)"},
      {matrix + " x", "byte 131: expected a JSON object"},
      {"[]]", "byte 2: expected a JSON object"},
      {matrix + "," + matrix, "byte 130: expected a JSON object"}};
  for (const auto& [text, why] : cases) EXPECT_EQ(ReadAs(text), "error: reading F: " + why);
}

TEST(AnswerFile, RefusesDeepNesting) {
  const std::string deep = "{\"status\":" + std::string(5000, '[') + std::string(5000, ']') + "}";
  EXPECT_NE(ReadAs(deep).find("error: reading F: object 1"), std::string::npos);
}

}  // namespace
}  // namespace schedlens
