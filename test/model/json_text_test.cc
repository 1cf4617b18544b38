#include "model/json_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace schedlens {
namespace {

TEST(JsonText, WritesPlainValuesInTheirOrder) {
  EXPECT_EQ(JsonText::Document(JsonStyle::kCompact,
                               [](JsonText& json) {
                                 json("text", "a\"\\<\b\f\n\r\t\x01\x7fé");
                                 json("number", 0.25);
                                 json("none", std::numeric_limits<double>::quiet_NaN());
                                 json("count", std::uint64_t{18446744073709551615u});
                                 json("before", std::int64_t{-1});
                                 json("flag", false);
                                 json.Literal("digits", "1.500");
                                 json.Array("list", [&] {
                                   json.Element("x");
                                   json.ObjectElement([] {});
                                   json.ArrayElement([&] { json.LiteralElement("null"); });
                                 });
                               }),
            R"({"text":"a\"\\<\b\f\n\r\t\u0001)"
            "\x7f"
            R"(é","number":0.25,"none":null,"count":18446744073709551615,"before":-1,)"
            R"("flag":false,"digits":1.500,"list":["x",{},[null]]})");
}

TEST(JsonText, IllFormedTextBecomesReplacementCharacters) {
  const auto written = [](std::string_view text) {
    return JsonText::Document(JsonStyle::kCompact, [&](JsonText& json) { json("a", text); });
  };
  EXPECT_EQ(written("\xff"), "{\"a\":\"\xEF\xBF\xBD\"}");
  EXPECT_EQ(written("\xe4\xbd"), "{\"a\":\"\xEF\xBF\xBD\"}");
  EXPECT_EQ(written("\xe4\xbdz"), "{\"a\":\"\xEF\xBF\xBDz\"}");
}

}  // namespace
}  // namespace schedlens
