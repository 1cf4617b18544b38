#include <gtest/gtest.h>

#include "promql/ast.h"
#include "promql/parser.h"
#include "source/native/unfolding_source.h"

namespace schedlens {
namespace {

promql::Selector Of(const char* text) { return *promql::Parse(text)->As<promql::Selector>(); }

TEST(ClassicNames, FamilyOfClassic) {
  EXPECT_EQ(FamilyOfClassic("x_bucket"), "x");
  EXPECT_EQ(FamilyOfClassic("x_sum"), "x");
  EXPECT_EQ(FamilyOfClassic("x_count"), "x");
  EXPECT_EQ(FamilyOfClassic("x_total"), "");
  EXPECT_EQ(FamilyOfClassic("_count"), "");
}

TEST(ClassicNames, NamesOfHistograms) {
  constexpr const char* kCases[][2] = {
      {"x_bucket{le=\"1\"}", "x(_bucket|_sum|_count)?"},
      {"x", ""},
      {"{job=\"a\"}", ""},
      {R"x({__name__=~"x_(bucket|sum|count)"})x", "x(_bucket|_sum|_count)?"},
      {R"x({__name__=~"x_(sum|count)",a="b"})x", "x(_bucket|_sum|_count)?"},
      {R"x({__name__=~"a_total|b_count|c"})x", "a_total|b(_bucket|_sum|_count)?|c"},
      {R"x({__name__=~"a_total|c"})x", ""},
      {R"x({__name__=~".*(a|b)_count"})x", ".*(a|b)(_bucket|_sum|_count)?"},
      {R"x({__name__=~"s_.+",__name__!~"s_p_.+_bucket"})x", "s_.+"},
      {R"x({__name__=~"a_countable"})x", ""},
      {R"x({__name__=~"a_(bucket|other)"})x", ""},
  };
  for (const auto& [selector, names] : kCases) {
    EXPECT_EQ(NamesOfHistograms(Of(selector)), names) << selector;
  }
}

TEST(ClassicNames, MeansClassic) {
  EXPECT_TRUE(MeansClassic(Of(R"x({__name__=~"x_(sum|count)",job="a"})x"), "x"));
  EXPECT_FALSE(MeansClassic(Of(R"x({__name__=~"x_(sum|count)"})x"), "y"));
  EXPECT_TRUE(MeansClassic(Of("x_bucket{le=\"1\"}"), "x"));
  EXPECT_FALSE(MeansClassic(Of(R"x({__name__=~"x_.+",__name__!~"x_.*"})x"), "x_y"));
}

TEST(ClassicNames, NativeForm) {
  const promql::Selector native =
      NativeForm(Of(R"x({__name__="x_bucket",le="1",job="a",__name__!~"y"})x"), {"x", "z"});
  const auto expr = promql::MakeExpr(native, ValueKind::kVector);
  EXPECT_EQ(promql::ToString(*expr), R"x({__name__=~"x|z",job="a"})x");
}

}  // namespace
}  // namespace schedlens
