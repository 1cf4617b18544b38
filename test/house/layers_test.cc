// Includes go one way. This table is the rule; CONTRIBUTING.md explains it.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "house/tree.h"

namespace schedlens {
namespace {

struct Layer {
  std::string folder;
  std::set<std::string> may_include;  ///< other layers; every layer may include include/schedlens
};

// A layer never includes what stands below it in this table.
const std::vector<Layer>& Layers() {
  static const std::vector<Layer> all = {
      {"model", {}},
      {"stats", {"model"}},
      {"promql", {"model", "stats"}},
      {"query", {"model", "promql"}},
      {"source", {"model", "promql", "query"}},
      {"analysis", {"model", "stats", "promql", "query"}},
      {"sim", {"model"}},
      {"reference", {"model", "stats", "analysis", "sim", "source", "query"}},
      {"report", {"model"}},
      {"cli",
       {"model", "stats", "promql", "query", "source", "analysis", "sim", "reference", "report"}},
  };
  return all;
}

/// Which sources may include a library: never a header, always few files.
const std::map<std::string, std::vector<std::string>>& Libraries() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"zlib.h", {"src/model/"}},
      {"re2/", {"src/promql/"}},
      {"curl/", {"src/source/"}},
      {"nlohmann/", {"src/source/", "src/analysis/", "src/sim/", "src/report/", "src/cli/"}},
      {"yaml-cpp/", {"src/source/", "src/analysis/", "src/sim/", "src/cli/config_file.cc"}},
      {"CLI/", {"src/cli/"}},
  };
  return all;
}

bool IsSource(const std::string& path) { return EndsWith(path, ".cc") || EndsWith(path, ".h"); }

std::vector<std::string> Includes(const std::string& path, char open) {
  const std::regex line(open == '"' ? "^#include \"([^\"]+)\".*" : "^#include <([^>]+)>.*");
  std::vector<std::string> found;
  std::istringstream in(ReadText(path));
  std::smatch match;
  for (std::string text; std::getline(in, text);) {
    if (std::regex_match(text, match, line)) found.push_back(match[1]);
  }
  return found;
}

TEST(Layers, EveryFolderOfSrcIsInTheTable) {
  std::set<std::string> folders;
  for (const Layer& layer : Layers()) folders.insert(layer.folder);
  const std::filesystem::path src = std::filesystem::path(SCHEDLENS_SOURCE_DIR) / "src";
  for (const auto& entry : std::filesystem::directory_iterator(src)) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(folders.count(entry.path().filename().string())) << entry.path();
  }
}

TEST(Layers, IncludesGoOneWay) {
  for (const Layer& layer : Layers()) {
    const std::string folder = "src/" + layer.folder;
    if (!std::filesystem::exists(std::filesystem::path(SCHEDLENS_SOURCE_DIR) / folder)) continue;
    for (const std::string& path : FilesBelow(folder)) {
      if (!IsSource(path)) continue;
      for (const std::string& included : Includes(path, '"')) {
        const std::string from = included.substr(0, included.find('/'));
        EXPECT_TRUE(from == "schedlens" || from == layer.folder || layer.may_include.count(from))
            << path << " includes " << included;
      }
    }
  }
}

TEST(Layers, PublicHeadersIncludeOnlyThemselvesAndTheStandardLibrary) {
  for (const std::string& path : FilesBelow("include")) {
    for (const std::string& included : Includes(path, '"')) {
      EXPECT_TRUE(StartsWith(included, "schedlens/")) << path << " includes " << included;
    }
    for (const std::string& included : Includes(path, '<')) {
      EXPECT_EQ(included.find_first_of("./"), std::string::npos)
          << path << " includes " << included;
    }
  }
}

TEST(Layers, LibrariesStayInTheFewSourcesOfTheTable) {
  for (const std::string& path : FilesBelow("src")) {
    if (!IsSource(path)) continue;
    for (const std::string& included : Includes(path, '<')) {
      for (const auto& [library, places] : Libraries()) {
        if (!StartsWith(included, library)) continue;
        EXPECT_TRUE(EndsWith(path, ".cc")) << path << ": no header includes " << included;
        EXPECT_TRUE(std::any_of(places.begin(), places.end(),
                                [&](const std::string& place) { return StartsWith(path, place); }))
            << path << " includes " << included;
      }
    }
  }
}

TEST(Layers, OtherLibrariesAreNone) {
  // Standard and POSIX headers, and the libraries of the table.
  static const std::regex known(
      "[a-z_0-9]+|(sys|netinet|arpa)/[a-z_]+\\.h|[a-z_]+\\.h|fmt/[a-z]+\\.h");
  for (const std::string& path : FilesBelow("src")) {
    if (!IsSource(path)) continue;
    for (const std::string& included : Includes(path, '<')) {
      const bool listed = std::any_of(Libraries().begin(), Libraries().end(), [&](const auto& row) {
        return StartsWith(included, row.first);
      });
      EXPECT_TRUE(listed || std::regex_match(included, known)) << path << " includes " << included;
    }
  }
}

}  // namespace
}  // namespace schedlens
