// --max-input over every reader of files and of standard input: one line that names the input, the
// limit and the way out, before memory is spent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "cli/process.h"

namespace schedlens {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

using Words = std::vector<std::string>;

const char* const kHealthyCapture =
    SCHEDLENS_SOURCE_DIR "/examples/incidents/healthy/metrics.om.gz";
constexpr std::size_t kSize = std::size_t{16} << 20;

void ExpectRefused(const Finished& finished, const std::string& name, const std::string& limit) {
  EXPECT_EQ(finished.signal, 0);
  EXPECT_EQ(finished.code, 1) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("reading " + name + ": larger than the limit of " + limit));
  EXPECT_THAT(finished.err, EndsWith("or raise --max-input\n"));
}

/// Runs the binary with 64 MiB of memory.
Finished RunInLittleMemory(const Words& arguments, const std::string& in = "") {
  Words command = {"sh", "-c", "ulimit -d 65536 && exec \"$@\"", "sh", SCHEDLENS_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command, in, {"SCHEDLENS_CONFIG=/dev/null"});
}

/// A gzip file of this many mebibytes, all of them copies of `line`.
std::string Packed(const std::string& line, std::size_t mebibytes) {
  std::string text;
  while (text.size() < std::size_t{1} << 20) text += line;
  const std::string one = Gzip(text);
  std::string all;
  for (std::size_t i = 0; i < mebibytes; ++i) all += one;
  return all;
}

TEST(MaxInput, EveryFileOfACommandIsHeldToIt) {
  const TempDir dir;
  const std::string text(kSize, '\n');
  const std::string big = dir.Write("big", text);
  const std::string packed = dir.Write("big.gz", Gzip(text));
  const std::string wrong = dir.Write("bind.promql", text);
  const std::vector<std::pair<std::string, Words>> rows = {
      {big, {"diagnose", "--capture", big}},
      {packed, {"diagnose", "--capture", packed}},
      {big, {"query", "up", "--scrape-before", big, "--scrape-after", kHealthyCapture}},
      {big, {"query", "up", "--scrape-before", kHealthyCapture, "--scrape-after", big}},
      {big, {"diagnose", "--capture", kHealthyCapture, "--against", big}},
      {big, {"diagnose", "--capture", kHealthyCapture, "--webhook", big}},
      {big, {"diagnose", "--capture", kHealthyCapture, "--scheduler-config", big}},
      {big, {"diagnose", "--scenario", big}},
      {big, {"doctor", "--prometheus", "http://127.0.0.1:1", "--http.config.file", big}},
      {big, {"doctor", "--service", "a/b:1", "--kubeconfig", big}},
      {big, {"lint", big}},
      {big, {"report", big}},
      {big, {"simulate", big}},
      {big, {"simulate", "healthy", "--nodes", big}},
      {big, {"simulate", "healthy", "--pods", big}},
      {big, {"simulate", "healthy", "--fit", big}},
  };
  for (const auto& [name, words] : rows) {
    Words command = words;
    command.insert(command.end(), {"--max-input", "15Mi"});
    SCOPED_TRACE(testing::PrintToString(command));
    ExpectRefused(RunBinary(command), name, "15 MiB (unpacked): ");
  }
  ExpectRefused(
      RunBinary({"explain", "bind", "--max-input", "15Mi"}, "", {"SCHEDLENS_CONFIG=" + big}), big,
      "15 MiB (unpacked): ");
}

TEST(MaxInput, AQuestionsFileIsHeldToItToo) {
  const TempDir dir;
  std::string name;
  for (const auto& entry : std::filesystem::directory_iterator(SCHEDLENS_SOURCE_DIR "/queries")) {
    if (entry.path().extension() == ".promql") name = entry.path().filename();
  }
  const std::string big = dir.Write(name, std::string(kSize, '\n'));
  ExpectRefused(RunBinary({"diagnose", "--capture", kHealthyCapture, "--queries", dir.path(),
                           "--max-input", "15Mi"}),
                big, "15 MiB (unpacked): ");
}

TEST(MaxInput, StandardInputIsHeldToIt) {
  const TempDir dir;
  const std::string big = dir.Write("big", std::string(kSize, '\n'));
  const std::vector<Words> rows = {{"lint", "-"},
                                   {"report", "-"},
                                   {"diagnose", "--capture", "-"},
                                   {"diagnose", "--capture", kHealthyCapture, "--webhook", "-"},
                                   {"diagnose", "--capture", kHealthyCapture, "--against", "-"}};
  for (const Words& words : rows) {
    Words command = words;
    command.insert(command.end(), {"--max-input", "15Mi"});
    SCOPED_TRACE(testing::PrintToString(command));
    ExpectRefused(RunBinary(command, big), "standard input", "15 MiB (unpacked): ");
  }
}

TEST(MaxInput, ASmallFileThatUnpacksToMuchCostsNoMemory) {
  const TempDir dir;
  for (const std::string line : {"\n", "   \n", "# a comment\n"}) {
    const std::string bomb = dir.Write("bomb.gz", Packed(line, 100));
    ASSERT_LT(std::filesystem::file_size(bomb), std::size_t{1} << 20);
    ExpectRefused(RunInLittleMemory({"diagnose", "--capture", bomb, "--max-input", "80Mi"}), bomb,
                  "80 MiB (unpacked): ");
    ExpectRefused(RunInLittleMemory({"query", "up", "--capture", "-", "--max-input", "80Mi"}, bomb),
                  "standard input", "80 MiB (unpacked): ");
  }
}

/// Ten lists, each of ten aliases of the one before, in every place where a reader looks.
std::string BillionLaughs() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = " *a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 1; k < 10; ++k) text += "," + alias;
    text += "]\n";
  }
  for (const char* key : {"groups", "items", "profiles", "workload", "clusters", "tls_config"}) {
    text += std::string(key) + ": *a9\n";
  }
  return text;
}

TEST(MaxInput, AliasesThatMultiplyCostNoMemory) {
  const TempDir dir;
  const std::string file = dir.Write("laughs.yaml", BillionLaughs());
  const std::vector<Words> rows = {
      {"lint", file},
      {"simulate", file},
      {"simulate", "healthy", "--fit", file},
      {"whatif", "--capture", kHealthyCapture, "--set", "config=" + file},
      {"diagnose", "--capture", kHealthyCapture, "--scheduler-config", file},
      {"doctor", "--prometheus", "http://127.0.0.1:1", "--http.config.file", file},
      {"doctor", "--service", "a/b:1", "--kubeconfig", file},
  };
  for (const Words& words : rows) {
    SCOPED_TRACE(testing::PrintToString(words));
    const bool reads = std::find(words.begin(), words.end(), kHealthyCapture) != words.end();
    const Finished run = reads ? RunBinary(words) : RunInLittleMemory(words);
    EXPECT_TRUE(run.code == 1 || run.code == 2) << run.code;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_THAT(run.err, HasSubstr("laughs.yaml"));
    EXPECT_THAT(run.err, HasSubstr("its aliases stand for more than"));
  }
  const Finished config = RunBinary({"explain", "bind"}, "", {"SCHEDLENS_CONFIG=" + file});
  EXPECT_EQ(config.code, 2);
  EXPECT_THAT(config.err, HasSubstr("its aliases stand for more than"));
}

TEST(MaxInput, MayStandInAConfigurationFileAndIsASize) {
  const TempDir dir;
  const std::string config = dir.Write("config", "max-input: 1Ki\n");
  ExpectRefused(
      RunBinary({"diagnose", "--capture", kHealthyCapture}, "", {"SCHEDLENS_CONFIG=" + config}),
      kHealthyCapture, "1024 bytes (unpacked): ");
  EXPECT_EQ(RunBinary({"diagnose", "--capture", kHealthyCapture, "--max-input", "8Gi"}, "",
                      {"SCHEDLENS_CONFIG=" + config})
                .code,
            0);
  const Finished refused =
      RunBinary({"diagnose", "--capture", kHealthyCapture, "--max-input", "much"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--max-input much: expected a size"));
}

}  // namespace
}  // namespace schedlens
