#include "cli/option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OptionTest, NamesAreSplitAtCommas) {
  const Option option{.names = "-q,--quantile,--q"};
  EXPECT_THAT(NamesOf(option), ElementsAre("-q", "--quantile", "--q"));
  EXPECT_THAT(LongNames({option}), ElementsAre("quantile", "q"));
  EXPECT_TRUE(HasLongName(option, "quantile"));
  EXPECT_FALSE(HasLongName(option, "quant"));
}

TEST(OptionTest, APositionalArgumentHasNoNames) {
  const Option option{.names = "files", .value = "FILE"};
  EXPECT_TRUE(option.positional());
  EXPECT_THAT(NamesOf(option), IsEmpty());
}

TEST(OptionTest, TablesKeepTheirOrder) {
  EXPECT_THAT(LongNames(Together({{{.names = "--a"}, {.names = "--b"}}, {}, {{.names = "--c"}}})),
              ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace schedlens
