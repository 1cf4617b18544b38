#include "promql/type_check.h"

#include <gtest/gtest.h>

#include "promql/parser.h"

namespace schedlens::promql {
namespace {

TEST(TypeCheckTest, GivesEveryExpressionItsKind) {
  const std::vector<std::pair<std::string, std::string_view>> table = {
      {"1 + 1", "scalar"},           {"\"a\"", "string"},
      {"up", "instant vector"},      {"up[5m]", "range vector"},
      {"up[5m:1m]", "range vector"}, {"up * 2", "instant vector"},
      {"2 > bool 1", "scalar"},      {"-(1)", "scalar"},
      {"scalar(up)", "scalar"},      {"vector(1)", "instant vector"},
      {"time()", "scalar"},          {"(up[5m])", "range vector"},
  };
  for (const auto& [text, kind] : table) EXPECT_EQ(KindName(Parse(text)->kind), kind) << text;
}

}  // namespace
}  // namespace schedlens::promql
