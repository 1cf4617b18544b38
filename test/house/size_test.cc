// Files of one class or idea, small functions. Longer functions are named here with a reason.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "house/functions.h"
#include "house/tree.h"

namespace schedlens {
namespace {

constexpr std::size_t kLongestFile = 600;
constexpr std::size_t kLongestFunction = 60;

constexpr const char* kTable = "a table";

/// Functions over the limit, as FILE:NAME, each with its reason.
const std::map<std::string, std::string>& LongFunctions() {
  static const std::map<std::string, std::string> all = {};
  return all;
}

bool IsSized(const std::string& path) { return EndsWith(path, ".cc") || EndsWith(path, ".h"); }

std::size_t LinesOf(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// `Class::Name` of `Type Class::Name(arguments) const`.
std::string NameOf(const std::string& head) {
  const std::size_t end = head.find('(');
  const std::size_t start = head.rfind(' ', end);
  std::string name = head.substr(start == std::string::npos ? 0 : start + 1,
                                 end - (start == std::string::npos ? 0 : start + 1));
  name.erase(0, name.find_first_not_of("*&"));
  return name;
}

TEST(Size, FilesAreShort) {
  for (const std::string& path : FilesBelow("src")) {
    if (!IsSized(path)) continue;
    EXPECT_LE(LinesOf(ReadText(path)), kLongestFile) << path << ": split it by idea";
  }
}

TEST(Size, FunctionsAreShortOrNamed) {
  std::map<std::string, std::string> unused = LongFunctions();
  for (const std::string& path : FilesBelow("src")) {
    if (!IsSized(path)) continue;
    for (const SourceFunction& function : FunctionsOf(ReadText(path))) {
      if (function.lines <= kLongestFunction) continue;
      const std::string name = path + ":" + NameOf(function.head);
      EXPECT_EQ(LongFunctions().count(name), 1u)
          << path << ":" << function.line << ": " << name << " has " << function.lines << " lines";
      unused.erase(name);
    }
  }
  for (const auto& [name, reason] : unused) ADD_FAILURE() << name << " is not long: " << reason;
}

TEST(Size, FunctionsAreFoundByTheirBraces) {
  const auto functions = FunctionsOf(R"x(
#define OPEN {
namespace a {
const char* kText = "{";  // {
struct S {
  int Get() const { return x_; }
  int x_ = 0;
};
const T kAll[] = {
    {"a", 1},
};
S::S(int x) : x_(x) {
  if (x == '{') {
    x_ = R"(})"[0];
  }
}
}  // namespace a
)x");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(NameOf(functions[0].head), "Get");
  EXPECT_EQ(functions[0].lines, 1u);
  EXPECT_EQ(NameOf(functions[1].head), "S::S");
  EXPECT_EQ(functions[1].line, 12u);
  EXPECT_EQ(functions[1].lines, 5u);
}

}  // namespace
}  // namespace schedlens
