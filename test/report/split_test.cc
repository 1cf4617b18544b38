#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "contract/report.h"
#include "report/samples.h"

namespace schedlens {
namespace {

TEST(SplitTest, TheTableFirstThenTheReportsOfWhatIsNotHealthy) {
  const std::string text = RenderText(ThreeClusters(), {});
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
  const auto document = nlohmann::json::parse(RenderJson(ThreeClusters()));
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
  const std::string text = RenderMarkdown(ThreeClusters(), {});
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

std::vector<std::string> Matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return {std::sregex_token_iterator(text.begin(), text.end(), regex, 1),
          std::sregex_token_iterator()};
}

// The table, each row linked to the fold that holds its findings; a healthy one has none.
TEST(SplitTest, HtmlIsATableOfAllAndTheFindingsOfEachFolded) {
  const SplitDiagnosis split = ThreeClusters();
  const std::string page = RenderHtml(split, {});
  const auto rows = Matches(page, "<tr><th scope=\"row\">(.*)");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[0].starts_with("<a href=\"#group-1\">west</a>")) << rows[0];
  EXPECT_NE(rows[0].find("<span class=\"verdict incident\">Incident</span>"), std::string::npos);
  EXPECT_NE(rows[0].find("<data value=\"3.8417\">3.84 s</data>"), std::string::npos);
  EXPECT_NE(rows[0].find("<data value=\"3.2118 4.096\">3.21–4.096 s</data>"), std::string::npos);
  EXPECT_NE(rows[0].find("<rect class=\"more\""), std::string::npos) << rows[0];
  EXPECT_TRUE(rows[2].starts_with("east</th>")) << rows[2];
  EXPECT_EQ(Matches(page, "<details class=\"(group)\">").size(), 2u);
  for (const Finding& finding : ExtenderIncident().findings) {
    EXPECT_NE(page.find("<code>" + finding.id + "</code>"), std::string::npos) << finding.id;
  }
  const std::size_t fold = page.find("<details class=\"group\">");
  EXPECT_LT(page.find("Do now", fold), page.find("Attempts", fold));
  std::set<std::string> ids;
  for (const std::string& id : Matches(page, " id=\"([^\"]*)\""))
    EXPECT_TRUE(ids.insert(id).second);
  for (const std::string& link : Matches(page, "href=\"#([^\"]*)\"")) {
    EXPECT_EQ(ids.count(link), 1u) << link;
  }
}

TEST(SplitTest, HtmlKeepsItsElementsWhateverTheNames) {
  static const std::set<std::string> kVoid = {"meta", "br", "wbr", "rect", "path"};
  for (const char* lang : {"en", "zh"}) {
    const std::string page = RenderHtml(ThreeClusters(), {.lang = lang});
    EXPECT_EQ(page.find("<script"), std::string::npos);
    std::vector<std::string> open;
    for (const std::string& tag : Matches(page, "<(/?[a-z][a-z0-9]*)[^>]*>")) {
      if (tag[0] != '/') {
        if (kVoid.count(tag) == 0) open.push_back(tag);
        continue;
      }
      ASSERT_FALSE(open.empty()) << tag;
      EXPECT_EQ("/" + open.back(), tag);
      open.pop_back();
    }
    EXPECT_TRUE(open.empty());
  }
}

// One takes a thousand times what another takes: both bars are seen, on a scale that is named.
TEST(SplitTest, BarsAreOnAScaleOfPowersOfTen) {
  SplitDiagnosis split = ThreeClusters();
  for (StageTime& stage : split.parts[2].diagnosis.stages) {
    if (stage.seconds.value) *stage.seconds.value /= 1000;
  }
  const std::string page = RenderHtml(split, {});
  EXPECT_NE(page.find("on a scale of powers of ten from "), std::string::npos);
  for (const std::string& width :
       Matches(page, "<rect class=\"(?:more|now|was)\"[^>]* width=\"([^\"]*)\"")) {
    EXPECT_GE(std::stod(width), 0);
    EXPECT_LE(std::stod(width), 1000);
  }
  split.parts.clear();
  EXPECT_EQ(RenderHtml(split, {}).find("nan"), std::string::npos);
}

TEST(SplitTest, Chinese) {
  RenderOptions options;
  options.lang = "zh";
  EXPECT_NE(RenderText(ThreeClusters(), options).find("标签 cluster 的 3 个取值中有"),
            std::string::npos);
  EXPECT_NE(RenderHtml(ThreeClusters(), options).find("按 10 的幂"), std::string::npos);
}

TEST(SplitTest, HtmlTimesAreInTheZoneThatWasAskedFor) {
  RenderOptions options;
  options.zone = {"+02:00", 120};
  const std::string page = RenderHtml(ThreeClusters(), options);
  EXPECT_NE(page.find("All times are +02:00."), std::string::npos);
  EXPECT_EQ(page.find(" UTC ("), std::string::npos);
}

}  // namespace
}  // namespace schedlens
