#include "report/json/writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace schedlens {
namespace {

std::string Written(JsonStyle style) {
  return JsonWriter::Document(style, [](JsonWriter& json) {
    json("text", "a\"<\t\n\x7f");
    json("whole", 6000.0);
    json("small", 0.00002);
    json("none", std::numeric_limits<double>::infinity());
    json("list", std::vector<double>{1, 2.5});
    json.Object("object", [&] { json("flag", true); });
    json.Array("empty", [] {});
    json.Array("rows", [&] {
      json.RowElement([&] { json("a", 1), json("b", 2); });
      json.ArrayElement([&] { json.LiteralElement("1.500"), json.Element("x"); });
    });
  });
}

TEST(JsonWriterTest, AReportHasListsOfNumbersOnOneLine) {
  EXPECT_EQ(Written(JsonStyle::kReport), R"({
  "text": "a\"<\u0009\n\u007f",
  "whole": 6000,
  "small": 0.00002,
  "none": null,
  "list": [1, 2.5],
  "object": {
    "flag": true
  },
  "empty": [],
  "rows": [
    {"a": 1, "b": 2},
    [
      1.500,
      "x"
    ]
  ]
})");
}

TEST(JsonWriterTest, ADocumentShowsWhatIsADouble) {
  EXPECT_EQ(Written(JsonStyle::kDocument), R"({
  "text": "a\"<\t\n)"
                                           "\x7f"
                                           R"(",
  "whole": 6000.0,
  "small": 2e-05,
  "none": null,
  "list": [
    1.0,
    2.5
  ],
  "object": {
    "flag": true
  },
  "empty": [],
  "rows": [
    {"a": 1, "b": 2},
    [
      1.500,
      "x"
    ]
  ]
})");
}

TEST(JsonWriterTest, ALineIsWhatGoWrites) {
  EXPECT_EQ(Written(JsonStyle::kLine),
            R"({"text":"a\"\u003c\t\n)"
            "\x7f"
            R"(","whole":6000,"small":0.00002,"none":null,"list":[1,2.5],)"
            R"("object":{"flag":true},"empty":[],"rows":[{"a":1,"b":2},[1.500,"x"]]})");
}

TEST(JsonWriterTest, TextThatIsNotUtf8BecomesReplacementCharacters) {
  EXPECT_EQ(JsonWriter::Document(JsonStyle::kLine, [](JsonWriter& json) { json("a", "\xff"); }),
            "{\"a\":\"\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace schedlens
