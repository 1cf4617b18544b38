#include "cli/options/investigate.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/parse.h"
#include "cli/run_main.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

Investigation Ask(const std::vector<std::string>& arguments, const Meanwhile& meanwhile = {}) {
  InvestigateOptions options;
  ParseWith(InvestigateOptionTable(&options), arguments);
  std::istringstream in;
  std::ostringstream out, err;
  return InvestigateAsAsked(options, QueriesOf(options), {in, out, err}, meanwhile);
}

TEST(InvestigateOptionsTest, AScenarioGoesThroughTheSamePipeline) {
  const Investigation investigation = Ask({"--scenario", "bind.extender"});
  EXPECT_EQ(investigation.diagnosis.verdict, Verdict::kIncident);
  ASSERT_FALSE(investigation.diagnosis.findings.empty());
  EXPECT_EQ(investigation.diagnosis.findings[0].id, "bind.extender");
}

TEST(InvestigateOptionsTest, AnAlertOnAMetricThatIsGoneNamesItsSuccessor) {
  const Ran ran =
      RunMain({"diagnose", "--no-cross-check", "-o", "json", "--capture",
               std::string(SCHEDLENS_TEST_DATA) + "/captures/healthy-A.om.gz", "--alert",
               "histogram_quantile(0.9, sum by (le) (rate("
               "scheduler_scheduling_attempt_duration_seconds_bucket[1m]))) > 1"});
  EXPECT_NE(
      ran.out.find("Reason: scheduler_scheduling_attempt_duration_seconds_bucket is not here: "
                   "in this release it is called "
                   "scheduler_e2e_scheduling_duration_seconds_bucket."),
      std::string::npos)
      << ran.out.substr(0, 3000);
}

TEST(InvestigateOptionsTest, WorkMeanwhileSeesTheCausesAndIsDoneOnReturn) {
  std::string cause;
  const Investigation found =
      Ask({"--scenario", "bind.extender"},
          [&](const Investigation& so_far) { cause = so_far.causes.at(0).id; });
  EXPECT_EQ(cause, "bind.extender");
  EXPECT_EQ(found.diagnosis.findings.at(0).id, cause);
  const auto fail = [](const Investigation&) { throw Error(ErrorKind::kFailed, "meanwhile"); };
  EXPECT_THROW(Ask({"--scenario", "healthy"}, fail), Error);
}

TEST(InvestigateOptionsTest, AnUnknownScenarioOrQueriesFolderIsSaid) {
  EXPECT_THROW(Ask({"--scenario", "no-such-scenario"}), Error);
  EXPECT_THROW(Ask({"--scenario", "healthy", "--queries", "/no/such/folder"}), Error);
}

}  // namespace
}  // namespace schedlens
