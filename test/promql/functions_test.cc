#include "promql/functions.h"

#include <gtest/gtest.h>

namespace schedlens::promql {
namespace {

TEST(FunctionsTest, IsSortedByNameAndFindsEveryRow) {
  std::string_view before;
  for (const Function& function : Functions()) {
    EXPECT_LT(before, function.name);
    before = function.name;
    EXPECT_EQ(FindFunction(function.name), &function);
  }
  EXPECT_EQ(FindFunction("Rate"), nullptr);  // names are case sensitive, keywords are not
}

}  // namespace
}  // namespace schedlens::promql
