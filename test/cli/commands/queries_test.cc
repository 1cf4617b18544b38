#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(QueriesCommand, ListsTheQuestions) {
  const Ran ran = RunMain({"queries", "list"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\ne2e\n"));
  EXPECT_THAT(ran.out, HasSubstr("scheduler_e2e_scheduling_duration_seconds"));
}

TEST(QueriesCommand, ExportsRulesAndADashboard) {
  const Ran rules = RunMain({"queries", "export", "--release", "1.20", "--threshold", "2.048"});
  EXPECT_EQ(rules.code, 0) << rules.err;
  EXPECT_THAT(rules.out, HasSubstr("scheduler_e2e_scheduling_duration_seconds_bucket"));
  EXPECT_THAT(rules.out, HasSubstr("le=\"2.048\""));
  EXPECT_THAT(RunMain({"queries", "export", "--format", "dashboard"}).out, StartsWith("{\n"));
}

TEST(QueriesCommand, SaysWhatIsWrong) {
  EXPECT_EQ(RunMain({"queries"}).code, 2);
  const Ran release = RunMain({"queries", "export", "--release", "twenty"});
  EXPECT_EQ(release.code, 2);
  EXPECT_THAT(release.err, HasSubstr("--release takes a kube-scheduler release"));
  const Ran threshold = RunMain({"queries", "export", "--threshold", "3"});
  EXPECT_EQ(threshold.code, 2);
  EXPECT_THAT(threshold.err, HasSubstr("the nearest is 2.048"));
}

}  // namespace
}  // namespace schedlens
