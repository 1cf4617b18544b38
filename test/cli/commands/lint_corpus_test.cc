// Rule files, ConfigMaps and dashboards in the shapes that are found in the wild, with faults and
// without, against what `lint` says of each in test/data/lint/found. After a wanted change:
//   UPDATE_GOLDEN=1 build/release/test/cli_test --gtest_filter='LintCorpus*'

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::vector<std::string> Corpus() {
  std::vector<std::string> files;
  for (const char* folder : {"rules", "configmaps", "dashboards"}) {
    for (const auto& entry :
         fs::directory_iterator(std::string(SCHEDLENS_TEST_DATA) + "/lint/" + folder)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Ran LintText(const std::string& text, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"lint", "-", "--release", "1.34", "--fail-on", "never"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunMain(arguments, text);
}

TEST(LintCorpus, FindsWhatItFound) {
  for (const std::string& file : Corpus()) {
    const Ran ran = LintText(ReadAll(file));
    EXPECT_EQ(ran.code, 0) << file << ": " << ran.err;
    const std::string path = std::string(SCHEDLENS_TEST_DATA) + "/lint/found/" +
                             fs::path(file).filename().string() + ".txt";
    if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << ran.out;
    EXPECT_EQ(ReadAll(path), ran.out) << file << "; see the head of this test";
  }
}

TEST(LintCorpus, MendingTwiceChangesNothing) {
  const TempDir dir;
  for (const std::string& file : Corpus()) {
    for (const char* thresholds : {"--fail-on=never", "--move-thresholds"}) {
      const std::string fixed = dir / "mended";
      LintText(ReadAll(file), {"--mended", fixed, thresholds});
      EXPECT_EQ(LintText(ReadAll(fixed), {"--diff", thresholds}).out, "") << file;
    }
  }
}

TEST(LintCorpus, PromtoolAcceptsWhatIsFixed) {
  if (RunProgram({"promtool", "--version"}).code != 0) GTEST_SKIP() << "promtool is not installed";
  const TempDir dir;
  for (const char* name :
       {"recorded", "left-behind", "home-made", "from-pages", "another-scheduler"}) {
    const std::string file = std::string(SCHEDLENS_TEST_DATA) + "/lint/rules/" + name + ".yaml";
    LintText(ReadAll(file), {"--mended", dir / "mended.yaml", "--move-thresholds"});
    const Finished checked = RunProgram({"promtool", "check", "rules", dir / "mended.yaml"});
    EXPECT_EQ(checked.code, 0) << file << checked.out << checked.err;
  }
  // And refuses what is refused here.
  const std::string refused = std::string(SCHEDLENS_TEST_DATA) + "/lint/rules/refused.yaml";
  EXPECT_NE(RunProgram({"promtool", "check", "rules", refused}).code, 0);
  EXPECT_EQ(RunMain({"lint", refused}).code, 3);
}

TEST(LintCorpus, TheReferenceNamesEveryCheck) {
  const std::string reference = ReadAll(std::string(SCHEDLENS_SOURCE_DIR) + "/docs/reference.md");
  const std::string index = RunMain({"explain"}).out;
  const std::size_t first = index.find("\nlint:\n") + 7;
  std::istringstream lines(index.substr(first, index.find("\nwords:\n") - first));
  for (std::string id; std::getline(lines, id);) {
    EXPECT_THAT(reference, HasSubstr("`" + id.substr(2, id.find(' ', 2) - 2) + "`"));
  }
}

}  // namespace
}  // namespace schedlens
