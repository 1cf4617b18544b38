#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

TEST(ManCommand, PrintsThePage) {
  const Ran ran = RunMain({"man"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, ManPage(DeclareProgram()));
}

}  // namespace
}  // namespace schedlens
