// Prometheus itself reads what we write, and sees in a capture what we see.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <bit>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "base/exposition.h"
#include "base/file.h"
#include "base/text.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

/// Runs a shell command; its standard output, or nothing if it failed.
std::optional<std::string> Output(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string out;
  char block[65536];
  while (const std::size_t n = std::fread(block, 1, sizeof block, pipe)) out.append(block, n);
  const int status = pclose(pipe);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(out) : std::nullopt;
}

using Samples = std::map<std::string, std::uint64_t>;  // "labels @time" -> bits of the value

/// What `promtool tsdb dump` prints: `{__name__="m", a="b"} value milliseconds`.
Samples FromDump(const std::string& dump) {
  Samples samples;
  for (std::size_t start = 0; start < dump.size();) {
    const std::size_t end = dump.find('\n', start);
    const std::string line = dump.substr(start, end - start);
    start = end + 1;
    const std::size_t time = line.rfind(' ');
    const std::size_t value = line.rfind(' ', time - 1);
    const auto number = ParseNumber(line.substr(value + 1, time - value - 1));
    EXPECT_TRUE(number.has_value()) << line;
    samples[line.substr(0, value) + " @" + line.substr(time + 1)] =
        std::bit_cast<std::uint64_t>(number.value_or(0));
  }
  return samples;
}

Samples FromSeries(const std::vector<Series>& series) {
  Samples samples;
  for (const Series& s : series) {
    std::string labels;
    for (const auto& [name, value] : s.labels) {
      labels.append(labels.empty() ? "{" : ", ").append(name);
      labels.append("=\"").append(value).append("\"");
    }
    for (const Sample& sample : s.samples) {
      samples[labels + "} @" + std::to_string(sample.t)] = std::bit_cast<std::uint64_t>(sample.v);
    }
  }
  return samples;
}

TEST(Promtool, ImportsWhatWeWriteAndHoldsTheSameBits) {
  ASSERT_TRUE(Output("promtool --version 2>/dev/null")) << "install Debian's package prometheus";
  const fs::path folder = fs::path(testing::TempDir()) / "promtool_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "db" / "wal");  // promtool dump looks for it
  for (const std::string name : {"apiserver-bind-slow-1.26-A", "extender-bind-slow-A"}) {
    const Exposition read = ReadExposition(
        std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz", std::nullopt);
    EXPECT_TRUE(read.warnings.empty());
    WriteFileAtomically(folder / "written.om", WriteOpenMetrics(read));
    const std::string db = (folder / "db").string();
    ASSERT_TRUE(Output("promtool tsdb create-blocks-from openmetrics " +
                       (folder / "written.om").string() + " " + db));
    const auto dump = Output("promtool tsdb dump " + db);
    ASSERT_TRUE(dump);
    const Samples theirs = FromDump(*dump);
    EXPECT_GT(theirs.size(), 40000u);
    EXPECT_TRUE(theirs == FromSeries(read.series)) << name;
    fs::remove_all(folder / "db");
    fs::create_directories(folder / "db" / "wal");
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace schedlens
