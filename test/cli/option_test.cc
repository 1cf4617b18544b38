#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/parse.h"

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OptionTest, NamesAreSplitAtCommas) {
  const Option option = OptionOf("-q,--quantile,--q", "");
  EXPECT_THAT(NamesOf(option), ElementsAre("-q", "--quantile", "--q"));
  EXPECT_THAT(LongNames({option}), ElementsAre("quantile", "q"));
  EXPECT_TRUE(option.Has("--quantile"));
  EXPECT_FALSE(option.Has("--quant"));
}

TEST(OptionTest, APositionalArgumentHasNoNames) {
  const Option option = OptionOf("files", "FILE");
  EXPECT_TRUE(option.positional());
  EXPECT_THAT(NamesOf(option), IsEmpty());
}

TEST(OptionTest, TablesKeepTheirOrder) {
  EXPECT_THAT(
      LongNames(Together({{OptionOf("--a", ""), OptionOf("--b", "")}, {}, {OptionOf("--c", "")}})),
      ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace schedlens
