#include <gtest/gtest.h>

#include "model/exposition_line.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(FindKeyEnd, StopsBehindTheLabelSet) {
  const struct {
    const char* text;
    std::size_t end;
  } cases[] = {
      {"m 1 2", 1}, {"m{} 1", 3}, {"m {a=\"}\"} 1", 9}, {"m{a=\"\\\"}\"} 1", 10}, {"{\"x\"} 1", 5},
      {"m", 1},     {"m{", 2},    {"m{a=\"", 5},
  };
  for (const auto& c : cases) EXPECT_EQ(FindKeyEnd(c.text, 0), c.end) << c.text;
}

TEST(ParseKey, ReadsEverySpelling) {
  const struct {
    const char* text;
    const char* labels;
  } cases[] = {
      {"m", "m"},
      {"m{}", "m"},
      {"m {a=\"1\"}", "m{a=\"1\"}"},
      {"m{b=\"2\",a=\"1\",}", "m{a=\"1\",b=\"2\"}"},
      {"m{\ta = \"\" , b=\"x\"}", "m{b=\"x\"}"},
      {"{\"m\"}", "m"},
      {"{\"m.n\",\"a b\"=\"1\"}", "{\"m.n\",\"a b\"=\"1\"}"},
      {"{__name__=\"m\"}", "m"},
      {"a:b", "a:b"},
  };
  for (const auto& c : cases) {
    const TextLine line{c.text, 1, "f"};
    EXPECT_EQ(ParseKey(line, 0, line.text.size()).ToString(), c.labels) << c.text;
  }
}

TEST(ParseKey, RefusesMalformedLabelSets) {
  for (const char* text :
       {"", "{}", "m{", "m{a", "m{a=", "m{a=\"", "m{a=\"\\\"", "m{,}", "m{a=\"1\"\"b\"}", "m{\"\"}",
        "m{a:b=\"1\"}", "m{}x", "m{\"n\"}", "m{a=\"1\",a=\"\"}"}) {
    const TextLine line{text, 1, "f"};
    EXPECT_THROW(ParseKey(line, 0, line.text.size()), Error) << text;
  }
}

TEST(CheckLabelSet, NeedsNoMetricName) {
  const TextLine line{"{trace_id=\"1\"}", 1, "f"};
  EXPECT_NO_THROW(CheckLabelSet(line, 0, line.text.size()));
  EXPECT_THROW(ParseKey(line, 0, line.text.size()), Error);
}

}  // namespace
}  // namespace schedlens
