#include <gtest/gtest.h>

#include "base/text.h"

namespace schedlens {
namespace {

TEST(Nearest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  struct Row {
    const char* a;
    const char* b;
    std::size_t distance;
  };
  const Row rows[] = {{"", "", 0},           {"", "abc", 3},          {"abc", "", 3},
                      {"bind", "bind", 0},   {"bnd", "bind", 1},      {"bindd", "bind", 1},
                      {"band", "bind", 1},   {"bidn", "bind", 1},     {"diagnoes", "diagnose", 1},
                      {"score", "query", 4}, {"kitten", "sitting", 3}};
  for (const Row& row : rows) {
    EXPECT_EQ(EditDistance(row.a, row.b), row.distance) << row.a << " " << row.b;
    EXPECT_EQ(EditDistance(row.b, row.a), row.distance) << row.b << " " << row.a;
  }
}

TEST(Nearest, FindsTheClosestWord) {
  const std::vector<std::string> known = {"diagnose", "doctor", "quantile", "query"};
  EXPECT_EQ(Nearest("diagnos", known), "diagnose");
  EXPECT_EQ(Nearest("quary", known), "query");
  EXPECT_EQ(Nearest("quantiles", known), "quantile");
}

TEST(Nearest, TakesAPrefixAsOneEdit) {
  EXPECT_EQ(Nearest("diag", {"drag-and-drop", "diagnose", "doc"}), "diagnose");
}

TEST(Nearest, HasNothingToSayWithoutWords) { EXPECT_EQ(Nearest("x", {}), ""); }

}  // namespace
}  // namespace schedlens
