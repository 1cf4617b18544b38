#include "contract/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "cli/command.h"
#include "cli/run_main.h"
#include "report/commands.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string SavedJson() {
  Diagnosis d;
  d.verdict = Verdict::kNoIncident;
  d.headline = Message("headline.healthy", {{"attempts", arg::Count(12)}});
  d.window = {1'763'719'200'000, 1'763'719'500'000};
  return RenderJson(d);
}

TEST(ReportCommand, RendersASavedDiagnosisFromStandardInput) {
  const Ran text = RunMain({"report", "-", "-o", "text"}, SavedJson());
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out,
              StartsWith("No incident: 12 attempts, none of them slower than expected.\n"));
  EXPECT_EQ(RunMain({"report", "-", "-o", "json"}, SavedJson()).out, SavedJson());
  EXPECT_THAT(RunMain({"report", "-", "-o", "html"}, SavedJson()).out,
              StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(RunMain({"report", "-", "-o", "markdown"}, SavedJson()).out,
              StartsWith("# No incident"));
  EXPECT_THAT(RunMain({"report", "-", "-o", "slack"}, SavedJson()).out, HasSubstr("*No incident"));
  EXPECT_THAT(RunMain({"report", "-", "-o", "grafana-annotation"}, SavedJson()).out,
              HasSubstr("\"timeEnd\": 1763719500000"));
  EXPECT_THAT(RunMain({"report", "-", "--lang", "zh"}, SavedJson()).out, StartsWith("没有故障"));
}

TEST(ReportCommand, ReadsAPackedDiagnosis) {
  const TempDir dir;
  const std::string file = dir.Write("d.json.gz", Gzip(SavedJson()));
  const Ran ran = RunMain({"report", file, "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, SavedJson());
}

TEST(ReportCommand, PrintsTheSchema) {
  EXPECT_EQ(RunMain({"report", "--schema"}).out, DiagnosisSchema());
  EXPECT_EQ(RunMain({"report", "--schema", "diagnosis"}).out, DiagnosisSchema());
  EXPECT_EQ(RunMain({"report", "--schema", "brief"}).out, BriefSchema());
  EXPECT_EQ(RunMain({"report", "--schema", "diagnoses"}).out, DiagnosesSchema());
  EXPECT_EQ(RunMain({"report", "--schema", "against"}).out, AgainstSchema());
  EXPECT_EQ(RunMain({"report", "--schema", "other"}).code, 2);
}

TEST(ReportCommand, SaysWhatIsWrong) {
  const Ran none = RunMain({"report"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("needs a saved diagnosis"));
  const Ran missing = RunMain({"report", "/nowhere/x.json"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("/nowhere/x.json"));
  const Ran junk = RunMain({"report", "-"}, "{\"schema\": 1}");
  EXPECT_EQ(junk.code, 1);
  EXPECT_THAT(junk.err, HasSubstr("field schema must be text"));
  EXPECT_EQ(junk.out, "");
  EXPECT_EQ(RunMain({"report", "-", "-o", "pdf"}, SavedJson()).code, 2);
  EXPECT_EQ(RunMain({"report", "-", "--width", "3"}, SavedJson()).code, 2);
}

}  // namespace
}  // namespace schedlens
