#include "report/split.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/samples.h"

namespace schedlens {
namespace {

SplitDiagnosis Three() {
  return {.label = "cluster",
          .parts = {{"west", ExtenderIncident()},
                    {"<&|`\"\n\x1b[1m", HostileNames()},
                    {"east", HealthyCluster()}}};
}

TEST(SplitTest, TheTableFirstThenTheReportsOfWhatIsNotHealthy) {
  const std::string text = RenderText(Three(), {});
  const std::size_t west = text.find("\n  west ");
  const std::size_t east = text.find("\n  east ");
  EXPECT_LT(west, east);
  EXPECT_LT(east, text.find("=== cluster=\"west\""));
  EXPECT_NE(text.find(RenderText(ExtenderIncident(), {})), std::string::npos);
  EXPECT_EQ(text.find("=== cluster=\"east\""), std::string::npos);
  EXPECT_NE(text.find("1 without an incident"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(SplitTest, JsonHoldsEveryDiagnosisAsItIsAlone) {
  const auto document = nlohmann::json::parse(RenderJson(Three()));
  EXPECT_EQ(document.at("schema"), "schedlens.diagnoses/1");
  EXPECT_EQ(document.at("label"), "cluster");
  ASSERT_EQ(document.at("diagnoses").size(), 3u);
  ASSERT_EQ(document.at("summary").size(), 3u);
  EXPECT_EQ(document.at("diagnoses")[0], nlohmann::json::parse(RenderJson(ExtenderIncident())));
  EXPECT_EQ(document.at("diagnoses")[2], nlohmann::json::parse(RenderJson(HealthyCluster())));
  EXPECT_EQ(document.at("summary")[0].at("value"), "west");
  EXPECT_EQ(document.at("summary")[0].at("verdict"), "incident");
  EXPECT_EQ(document.at("summary")[2].at("finding"), nullptr);
}

TEST(SplitTest, MarkdownKeepsItsTableWhateverTheNames) {
  const std::string text = RenderMarkdown(Three(), {});
  std::istringstream lines(text);
  int rows = 0;
  for (std::string line; std::getline(lines, line) && rows < 3;) {
    if (!line.starts_with("| west") && !line.starts_with("| east") && rows != 1) continue;
    ++rows;
    int bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    }
    EXPECT_EQ(bars, 6) << line;
  }
  EXPECT_EQ(rows, 3);
  EXPECT_NE(text.find(RenderMarkdown(ExtenderIncident(), {})), std::string::npos);
}

TEST(SplitTest, Chinese) {
  RenderOptions options;
  options.lang = "zh";
  EXPECT_NE(RenderText(Three(), options).find("标签 cluster 的 3 个取值中有"), std::string::npos);
}

}  // namespace
}  // namespace schedlens
