// The words of kube-scheduler are written once, in src/kube: no other source spells a stage, an
// extension point, a result or a metric as a literal of its own. Sentences that mention one are
// free to.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <span>

#include "house/tree.h"
#include "kube/metrics.h"
#include "kube/stage.h"

namespace schedlens {
namespace {

/// Files that may, with the reason. A path that ends in '/' stands for a folder.
const std::map<std::string, std::string>& Allowed() {
  static const std::map<std::string, std::string> all = {
      {"src/kube/", "the words themselves"},
      {"src/diagnose/causes/remarks.cc", "names of message arguments"},
      {"src/diagnose/explain/glossary.cc", "ids of findings; some read like their stage"},
      {"src/report/messages/", "texts to translate"},
      {"src/report/plots.cc", "keys of legends, translated in report/messages"},
      {"src/report/json/json.h", "names of JSON fields"},
      {"src/scheduler/cluster/object_reader.cc", "fields of a Node object"},
      {"src/scheduler/engine/simulation.cc", "columns of the truth file"},
      {"src/scheduler/engine/truth.cc", "slices of the trace file"},
      {"src/scheduler/framework/configuration_reader.cc", "keys of a scheduler configuration"},
      {"src/scheduler/scenario/", "keys of a scenario file"},
  };
  return all;
}

bool IsAllowed(const std::string& path) {
  for (const auto& [place, reason] : Allowed()) {
    if (path == place || (place.back() == '/' && StartsWith(path, place))) return true;
  }
  return false;
}

template <typename Enum>
void AddSpellings(std::set<std::string>* words) {
  for (const Enum value : kube::All<Enum>()) words->emplace(ToString(value));
}

void AddMetrics(std::span<const kube::MetricRow> table, std::set<std::string>* words) {
  for (const kube::MetricRow& row : table) {
    words->emplace(row.name);
    if (row.kind != kube::MetricKind::kHistogram) continue;
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      words->insert(std::string(row.name) + suffix);
    }
  }
}

std::set<std::string> Words() {
  std::set<std::string> words;
  AddSpellings<kube::Stage>(&words);
  AddSpellings<kube::ExtensionPoint>(&words);
  AddSpellings<kube::AttemptResult>(&words);
  AddSpellings<kube::StatusCode>(&words);
  AddSpellings<kube::CallType>(&words);
  words.erase("algorithm");  // a question of queries/ too
  words.erase("error");      // a level and a JSON field too
  words.erase("bind");       // an argument of messages too
  AddMetrics(kube::MetricTable(), &words);
  AddMetrics(kube::ControlPlaneTable(), &words);
  return words;
}

/// The string literals of a source, each piece by itself; comments are left out.
std::vector<std::string> LiteralsOf(const std::string& text) {
  static const std::regex token(R"re(//[^\n]*|'(?:[^'\\\n]|\\.)'|"((?:[^"\\\n]|\\.)*)")re");
  std::vector<std::string> literals;
  for (std::sregex_iterator it(text.begin(), text.end(), token), end; it != end; ++it) {
    if ((*it)[1].matched) literals.push_back((*it)[1]);
  }
  return literals;
}

/// The name of a literal that is nothing but a PromQL selector; any other literal as it is.
std::string NameIn(const std::string& literal) {
  static const std::regex selector(R"(([a-z_]+)(\{[^}]*\})?(\[\w*\])?)");
  std::smatch match;
  return std::regex_match(literal, match, selector) ? match[1].str() : literal;
}

TEST(Vocabulary, IsSpelledInOneLayer) {
  const std::set<std::string> words = Words();
  for (const std::string& path : FilesBelow("src")) {
    if (IsAllowed(path) || (!EndsWith(path, ".cc") && !EndsWith(path, ".h"))) continue;
    for (const std::string& literal : LiteralsOf(ReadText(path))) {
      EXPECT_FALSE(words.contains(NameIn(literal)))
          << path << " spells \"" << literal << "\": take it from src/kube";
    }
  }
}

TEST(Vocabulary, EveryExceptionIsStillThere) {
  for (const auto& [place, reason] : Allowed()) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(SCHEDLENS_SOURCE_DIR) / place))
        << place;
  }
}

}  // namespace
}  // namespace schedlens
