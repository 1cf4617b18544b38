// The language files against each other and against the sources: no text is missing, unused or
// asks for an argument that the code does not give.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "messages/catalog.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

/// The names of the arguments that a text uses.
std::set<std::string> ArgumentsOf(const std::string& text) {
  static const std::regex brace("\\\\\\{"), argument("\\{([a-z0-9_]+)([:?][^}]*)?\\}");
  const std::string plain = std::regex_replace(text, brace, "");
  std::set<std::string> names;
  for (auto it = std::sregex_iterator(plain.begin(), plain.end(), argument);
       it != std::sregex_iterator(); ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

TEST(TextsTest, ArgumentsAreNamedOnce) {
  EXPECT_EQ(ArgumentsOf("{b:.1f} {a} {b?x|y} {C} \\{d}"), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(ArgumentsOf("{a}{b}"), (std::set<std::string>{"a", "b"}));
  EXPECT_TRUE(ArgumentsOf("no arguments").empty());
}

/// The string literals of every source, and the words of the glossary's rows, by file.
const std::map<std::string, std::set<std::string>>& Literals() {
  static const std::map<std::string, std::set<std::string>> all = [] {
    std::map<std::string, std::set<std::string>> files;
    const std::regex literal("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
    for (const auto& entry : fs::recursive_directory_iterator(SCHEDLENS_SOURCE_DIR "/src")) {
      const std::string extension = entry.path().extension();
      if (extension != ".cc" && extension != ".h") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const std::string source = text.str();
      auto& literals = files[entry.path()];
      for (auto it = std::sregex_iterator(source.begin(), source.end(), literal);
           it != std::sregex_iterator(); ++it) {
        literals.insert((*it)[1]);
      }
    }
    const fs::path glossary = SCHEDLENS_SOURCE_DIR "/src/diagnose/explain/glossary.txt";
    std::ifstream rows(glossary);
    for (std::string word; rows >> word;) files[glossary].insert(word);
    return files;
  }();
  return all;
}

/// True where an id is put together in the code: a literal and an ending that is one too, or the
/// parts of a table of ids.
bool IsNamedBy(const std::set<std::string>& literals, const std::string& id) {
  if (literals.count(id)) return true;
  for (std::size_t dot = id.find('.'); dot != std::string::npos; dot = id.find('.', dot + 1)) {
    if (!literals.count(id.substr(0, dot))) continue;
    const std::string ending = id.substr(dot);
    if (literals.count(ending)) return true;
  }
  return false;
}

bool IsOfATable(const std::string& id) {
  return (id.starts_with("finding.") && id.find(".next") == id.npos) ||
         id.starts_with("doctor.cost.") || id.starts_with("doctor.scrape.") ||
         id.starts_with("missing.cost.") || id.starts_with("stage.") || id.starts_with("term.") ||
         id.starts_with("holder.") || id.starts_with("lint.check.") ||
         id.starts_with("lint.why.") || id.starts_with("metric.");
}

std::vector<std::string> FilesNaming(const std::string& id) {
  std::vector<std::string> files;
  for (const auto& [path, literals] : Literals()) {
    if (IsNamedBy(literals, id)) files.push_back(path);
  }
  return files;
}

TEST(TextsTest, EveryLanguageHasTheSameTextsWithTheSameArguments) {
  const Catalog& english = Catalog::Of("en");
  EXPECT_GT(english.texts().size(), 250U);
  for (const std::string& language : Catalog::Languages()) {
    const Catalog& other = Catalog::Of(language);
    for (const auto& [id, text] : other.texts()) EXPECT_TRUE(english.Has(id)) << language << id;
    for (const auto& [id, text] : english.texts()) {
      ASSERT_TRUE(other.Has(id)) << language << " lacks " << id;
      const auto known = ArgumentsOf(text);
      for (const std::string& name : ArgumentsOf(other.texts().at(id))) {
        EXPECT_EQ(known.count(name), 1U) << language << ": " << id << " asks for " << name;
      }
    }
  }
}

TEST(TextsTest, EveryTextIsUsedAndItsArgumentsAreGiven) {
  for (const auto& [id, text] : Catalog::Of("en").texts()) {
    if (IsOfATable(id)) continue;
    const auto files = FilesNaming(id);
    EXPECT_FALSE(files.empty()) << "no source names " << id;
    const auto arguments = ArgumentsOf(text);
    const bool given = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
      // A function beside it may give them: `miss.Tell("whatif.refused.e2e")`.
      const std::string folder = file.substr(0, file.rfind('/') + 1);
      return std::all_of(arguments.begin(), arguments.end(), [&](const std::string& name) {
        return name.size() == 1 ||  // {0}: by place
               std::any_of(Literals().begin(), Literals().end(), [&](const auto& one) {
                 return one.first.starts_with(folder) && one.second.count(name) > 0;
               });
      });
    });
    EXPECT_TRUE(given) << "no source gives all arguments of " << id;
  }
}

/// What looks like an id in the sources, where its first part is one of the texts'.
TEST(TextsTest, EveryIdOfTheSourcesHasAText) {
  const std::regex call(
      "(?:\\bt\\(|Message\\(|emplace_back\\(|\\.id = |SetAside\\(|say\\(SumUse::\\w+, |"
      "Proven\\(|Excluded\\()"
      "\\s*(?:[\\w.>()\\-]+ \\? )?\"([a-z0-9_.\\-]+)\"(?:\\s*:\\s*\"([a-z0-9_.\\-]+)\")?");
  std::size_t seen = 0;
  for (const auto& [path, literals] : Literals()) {
    if (path.find("/sim/") != std::string::npos || path.find("/promql/") != std::string::npos) {
      continue;
    }
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const std::string source = text.str();
    for (auto it = std::sregex_iterator(source.begin(), source.end(), call);
         it != std::sregex_iterator(); ++it) {
      for (int group : {1, 2}) {
        const std::string id = (*it)[group];
        if (id.find('.') == std::string::npos || id.back() == '.') continue;
        ++seen;
        EXPECT_TRUE(Catalog::Of("en").Has(id)) << path << " names " << id;
      }
    }
  }
  EXPECT_GT(seen, 120U);
}

std::vector<Value> Extremes() {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string hostile =
      "{0} {name:.9f} %s \x1b[2J \xFF\xE2\x82 <b>|`" + std::string(1000, 'x');
  return {arg::Count(0),
          arg::Count(1),
          arg::Duration(1e308),
          arg::Share(-1e-308),
          arg::Number(std::numeric_limits<double>::quiet_NaN()),
          arg::Number(infinity),
          arg::Number(-infinity),
          arg::Time(std::numeric_limits<std::int32_t>::max()),
          arg::Metric(""),
          arg::Promql(hostile),
          Value(hostile),
          Value(Verbatim(hostile)),
          Value(std::vector<Message>{}),
          Value(std::vector<Message>(50, Verbatim("多")))};
}

TEST(TextsTest, WhatIsNotTranslatedIsTheEnglishText) {
  const auto is_chinese = [](unsigned char c) { return c >= 0xE4 && c <= 0xE9; };
  for (const auto& [id, text] : Catalog::Of("zh").texts()) {
    if (!id.starts_with("metric.") || std::any_of(text.begin(), text.end(), is_chinese)) continue;
    EXPECT_EQ(text, Catalog::Of("en").texts().at(id)) << id;
  }
}

TEST(TextsTest, EveryMessageIsWrittenWithAnyArguments) {
  for (const std::string& language : Catalog::Languages()) {
    const Catalog& catalog = Catalog::Of(language);
    for (const auto& [id, text] : catalog.texts()) {
      for (const Value& value : Extremes()) {
        Message message(id);
        for (const std::string& name : ArgumentsOf(text)) message.args.push_back({name, value});
        EXPECT_NO_THROW(catalog.Write(message)) << language << ": " << id;
      }
    }
  }
}

TEST(TextsTest, FindingsCountTheirNextSteps) {
  const Catalog& english = Catalog::Of("en");
  const std::regex step("(finding\\..*\\.step\\.)([0-9]+)");
  std::smatch match;
  for (const auto& [id, text] : english.texts()) {
    if (!std::regex_match(id, match, step) || match[2] == "1") continue;
    const std::string before = match[1].str() + std::to_string(std::stoi(match[2]) - 1);
    EXPECT_TRUE(english.Has(before)) << id << " without " << before;
  }
}

}  // namespace
}  // namespace schedlens
