#include <gtest/gtest.h>

#include "cli/interrupt.h"
#include "cli/process.h"

namespace schedlens {
namespace {

/// Runs the binary with some of its standard descriptors closed, as `>&-` in a shell does.
Finished RunWithout(const std::string& closed, const std::string& arguments) {
  return RunProgram({"/bin/sh", "-c",
                     "SCHEDLENS_CONFIG=/dev/null; export SCHEDLENS_CONFIG; exec " +
                         std::string(SCHEDLENS_BINARY) + " " + arguments + " " + closed});
}

TEST(ClosedDescriptors, NoFileGetsWhatWasMeantForThem) {
  const std::string capture = std::string(SCHEDLENS_TEST_DATA) + "/captures/healthy-A.om.gz";
  std::string whole;
  for (const char* closed : {"", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    const TempDir dir;
    const Finished ran =
        RunWithout(closed, "capture --capture " + capture + " --out " + (dir / "a.om"));
    EXPECT_EQ(ran.code, 0) << closed << ran.err;
    std::string text = ReadAll(dir / "a.om");
    const std::size_t header = text.find("# HELP schedlens_comments");  // tells when and from where
    text.erase(header, text.find('\n', header) - header);
    if (whole.empty()) whole = text;
    EXPECT_TRUE(text == whole) << closed;
  }
}

TEST(ClosedDescriptors, AReportThatNobodyGetsIsAFailure) {
  EXPECT_EQ(RunWithout(">&-", "explain").code, 1);
  EXPECT_EQ(RunWithout("<&-", "report -").code, 1);
}

}  // namespace
}  // namespace schedlens
