#include "verify/placements.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/byte_source.h"
#include "schedlens/error.h"

namespace schedlens::sim {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Sets() {
  std::vector<std::string> out;
  for (const auto& version : fs::directory_iterator(SCHEDLENS_TEST_DATA "/placements")) {
    for (const auto& set : fs::directory_iterator(version.path())) out.push_back(set.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Verify, EveryRecordedDecisionOfRealSchedulersIsOurs) {
  const auto sets = Sets();
  ASSERT_EQ(sets.size(), 43U);
  std::int64_t compared = 0;
  for (const std::string& set : sets) {
    const VerifyReport report = VerifyPlacements(set, "");
    EXPECT_TRUE(report.mismatches.empty()) << VerifyText(report);
    EXPECT_EQ(report.kubernetes_version,
              set.find("1.20.15") != std::string::npos ? "1.20" : "1.26");
    EXPECT_EQ(report.skipped, 0);
    compared += report.compared();
  }
  EXPECT_GT(compared, 500000);
}

// A copy of one small set whose decisions are `edit`ed.
std::string Changed(const std::string& from, const std::string& to) {
  const fs::path source = SCHEDLENS_TEST_DATA "/placements/1.26.4/taints";
  const fs::path copy = fs::path(testing::TempDir()) / "placements-changed";
  fs::remove_all(copy);
  fs::create_directories(copy);
  fs::copy_file(source / "cluster.json", copy / "cluster.json");
  fs::copy_file(source / "config.yaml", copy / "config.yaml");
  const auto bytes = OpenByteSource((source / "decisions.jsonl.gz").string(), "decisions");
  std::string text;
  char buffer[65536];
  while (const std::size_t n = bytes->Read(buffer, sizeof buffer)) text.append(buffer, n);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::ofstream(copy / "decisions.jsonl") << text;
  return copy.string();
}

TEST(Verify, AChangedRecordingIsFoundOut) {
  const std::pair<const char*, const char*> changes[] = {
      {"\"total\":", "\"total\":1"},
      {"node(s) had untolerated taint", "node(s) had some taint"},
      {"\"feasibleNodes\":", "\"feasibleNodes\":1"},
  };
  for (const auto& [from, to] : changes) {
    const VerifyReport report = VerifyPlacements(Changed(from, to), "");
    EXPECT_FALSE(report.mismatches.empty()) << from;
    const auto json = nlohmann::json::parse(VerifyJson(report));
    EXPECT_EQ(json["mismatches"], report.mismatches.size());
    EXPECT_EQ(json["compared"], report.compared());
    EXPECT_NE(VerifyText(report).find("mismatch: line "), std::string::npos);
  }
}

TEST(Verify, AnotherReleaseDecidesOtherwise) {
  const VerifyReport report =
      VerifyPlacements(SCHEDLENS_TEST_DATA "/placements/1.26.4/taints", "1.34");
  EXPECT_FALSE(report.mismatches.empty());
}

TEST(Verify, BadInputIsOneClearLine) {
  EXPECT_THROW(VerifyPlacements("no/such/folder", ""), Error);
  EXPECT_THROW(VerifyPlacements(SCHEDLENS_TEST_DATA, ""), Error);
  try {
    VerifyPlacements(Changed("{\"arrivedMs\"", "{arrivedMs"), "");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("decisions, line 1"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace schedlens::sim
