// One name, one thing: two headers never define types of the same name, whatever their namespaces,
// and a constant has a name of its own in its folder, whose sources are compiled together.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "house/tree.h"

namespace schedlens {
namespace {

/// Types that a header defines at namespace scope: what starts in the first column.
std::vector<std::string> TypesIn(const std::string& header) {
  static const std::regex definition(
      "^(struct|class|enum( class)?) (\\w+)(?!\\w*::)[^;]*(\\{.*)?$");
  std::vector<std::string> names;
  std::istringstream in(header);
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, match, definition)) names.push_back(match[3]);
  }
  return names;
}

TEST(Names, DefinitionsAreFoundAndDeclarationsAreNot) {
  EXPECT_EQ(TypesIn("struct A {\nclass B : public A {\nenum class C : int { kX };\n"
                    "enum D { kY };\n  struct Nested {\nclass Declared;\nclass A::Inner {\n"),
            (std::vector<std::string>{"A", "B", "C", "D"}));
}

TEST(Names, NoTwoHeadersDefineATypeOfOneName) {
  std::map<std::string, std::string> where;
  for (const char* folder : {"src", "include"}) {
    for (const std::string& path : FilesBelow(folder)) {
      if (!EndsWith(path, ".h")) continue;
      for (const std::string& name : TypesIn(ReadText(path))) {
        const auto [known, added] = where.emplace(name, path);
        EXPECT_TRUE(added) << name << " is defined in " << known->second << " and in " << path;
      }
    }
  }
}

/// Constants at namespace scope: what starts in the first column.
std::vector<std::string> ConstantsIn(const std::string& source) {
  static const std::regex definition(
      "^(inline )?constexpr [^=(]*?(k[A-Z]\\w*)(\\[\\w*\\])? *(=|\\{).*");
  std::vector<std::string> names;
  std::istringstream in(source);
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, match, definition)) names.push_back(match[2]);
  }
  return names;
}

TEST(Names, ConstantsAreFoundAndThoseOfFunctionsAreNot) {
  EXPECT_EQ(ConstantsIn("constexpr int kA = 1;\ninline constexpr std::size_t kB = kA << 2;\n"
                        "constexpr Row kRows[] = {\nconstexpr char kC[2] = {};\n"
                        "  constexpr int kInside = 2;\nconstexpr int Of(int kX) { return kX; }\n"),
            (std::vector<std::string>{"kA", "kB", "kRows", "kC"}));
}

// The compiler takes the nearest: a source's constant would hide a header's from the sources that
// are compiled behind it.
TEST(Names, NoConstantHidesAnotherFromTheSourcesBesideIt) {
  std::map<std::string, std::string> in_headers;  // "layer kName"
  std::map<std::string, std::string> in_sources;  // "folder kName"
  const auto layer_of = [](const std::string& path) {
    return path.substr(0, path.find('/', std::string("src/").size()));
  };
  const std::vector<std::string> files = FilesBelow("src");
  for (const std::string& path : files) {
    if (!EndsWith(path, ".h")) continue;
    for (const std::string& name : ConstantsIn(ReadText(path))) {
      in_headers.emplace(layer_of(path) + " " + name, path);
    }
  }
  for (const std::string& path : files) {
    if (!EndsWith(path, ".cc")) continue;
    const std::string folder = path.substr(0, path.rfind('/'));
    for (const std::string& name : ConstantsIn(ReadText(path))) {
      const auto hidden = in_headers.find(layer_of(path) + " " + name);
      if (hidden != in_headers.end()) {
        ADD_FAILURE() << name << " of " << path << " hides that of " << hidden->second;
      }
      const auto [known, added] = in_sources.emplace(folder + " " + name, path);
      EXPECT_TRUE(added) << name << " is in " << known->second << " and in " << path;
    }
  }
}

}  // namespace
}  // namespace schedlens
