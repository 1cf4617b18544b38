// One recording as real tools and servers save it: a dump of promtool, answers of the query API,
// an export of VictoriaMetrics. The diagnosis is that of the recording.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "cli/process.h"
#include "e2e/recorded.h"
#include "support/without_source.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using schedlens::Finished;
using schedlens::RunBinary;

/// The diagnosis of a file without the field that says where it came from.
json DiagnosisOf(const fs::path& file, const std::string& in = "") {
  const Finished ran =
      RunBinary({"diagnose", "--capture", in.empty() ? file.string() : "-", "-o", "json"}, in);
  EXPECT_EQ(ran.code, 0) << file << ": " << ran.err;
  return WithoutSource(json::parse(ran.out, nullptr, false));
}

std::string Save(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  return file.string();
}

class CaptureFormats : public testing::Test {
 protected:
  void SetUp() override {
    if (!Installed("prometheus") || !Installed("promtool")) GTEST_SKIP() << "no Prometheus here";
    capture_ = ReadCapture("extender-bind-slow-A");
    Save(work_.path() / "capture.om", WriteOpenMetrics(capture_));
    expected_ = DiagnosisOf(work_.path() / "capture.om");
    ASSERT_EQ(expected_.at("verdict"), "incident");
  }

  /// A file of these bytes is diagnosed as the recording is.
  void ExpectTheSame(const char* name, const std::string& bytes) {
    const fs::path file = work_.path() / name;
    Save(file, bytes);
    EXPECT_EQ(DiagnosisOf(file).dump(), expected_.dump()) << name;
  }

  TempDir work_;
  Exposition capture_;
  json expected_;
};

TEST_F(CaptureFormats, ADumpOfPromtool) {
  WriteBlocks(capture_, work_.path());
  fs::create_directories(work_.path() / "data" / "wal");  // promtool looks for it
  const fs::path dump = work_.path() / "dump.txt";
  Process promtool({"promtool", "tsdb", "dump", (work_.path() / "data").string()}, dump);
  ASSERT_EQ(promtool.Wait(), 0);
  EXPECT_EQ(DiagnosisOf(dump).dump(), expected_.dump());
  EXPECT_EQ(DiagnosisOf(dump, dump.string()).dump(), expected_.dump()) << "standard input";
  ExpectTheSame("dump.gz", Gzip(schedlens::ReadAll(dump.string())));
}

TEST_F(CaptureFormats, AnswersOfPrometheus) {
  const auto server = StartOver(capture_, work_.path());
  const TimeRange extent = ExtentOf(capture_);
  const auto ask = [&](const std::string& matchers) {
    long status = 0;
    const std::string answer = server->client().Post(
        server->url() + "/api/v1/query",
        server->client().Form(
            {{"query", fmt::format("{{{}}}[{}ms]", matchers, extent.end - extent.start + 1)},
             {"time", fmt::format("{:.3f}", static_cast<double>(extent.end) / 1000)}}),
        &status);
    EXPECT_EQ(status, 200) << answer;
    return answer;
  };
  ExpectTheSame("all.json", ask("__name__=~\".+\""));
  // In two parts, one after the other and as a list.
  const std::string buckets = ask("__name__=~\".+_bucket\"");
  const std::string others = ask("__name__!~\".+_bucket\",__name__!=\"\"");
  ExpectTheSame("two.json", buckets + "\n" + others);
  ExpectTheSame("list.json.gz", Gzip("[" + others + ", " + buckets + "]"));
}

TEST_F(CaptureFormats, AnExportOfVictoriaMetrics) {
  if (!Installed("victoria-metrics")) GTEST_SKIP() << "no VictoriaMetrics here";
  const auto server = StartVictoriaMetrics(work_.path());
  Import(capture_.series, *server);
  long status = 0;
  const std::string text = server->client().Post(
      server->url() + "/api/v1/export",
      server->client().Form({{"match[]", "{__name__!=\"\"}"}, {"start", "0"}}), &status);
  ASSERT_EQ(status, 200) << text;
  const fs::path file = work_.path() / "export.jsonl";
  Save(file, text);
  // It keeps sums to some digits only.
  const json seen = DiagnosisOf(file);
  EXPECT_EQ(seen.at("verdict"), expected_.at("verdict"));
  const auto findings = [](const json& diagnosis) {
    std::string ids;
    for (const json& finding : diagnosis.at("findings")) {
      ids += fmt::format("{} {}, ", finding.at("id").dump(), finding.at("confidence").dump());
    }
    return ids;
  };
  EXPECT_EQ(findings(seen), findings(expected_));
}

}  // namespace
}  // namespace schedlens::test
