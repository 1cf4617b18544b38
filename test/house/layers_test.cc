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
  /// Other layers and sub-folders; every layer may include include/schedlens. A name without a
  /// sub-folder stands for the whole layer.
  std::set<std::string> may_include;
};

// A layer never includes what stands below it in this table.
const std::vector<Layer>& Layers() {
  static const std::vector<Layer> all = {
      {"base", {}},
      {"contract", {"base"}},
      {"kube", {"base"}},
      {"messages", {"base"}},
      {"stats", {"base", "contract", "kube", "messages"}},
      {"promql", {"base", "stats"}},
      {"query", {"base", "promql"}},
      {"source", {"base", "kube", "promql", "query"}},
      {"diagnose", {"base", "contract", "kube", "stats", "promql", "query"}},
      {"lint", {"base", "contract", "kube", "promql", "query", "diagnose"}},
      {"scheduler", {"base", "kube"}},
      {"replay", {"base", "contract", "kube", "stats", "diagnose", "scheduler", "source", "query"}},
      {"report", {"base", "contract", "kube", "messages"}},
      {"cli",
       {"base", "contract", "kube", "messages", "stats", "promql", "query", "source", "diagnose",
        "lint", "scheduler", "replay", "report"}},
  };
  return all;
}

// Inside a layer: a sub-folder includes itself, the layer's own files and what is named here. Here
// too nothing includes what stands below it.
const std::vector<Layer>& SubFolders() {
  static const std::vector<Layer> all = {
      {"source/http", {}},
      {"source/native", {}},
      {"source/capture", {"source/http", "source/native"}},
      {"source/clusters", {"source/http", "source/capture"}},
      {"diagnose/collect", {}},
      {"diagnose/breakdown", {"diagnose/collect"}},
      {"diagnose/episodes", {"diagnose/collect", "diagnose/breakdown"}},
      {"diagnose/tail", {"diagnose/collect", "diagnose/breakdown"}},
      {"diagnose/explain", {"diagnose/collect", "diagnose/breakdown"}},
      {"diagnose/causes",
       {"diagnose/explain", "diagnose/collect", "diagnose/breakdown", "diagnose/tail"}},
      {"diagnose/control_plane",
       {"diagnose/explain", "diagnose/collect", "diagnose/breakdown", "diagnose/tail",
        "diagnose/causes"}},
      {"diagnose/pods",
       {"diagnose/explain", "diagnose/collect", "diagnose/breakdown", "diagnose/tail",
        "diagnose/causes", "diagnose/control_plane"}},
      {"diagnose/alert", {"diagnose/collect", "diagnose/breakdown", "diagnose/explain"}},
      {"diagnose/doctor", {"diagnose/collect", "diagnose/breakdown", "diagnose/control_plane"}},
      {"diagnose/pipeline",
       {"diagnose/explain", "diagnose/collect", "diagnose/breakdown", "diagnose/episodes",
        "diagnose/tail", "diagnose/causes", "diagnose/control_plane", "diagnose/pods",
        "diagnose/alert"}},
      {"scheduler/base", {}},
      {"scheduler/cluster", {"scheduler/base"}},
      {"scheduler/framework", {"scheduler/base", "scheduler/cluster"}},
      {"scheduler/plugins", {"scheduler/base", "scheduler/cluster", "scheduler/framework"}},
      {"scheduler/cost",
       {"scheduler/base", "scheduler/cluster", "scheduler/framework", "scheduler/plugins"}},
      {"scheduler/scenario",
       {"scheduler/base", "scheduler/cluster", "scheduler/framework", "scheduler/cost"}},
      {"scheduler/metrics", {"scheduler/base"}},
      {"scheduler/queue", {"scheduler/base", "scheduler/cluster"}},
      {"scheduler/engine",
       {"scheduler/base", "scheduler/cluster", "scheduler/framework", "scheduler/cost",
        "scheduler/scenario", "scheduler/metrics", "scheduler/queue"}},
      {"report/messages", {}},
      {"report/json", {"report/messages"}},
      {"report/text", {"report/messages"}},
      {"report/markdown", {"report/messages"}},
      {"report/html", {"report/messages"}},
      {"report/slack", {"report/messages"}},
      {"cli/web", {}},
      {"cli/options", {}},
      {"cli/commands", {"cli/options", "cli/web"}},
  };
  return all;
}

/// Which sources may include a library: never a header, always few files.
const std::map<std::string, std::vector<std::string>>& Libraries() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"zlib.h", {"src/base/"}},
      {"isa-l/", {"src/base/file.cc"}},
      {"re2/",
       {"src/promql/", "src/stats/classic_quantile.cc", "src/lint/names.cc", "src/diagnose/alert/",
        "src/base/exposition.cc", "src/base/text.cc", "src/base/url.cc", "src/base/yaml_load.cc",
        "src/kube/metrics.cc", "src/query/query_set.cc", "src/scheduler/base/",
        "src/scheduler/scenario/scenario_reader.cc", "src/source/", "src/report/html/parts.cc",
        "src/cli/command_line.cc", "src/cli/commands/serve_queue.cc", "src/cli/web/server.cc"}},
      {"curl/", {"src/source/"}},
      {"nlohmann/",
       {"src/cli/commands/mcp", "src/base/json.", "src/source/", "src/diagnose/", "src/scheduler/",
        "src/report/json/", "src/cli/commands/serve_queue.cc"}},
      {"yaml-cpp/",
       {"src/base/yaml_", "src/source/", "src/diagnose/", "src/scheduler/",
        "src/cli/command_line.cc"}},
      {"CLI/", {"src/cli/command_line.cc"}},
      {"httplib.h", {"src/cli/web/", "src/cli/commands/mcp.cc"}},
      {"openssl/", {"src/cli/web/"}},
      {"crypt.h", {"src/cli/web/"}},
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

/// The folder of an included file below its layer, "diagnose/tail"; empty for the layer's own
/// files.
std::string SubFolderOf(const std::string& included) {
  const std::size_t first = included.find('/');
  const std::size_t second = included.find('/', first + 1);
  return second == std::string::npos ? "" : included.substr(0, second);
}

TEST(Layers, IncludesGoOneWay) {
  for (const Layer& layer : Layers()) {
    const std::string folder = "src/" + layer.folder;
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

TEST(Layers, SubFoldersIncludeOneWay) {
  for (const Layer& sub : SubFolders()) {
    const std::string layer = sub.folder.substr(0, sub.folder.find('/'));
    for (const std::string& path : FilesBelow("src/" + sub.folder)) {
      if (!IsSource(path)) continue;
      for (const std::string& included : Includes(path, '"')) {
        const std::string from = SubFolderOf(included);
        if (!StartsWith(included, layer + "/") || from.empty()) continue;
        EXPECT_TRUE(from == sub.folder || sub.may_include.count(from))
            << path << " includes " << included;
      }
    }
  }
}

TEST(Layers, EverySubFolderOfALayerWithSubFoldersIsInTheTable) {
  std::set<std::string> known, layers;
  for (const Layer& sub : SubFolders()) {
    known.insert(sub.folder);
    layers.insert(sub.folder.substr(0, sub.folder.find('/')));
  }
  for (const std::string& layer : layers) {
    for (const std::string& path : FilesBelow("src/" + layer)) {
      const std::string from = SubFolderOf(path.substr(4));
      EXPECT_TRUE(!IsSource(path) || from.empty() || known.count(from)) << path;
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
        const bool forward = included == "nlohmann/json_fwd.hpp";  // declares, defines nothing
        const bool inner = path == "src/report/json/json.h" ||     // of their folders alone
                           path == "src/scheduler/cluster/object_fields.h";
        EXPECT_TRUE(EndsWith(path, ".cc") || forward || inner)
            << path << ": no header includes " << included;
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
