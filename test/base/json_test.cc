#include "base/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "contract/diagnosis.h"

namespace schedlens {
namespace {

TEST(JsonText, WritesPlainValuesInTheirOrder) {
  const Json json = {{"text", "a\"\\<\b\f\n\r\t\x01\x7fé"},
                     {"number", 0.25},
                     {"none", std::numeric_limits<double>::quiet_NaN()},
                     {"count", std::uint64_t{18446744073709551615u}},
                     {"before", std::int64_t{-1}},
                     {"flag", false},
                     {"list", {"x", Json::object(), Json::array({nullptr})}}};
  EXPECT_EQ(JsonText(json, JsonStyle::kCompact),
            R"({"text":"a\"\\<\b\f\n\r\t\u0001)"
            "\x7f"
            R"(é","number":0.25,"none":null,"count":18446744073709551615,"before":-1,)"
            R"("flag":false,"list":["x",{},[null]]})");
}

TEST(JsonText, IllFormedTextBecomesReplacementCharacters) {
  const auto written = [](const std::string& text) {
    return JsonText({{"a", text}, {"b", 1}}, JsonStyle::kCompact);
  };
  EXPECT_EQ(written("\xff"), "{\"a\":\"\xEF\xBF\xBD\",\"b\":1}");
  EXPECT_EQ(written("\xe4\xbd"), "{\"a\":\"\xEF\xBF\xBD\",\"b\":1}");
  EXPECT_EQ(written("\xe4\xbdz"), "{\"a\":\"\xEF\xBF\xBDz\",\"b\":1}");
}

TEST(JsonText, AReportHasListsOfNumbersOnOneLine) {
  const Json json = {{"text", "[\n1,\n2]"},
                     {"list", {1.0, 2.5, nullptr, 1e300, -0.0}},
                     {"rows", {{1, 2}, {{"a", Json::array()}, {"b", "x"}}}}};
  EXPECT_EQ(JsonText(json, JsonStyle::kReport), R"({
  "text": "[\n1,\n2]",
  "list": [1, 2.5, null, 1e+300, 0],
  "rows": [
    [1, 2],
    {
      "a": [],
      "b": "x"
    }
  ]
})");
}

std::string Nested(int depth, const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(ShallowJson, IsTheTextUpToALimit) {
  for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{\"a\":", "}"}}) {
    const std::string deep = Nested(kDeepestJson, open, close);
    EXPECT_EQ(ShallowJson(deep), deep);
    EXPECT_EQ(ShallowJson(Nested(kDeepestJson + 1, open, close)), "");
    EXPECT_EQ(ShallowJson(Nested(58000, open, "")), "");
  }
  const std::string wide = "[" + Nested(1, "[]", "").append(5000, ' ') + "]";
  EXPECT_EQ(ShallowJson(wide), wide);
}

TEST(ShallowJson, BracketsInStringsAreNone) {
  const std::string text =
      "[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\\\\\"]";
  EXPECT_EQ(ShallowJson(text), text);
  for (const char* cut : {"\"", "\"\\", "[\"\\\"", ""}) EXPECT_EQ(ShallowJson(cut), cut);
  EXPECT_EQ(ShallowJson("[\"a\"" + std::string(1000, '[')), "") << "behind a string it counts";
}

TEST(TextAtTest, IsATextMemberOrEmpty) {
  const auto object = ReadJson(R"({"name":"Slow","for":180,"labels":{"name":"x"},"list":[1]})");
  EXPECT_EQ(TextAt(object, "name"), "Slow");
  EXPECT_EQ(TextAt(object, "for"), "");
  EXPECT_EQ(TextAt(object, "labels"), "");
  EXPECT_EQ(TextAt(object, "none"), "");
  EXPECT_EQ(MemberAt(object, "for"), 180);
  EXPECT_EQ(ListAt(object, "list").size(), 1U);
  EXPECT_TRUE(ListAt(object, "name").is_array());
  for (const char* other : {"[]", "null", "\"name\"", "3"}) {
    EXPECT_EQ(TextAt(ReadJson(other), "name"), "") << other;
    EXPECT_TRUE(MemberAt(ReadJson(other), "name").is_null()) << other;
  }
}

TEST(ReadJson, IsDiscardedForWhatIsNone) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("no"), Nested(kDeepestJson + 1, "[", "]")}) {
    EXPECT_TRUE(ReadJson(text).is_discarded()) << text.substr(0, 20);
  }
}

TEST(WriteJson, IsOneLineOfWellFormedText) {
  EXPECT_EQ(WriteJson({{"b", "\xff\x1f"}, {"a", {1, 0.5}}}),
            "{\"a\":[1,0.5],\"b\":\"\xEF\xBF\xBD\\u001f\"}");
}

// The words of the JSON contract.
TEST(DiagnosisWordsTest, AreTheWordsOfTheContract) {
  EXPECT_EQ(ToString(Verdict::kIncident), "incident");
  EXPECT_EQ(ToString(Verdict::kNoIncident), "no-incident");
  EXPECT_EQ(ToString(Verdict::kArtifact), "artifact");
  EXPECT_EQ(ToString(Verdict::kUndecidable), "undecidable");
  EXPECT_EQ(ToString(Verdict::kInsufficientData), "insufficient-data");
  EXPECT_EQ(ToString(Confidence::kCertain), "certain");
  EXPECT_EQ(ToString(Confidence::kLikely), "likely");
  EXPECT_EQ(ToString(Confidence::kPossible), "possible");
  EXPECT_EQ(ToString(Decided::kAbove), "above");
  EXPECT_EQ(ToString(Decided::kBelow), "below");
  EXPECT_EQ(ToString(Decided::kUndecidable), "undecidable");
}

}  // namespace
}  // namespace schedlens
