// What belongs where, and what never belongs into the tree.

#include "house/tree.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

namespace schedlens {
namespace {

namespace fs = std::filesystem;

// Sources without a test of their own, each for a reason.
const std::set<std::string>& Untested() {
  static const std::set<std::string> all = {
      "src/cli/main.cc",  // hands the process's streams to Main, which command_test covers
  };
  return all;
}

bool IsText(const std::string& path) {
  static const std::set<std::string> binary = {".gz", ".png", ".pem", ".der", ".bin"};
  return !binary.count(fs::path(path).extension().string()) &&
         !StartsWith(path, "test/fuzz/corpus/");
}

std::vector<std::string> TextFiles() {
  std::vector<std::string> files;
  for (const char* folder :
       {"src", "include", "queries", "test", "examples", "docs", "package", ".ci"}) {
    for (const std::string& path : FilesBelow(folder)) {
      if (IsText(path)) files.push_back(path);
    }
  }
  for (const char* file :
       {"CMakeLists.txt", "CMakePresets.json", "README.md", "CONTRIBUTING.md", "action.yml"}) {
    if (fs::exists(fs::path(SCHEDLENS_SOURCE_DIR) / file)) files.emplace_back(file);
  }
  return files;
}

/// Reports every line of the tree that holds the pattern.
void ExpectNowhere(const std::string& pattern, const std::string& why) {
  const std::regex bad(pattern);
  for (const std::string& path : TextFiles()) {
    std::istringstream in(ReadText(path));
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      // A long line is data, and backtracking would be deep.
      if (line.size() > 2000) continue;
      EXPECT_FALSE(std::regex_search(line, bad)) << path << ":" << number << ": " << why;
    }
  }
}

TEST(Tree, TheTopLevelIsFixed) {
  static const std::set<std::string> known = {"CMakeLists.txt",
                                              "CMakePresets.json",
                                              "CONTRIBUTING.md",
                                              "README.md",
                                              "SECURITY.md",
                                              "LICENSE",
                                              "action.yml",
                                              "package",
                                              "src",
                                              "queries",
                                              "include",
                                              "test",
                                              "examples",
                                              "docs",
                                              "build"};
  for (const auto& entry : fs::directory_iterator(SCHEDLENS_SOURCE_DIR)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name.front() == '.' || known.count(name)) << name;
  }
}

/// `src/report/text/layout.cc` is tested by `test/report/text/layout_test.cc`, or with its folder
/// by `test/report/text/text_test.cc`; `base/exposition_line.cc` also with its family by
/// `base/exposition_test.cc`.
bool HasTest(const std::string& source) {
  const auto exists = [](const std::string& unit) {
    return fs::exists(fs::path(SCHEDLENS_SOURCE_DIR) / (unit + "_test.cc"));
  };
  std::string unit = "test" + source.substr(3, source.size() - 3 - std::string(".cc").size());
  const fs::path folder = fs::path(unit).parent_path();
  if (exists((folder / folder.filename()).generic_string())) return true;
  while (!exists(unit)) {
    const std::size_t cut = unit.rfind('_');
    if (cut == std::string::npos || cut < unit.rfind('/')) return false;
    unit.resize(cut);
  }
  return true;
}

TEST(Tree, EverySourceHasATestOfItsName) {
  for (const std::string& path : FilesBelow("src")) {
    if (!EndsWith(path, ".cc") || Untested().count(path)) continue;
    EXPECT_TRUE(HasTest(path)) << path << " has no test of its name below test/";
  }
}

TEST(Tree, EveryFuzzTargetHasACorpusAndWords) {
  const std::string kEnd = "_fuzz.cc";
  for (const std::string& path : FilesBelow("test/fuzz")) {
    if (!EndsWith(path, kEnd)) continue;
    const std::string folder = "test/fuzz/";
    const std::string name = path.substr(folder.size(), path.size() - folder.size() - kEnd.size());
    EXPECT_NE(ReadText(folder + "dict/" + name + ".dict"), "") << path;
    EXPECT_FALSE(FilesBelow(folder + "corpus/" + name).empty()) << path;
  }
}

TEST(Tree, EveryHeaderHasItsGuard) {
  for (const char* folder : {"src", "include"}) {
    for (const std::string& path : FilesBelow(folder)) {
      if (!EndsWith(path, ".h")) continue;
      EXPECT_TRUE(StartsWith(ReadText(path), "#pragma once\n")) << path;
    }
  }
}

TEST(Tree, NothingIsUnfinished) {
  // The words are split so that this file passes.
  ExpectNowhere(
      "\\b(TO"
      "DO|FIX"
      "ME|X"
      "XX|HA"
      "CK)\\b",
      "unfinished");
  ExpectNowhere(
      "[Nn]ot (yet )?imple"
      "mented",
      "unfinished");
}

TEST(Tree, NoPathOfOneMachineIsNamed) {
  ExpectNowhere(
      "/wo"
      "rk/|/ro"
      "ot/|\\.\\./sha"
      "red",
      "a path that exists on one machine only");
}

TEST(Tree, FormattingMacrosOfOtherCompilersAreNotUsed) {
  for (const char* folder : {"src", "include"}) {
    for (const std::string& path : FilesBelow(folder)) {
      const std::string text = ReadText(path);
      for (const char* header : {"#include <for"
                                 "mat>",
                                 "#include <expe"
                                 "cted>",
                                 "#include <pri"
                                 "nt>"}) {
        EXPECT_EQ(text.find(header), std::string::npos) << path << ": " << header;
      }
    }
  }
}

}  // namespace
}  // namespace schedlens
