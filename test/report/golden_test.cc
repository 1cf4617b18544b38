// Every format of every sample, as files to look at. After a wanted change:
//   UPDATE_GOLDEN=1 build/release/test/report_test --gtest_filter='GoldenTest.*'

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "contract/report.h"
#include "report/samples.h"

namespace schedlens {
namespace {

void ExpectGolden(const std::string& name, const std::string& actual) {
  const std::string path = std::string(SCHEDLENS_SOURCE_DIR) + "/test/golden/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing";
  std::stringstream expected;
  expected << in.rdbuf();
  // Not EXPECT_EQ: a page of hundreds of lines is no help in a log; the file and git diff are.
  EXPECT_TRUE(expected.str() == actual) << name << " differs; see the head of this test";
}

TEST(GoldenTest, Text) {
  for (const auto& [name, d] : AllSamples()) {
    ExpectGolden(name + ".txt", RenderText(d, {.full = true, .queries = true}));
    ExpectGolden(name + ".60.ascii.txt", RenderText(d, {.ascii = true, .width = 60, .full = true}));
    ExpectGolden(name + ".zh.txt", RenderText(d, {.width = 80, .full = true, .lang = "zh"}));
    ExpectGolden(name + ".brief.txt", RenderText(d, {.width = 80}));
    ExpectGolden(name + ".brief.zh.txt", RenderText(d, {.width = 80, .lang = "zh"}));
  }
  ExpectGolden("extender.color.txt", RenderText(ExtenderIncident(), {.color = true, .full = true}));
}

TEST(GoldenTest, Json) {
  for (const auto& [name, d] : AllSamples()) ExpectGolden(name + ".json", RenderJson(d));
}

TEST(GoldenTest, Brief) {
  for (const auto& [name, d] : AllSamples()) ExpectGolden(name + ".brief.json", RenderBrief(d));
}

TEST(GoldenTest, Markdown) {
  for (const auto& [name, d] : AllSamples()) {
    ExpectGolden(name + ".md", RenderMarkdown(d, {}));
    ExpectGolden(name + ".zh.md", RenderMarkdown(d, {.lang = "zh"}));
  }
}

TEST(GoldenTest, Html) {
  for (const auto& [name, d] : AllSamples()) {
    ExpectGolden(name + ".html", RenderHtml(d, {}));
    ExpectGolden(name + ".zh.html", RenderHtml(d, {.lang = "zh"}));
  }
}

TEST(GoldenTest, ManyClusters) {
  ExpectGolden("clusters.json", RenderJson(ThreeClusters()));
  ExpectGolden("clusters.html", RenderHtml(ThreeClusters(), {}));
  ExpectGolden("clusters.zh.html", RenderHtml(ThreeClusters(), {.lang = "zh"}));
}

TEST(GoldenTest, Slack) {
  for (const auto& [name, d] : AllSamples()) ExpectGolden(name + ".slack.txt", RenderSlack(d));
}

TEST(GoldenTest, GrafanaAnnotation) {
  for (const auto& [name, d] : AllSamples()) {
    ExpectGolden(name + ".annotation.json", RenderGrafanaAnnotation(d));
  }
}

}  // namespace
}  // namespace schedlens
