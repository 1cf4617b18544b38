#include "report/links.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(LinksTest, AGraphOfTheAlertOverTheWindow) {
  SourceInfo source;
  source.name = "https://prometheus.example/base/";
  EXPECT_EQ(GraphUrl(source, "a > 3", {1'795'200'000'000, 1'795'200'300'000}),
            "https://prometheus.example/base/graph?g0.expr=a%20%3E%203&g0.tab=0&g0.range_input=5m"
            "&g0.end_input=2026-11-20%2018%3A45%3A00");
  EXPECT_EQ(TableUrl(source, "a", 1'795'200'300'000),
            "https://prometheus.example/base/graph?g0.expr=a&g0.tab=1&g0.moment_input=2026-11-20%20"
            "18%3A45%3A00&g0.end_input=2026-11-20%2018%3A45%3A00");
}

TEST(LinksTest, OnlyTheWebIsLinkedTo) {
  for (const char* name : {"metrics.om.gz", "javascript:alert(1)", "unix:/run/p.sock",
                           "http://a/<b>", "http://a b", "https://a|b", "http://a\"b"}) {
    SourceInfo source;
    source.name = name;
    EXPECT_EQ(GraphUrl(source, "up", {0, 60'000}), "") << name;
    EXPECT_FALSE(IsWebLink(name)) << name;
  }
  SourceInfo source;
  source.name = "http://a";
  EXPECT_EQ(GraphUrl(source, "", {0, 60'000}), "");
}

}  // namespace
}  // namespace schedlens
