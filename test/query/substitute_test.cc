#include <gtest/gtest.h>

#include "contract/source.h"

namespace schedlens {
namespace {

TEST(Substitute, PutsSelectorAndWindowIn) {
  EXPECT_EQ(Substitute("a{x=\"1\", $selector}[$window]", "job=\"s\"", "10m"),
            "a{x=\"1\", job=\"s\"}[10m]");
  EXPECT_EQ(
      Substitute("rate(a{$selector}[$window]) / rate(b{$selector}[$window])", "j=~\"a|b\"", "5m"),
      "rate(a{j=~\"a|b\"}[5m]) / rate(b{j=~\"a|b\"}[5m])");
}

TEST(Substitute, AnEmptySelectorLeavesNoLooseComma) {
  struct Row {
    const char* statement;
    const char* text;
  };
  const Row rows[] = {
      {"a{x=\"1\", $selector}", "a{x=\"1\"}"},
      {"a{x=\"1\",$selector}", "a{x=\"1\"}"},
      {"a{$selector}", "a{}"},
      {"a{$selector, x=\"1\"}", "a{ x=\"1\"}"},
      {"a{x=\"1\",\n  $selector\n}", "a{x=\"1\"\n}"},
      {"$selector", ""},
      {"a{$selector} + b{y=\"2\", $selector}", "a{} + b{y=\"2\"}"},
  };
  for (const Row& row : rows) EXPECT_EQ(Substitute(row.statement, "", "5m"), row.text);
}

TEST(Substitute, ASelectorThatHoldsAPlaceholdersTextIsPutInOnce) {
  EXPECT_EQ(Substitute("a{$selector}[$window]", "x=\"$selector\"", "5m"), "a{x=\"$selector\"}[5m]");
}

}  // namespace
}  // namespace schedlens
