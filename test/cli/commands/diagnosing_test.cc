#include <gtest/gtest.h>

#include <sstream>

#include "cli/commands/diagnose.h"
#include "cli/parse.h"

namespace schedlens {
namespace {

TEST(Diagnosing, IsTheWholeDiagnosis) {
  InvestigateOptions options;
  ParseWith(Together({InvestigateOptionTable(&options), BeyondOptionTable(&options)}),
            {"--capture", std::string(SCHEDLENS_SOURCE_DIR) +
                              "/examples/incidents/extender-bind-slow/metrics.om.gz"});
  std::istringstream in;
  std::ostringstream out;
  const Diagnosis diagnosis = DiagnoseAsAsked(options, QueriesOf(options), {in, out, out});
  EXPECT_EQ(diagnosis.verdict, Verdict::kIncident);
  EXPECT_FALSE(diagnosis.tool_version.empty());
  EXPECT_TRUE(diagnosis.cross_check.has_value());
  EXPECT_EQ(out.str(), "") << "who calls it writes the report";

  options.no_cross_check = true;
  EXPECT_FALSE(
      DiagnoseAsAsked(options, QueriesOf(options), {in, out, out}).cross_check.has_value());
}

}  // namespace
}  // namespace schedlens
