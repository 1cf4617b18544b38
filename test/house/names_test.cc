// One name, one type: two headers never define types of the same name, whatever their namespaces.

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

}  // namespace
}  // namespace schedlens
