#include <gtest/gtest.h>

#include <limits>

#include "report/json/json.h"

namespace schedlens {
namespace {

Json Tree() {
  return {{"text", "a\"<\t\n\x7f"},
          {"whole", 6000.0},
          {"small", 0.00002},
          {"none", std::numeric_limits<double>::infinity()},
          {"list", std::vector<double>{1, 2.5}},
          {"object", {{"flag", true}}},
          {"empty", Json::array()},
          {"rows", Json::array({{{"a", 1}, {"b", 2}}, "x"})}};
}

TEST(JsonTreeTest, AReportHasListsOfNumbersOnOneLine) {
  EXPECT_EQ(TextOf(Tree(), JsonStyle::kReport), R"({
  "text": "a\"<\t\n)"
                                                "\x7f"
                                                R"(",
  "whole": 6000,
  "small": 2e-05,
  "none": null,
  "list": [1, 2.5],
  "object": {
    "flag": true
  },
  "empty": [],
  "rows": [
    {
      "a": 1,
      "b": 2
    },
    "x"
  ]
}
)");
}

TEST(JsonTreeTest, ADocumentShowsWhatIsADouble) {
  const std::string text = TextOf(Tree());
  EXPECT_NE(text.find("\"whole\": 6000.0,\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"small\": 2e-05,\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"list\": [\n    1.0,\n    2.5\n  ]"), std::string::npos) << text;
  EXPECT_NE(text.find("\"a\": 1,\n"), std::string::npos) << text;
}

TEST(JsonTreeTest, TextThatIsNotUtf8BecomesReplacementCharacters) {
  EXPECT_EQ(TextOf({{"a", "\xff"}, {"b", 1}}, JsonStyle::kCompact),
            "{\"a\":\"\xEF\xBF\xBD\",\"b\":1}\n");
}

TEST(JsonTreeTest, AbsentIsNullAndAMessageHasItsDetail) {
  EXPECT_EQ(Json(std::optional<double>()), nullptr);
  const Json said = Object("notes", std::vector<Message>{Verbatim("x")});
  EXPECT_EQ(said.at("notes")[0], "x");
  EXPECT_EQ(said.at("note_details")[0].at("id"), "verbatim");
  EXPECT_EQ(Object("text", Message()).at("text_detail"), nullptr);
}

}  // namespace
}  // namespace schedlens
