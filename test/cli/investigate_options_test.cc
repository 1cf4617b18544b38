#include "cli/investigate_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "schedlens/error.h"

namespace schedlens {
namespace {

Investigation Ask(const std::vector<std::string>& arguments) {
  CLI::App app;
  InvestigateOptions options;
  AddInvestigateOptions(app, &options);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
  std::istringstream in;
  std::ostringstream out, err;
  return InvestigateAsAsked(options, QueriesOf(options), {in, out, err});
}

TEST(InvestigateOptionsTest, AScenarioGoesThroughTheSamePipeline) {
  const Investigation investigation = Ask({"--scenario", "bind.extender"});
  EXPECT_EQ(investigation.diagnosis.verdict, Verdict::kIncident);
  ASSERT_FALSE(investigation.diagnosis.findings.empty());
  EXPECT_EQ(investigation.diagnosis.findings[0].id, "bind.extender");
}

TEST(InvestigateOptionsTest, AnUnknownScenarioOrQueriesFolderIsSaid) {
  EXPECT_THROW(Ask({"--scenario", "no-such-scenario"}), Error);
  EXPECT_THROW(Ask({"--scenario", "healthy", "--queries", "/no/such/folder"}), Error);
}

}  // namespace
}  // namespace schedlens
