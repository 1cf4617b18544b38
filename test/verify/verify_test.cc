// The developer tool on recordings of real schedulers, as its users run it.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/process.h"
#include "verify/run_here.h"

namespace schedlens::verify {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kRecordings = SCHEDLENS_TEST_DATA "/placements";

Finished RunTool(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SCHEDLENS_VERIFY_BINARY);
  return RunProgram(arguments);
}

// A copy of one small set, with one text of its decisions replaced.
std::string Falsified(const std::string& set, const std::string& from, const std::string& to) {
  const fs::path source = fs::path(kRecordings) / set;
  const fs::path copy = fs::path(testing::TempDir()) / "placements-falsified";
  fs::remove_all(copy);
  fs::create_directories(copy);
  for (const char* name : {"cluster.json", "cluster.json.gz"}) {
    if (fs::exists(source / name)) fs::copy_file(source / name, copy / name);
  }
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

TEST(VerifyPlacements, EveryRecordedDecisionOfRealSchedulersIsOurs) {
  const struct {
    const char* folder;
    const char* release;
    std::size_t sets;
    std::int64_t compared;
  } rows[] = {{"/1.20.15", "1.20", 22, 250000}, {"/1.26.4", "1.26", 21, 250000},
              {"/1.30.14", "1.30", 6, 15000},   {"/1.34.4", "1.34", 5, 15000},
              {"/1.36.3", "1.36", 6, 20000},    {"/1.37.2", "1.37", 5, 10000}};
  for (const auto& row : rows) {
    const Finished run = RunTool({"placements", kRecordings + row.folder, "-o", "json"});
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    const Json json = Json::parse(run.out);
    EXPECT_EQ(json["mismatches"], 0);
    EXPECT_EQ(json["skipped"], 0);
    EXPECT_GT(json["compared"].get<std::int64_t>(), row.compared);
    ASSERT_EQ(json["sets"].size(), row.sets);
    std::int64_t compared = 0;
    for (const Json& set : json["sets"]) {
      EXPECT_EQ(set["kubernetes_version"], row.release);
      compared += set["compared"].get<std::int64_t>();
    }
    EXPECT_EQ(json["compared"], compared);
  }
}

TEST(VerifyPlacements, OneSetIsNamedWithItsRelease) {
  const Finished run = RunTool({"placements", kRecordings + "/1.20.15/taints"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("1.20.15/taints: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" attempts of kube-scheduler 1.20 replayed\n"), std::string::npos);
  EXPECT_NE(run.out.find(" compared, 0 mismatches\n"), std::string::npos);
}

TEST(VerifyPlacements, AFalsifiedRecordIsAMismatchAndExitCode3) {
  const struct {
    const char* set;
    const char* version;
    const char* from;
    const char* to;
  } changes[] = {
      {"1.26.4/taints", "1.26", "\"total\":", "\"total\":1"},
      {"1.26.4/taints", "1.26", "node(s) had untolerated taint", "node(s) had some taint"},
      {"1.26.4/taints", "1.26", "\"feasibleNodes\":", "\"feasibleNodes\":1"},
      // A score, a hint, refusals and reasons of the newer releases.
      {"1.36.3/images", "1.36", "\"raw\":[", "\"raw\":[1"},
      {"1.36.3/batching", "1.36", "\"nodeHintShortcut\":true", "\"nodeHintShortcut\":false"},
      {"1.34.4/volumes-late", "1.34", "\"storageClassName\":\"", "\"storageClassName\":\"no-"},
      {"1.30.14/volumes-bound", "1.30", "persistentvolume \\\"", "persistentvolume \\\"x"},
      {"1.36.3/volumes-limits", "1.36", "exceed max volume count", "exceed some count"},
      {"1.30.14/sidecars", "1.30", "\"nonzero\":[", "\"nonzero\":[1"},
      {"1.34.4/nominated", "1.34", "\"eligible\":true", "\"eligible\":false"},
      {"1.37.2/preemption", "1.37", "preempting 1 victims", "preempting 2 victims"},
  };
  for (const auto& [from_set, version, from, to] : changes) {
    const std::string set = Falsified(from_set, from, to);
    const Finished text = RunTool({"placements", set, "--kubernetes-version", version});
    EXPECT_EQ(text.code, 3) << from;
    EXPECT_NE(text.out.find("mismatch: line "), std::string::npos) << text.out;
    const Finished run =
        RunTool({"placements", set, "--kubernetes-version", version, "-o", "json"});
    EXPECT_EQ(run.code, 3);
    const Json json = Json::parse(run.out);
    EXPECT_GT(json["mismatches"].get<std::int64_t>(), 0);
    EXPECT_EQ(json["mismatches"], json["list"].size());
    EXPECT_EQ(json["list"][0]["set"], set);
  }
}

TEST(VerifyPlacements, ASetWhosePodsClaimDevicesIsNotModelled) {
  const std::string set = Falsified("1.26.4/taints", "\"containers\":[",
                                    "\"resourceClaims\":[{\"name\":\"gpu\"}],\"containers\":[");
  const Ran run = RunHere({"placements", set, "--kubernetes-version", "1.26"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find(set + ": resourceClaims not modelled\n0 compared, 0 mismatches\n"),
            std::string::npos)
      << run.out;
}

TEST(VerifyPlacements, AnotherReleaseDecidesDifferently) {
  const Ran run =
      RunHere({"placements", kRecordings + "/1.26.4/taints", "--kubernetes-version", "1.34"});
  EXPECT_EQ(run.code, 3);
}

// A folder with the taints of two releases below folders that are, and are not, named after them.
std::string MixedFolder(const std::string& name, const std::vector<std::string>& folders) {
  const fs::path mixed = fs::path(testing::TempDir()) / name;
  fs::remove_all(mixed);
  const char* releases[] = {"1.26.4", "1.20.15"};
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const fs::path to = mixed / folders[i];
    fs::create_directories(to);
    fs::copy(fs::path(kRecordings) / releases[i] / "taints", to / "taints");
  }
  return mixed.string();
}

TEST(VerifyPlacements, FoldersTellTheReleasesOfAMixedTree) {
  const std::string mixed = MixedFolder("placements-mixed", {"v1.26/1.99/again", "1.20.15"});
  const Ran run = RunHere({"placements", mixed});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find(" attempts of kube-scheduler 1.20, 1.26 replayed\n"), std::string::npos)
      << run.out;
  // One that is given counts more.
  EXPECT_EQ(RunHere({"placements", mixed + "/v1.26", "--kubernetes-version", "1.34"}).code, 3);
}

TEST(VerifyPlacements, AV1ConfigurationInANamelessFolderNeedsTheVersion) {
  const std::string nameless = MixedFolder("placements-nameless", {"release-1.26", "other"});
  const Ran run = RunHere({"placements", nameless});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("config.yaml: apiVersion v1 does not tell the release, nor does the name "
                         "of a folder (1.26.4/...); give --kubernetes-version 1.N\n"),
            std::string::npos)
      << run.err;
  EXPECT_EQ(RunHere({"placements", nameless + "/other"}).code, 0);
}

TEST(VerifyPlacements, BadInputIsOneClearLine) {
  const std::string broken = Falsified("1.26.4/taints", "{\"arrivedMs\"", "{arrivedMs");
  const struct {
    std::vector<std::string> arguments;
    int code;
    std::string error;
  } rows[] = {
      {{}, 2, "a command is missing"},
      {{"nothing"}, 2, "unknown command `nothing`"},
      {{"placements"}, 2, "DIR is missing"},
      {{"placements", "a", "b"}, 2, "unexpected argument `b`"},
      {{"placements", "a", "--all"}, 2, "unexpected argument `--all`"},
      {{"placements", "a", "-o"}, 2, "-o needs a value"},
      {{"placements", "a", "-o", "xml"}, 2, "-o must be text or json, not `xml`"},
      {{"placements", "no/such/folder"}, 1, "no/such/folder: no such folder"},
      {{"placements", SCHEDLENS_TEST_DATA "/captures"}, 1, "no set found"},
      {{"placements", broken, "--kubernetes-version", "1.26"}, 1, "decisions, line 1"},
      {{"placements", broken, "--kubernetes-version", "1.7"}, 2, "`1.7`"},
  };
  for (const auto& row : rows) {
    const Ran run = RunHere(row.arguments);
    EXPECT_EQ(run.code, row.code) << row.error;
    EXPECT_NE(run.err.find(row.error), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST(VerifyTool, HelpNamesEveryCommand) {
  const Finished run = RunTool({"--help"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.out.find("\n  placements  "), std::string::npos) << run.out;
}

}  // namespace
}  // namespace schedlens::verify
