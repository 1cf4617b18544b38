#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "contract/report.h"
#include "model/text.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/html/parts.h"
#include "report/samples.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A page is too long for a failure message.
bool Has(const std::string& page, const std::string& part) {
  return page.find(part) != std::string::npos;
}

// Every number anywhere in the JSON.
void Collect(const nlohmann::json& json, std::set<double>& numbers) {
  if (json.is_number()) numbers.insert(json.get<double>());
  if (json.is_structured()) {
    for (const auto& item : json) Collect(item, numbers);
  }
}

std::vector<std::string> Matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return {std::sregex_token_iterator(text.begin(), text.end(), regex, 1),
          std::sregex_token_iterator()};
}

TEST(HtmlTest, EveryNumberOfThePageIsInTheJson) {
  for (const auto& [name, d] : AllSamples()) {
    std::set<double> numbers;
    Collect(nlohmann::json::parse(RenderJson(d)), numbers);
    for (const std::string& values : Matches(RenderHtml(d, {}), "<data value=\"([^\"]*)\"")) {
      for (const std::string& value : Matches(values, "([^ ]+)")) {
        EXPECT_EQ(numbers.count(std::stod(value)), 1U) << name << ": " << value;
      }
    }
  }
}

// A numeric cell without a value would be one that nobody holds against the JSON. Two kinds are
// computed for the table: the mean of a result, and a bucket's attempts over all columns.
TEST(HtmlTest, EveryNumericCellOfEveryPanelCarriesItsValue) {
  Diagnosis d = ExtenderIncident();
  d.inversion = InvertedQuantiles().inversion;
  const std::string page = RenderHtml(d, {});
  std::set<std::string> computed;
  for (const ResultRow& row : d.results) {
    computed.insert("<td class=\"num\">" + HtmlText(Seconds(row.seconds / row.count)));
  }
  for (std::size_t i = 0; i < d.timeline.bounds.size(); ++i) {
    double total = 0;
    for (const auto& column : d.timeline.e2e) total += column[i];
    computed.insert("<td class=\"num\">" + HtmlText(Count(total)));
  }
  for (const char* id : {"alert", "heatmap", "stages", "tail", "inversion", "quantiles", "plugins",
                         "queue", "cross-check"}) {
    const std::size_t from = page.find("<section id=\"" + std::string(id) + "\"");
    ASSERT_NE(from, std::string::npos) << id;
    const std::string section = page.substr(from, page.find("</section>", from) - from);
    EXPECT_TRUE(Has(section, "<data value=")) << id;
    for (const std::string& cell : Matches(section, "(<td class=\"num\">[^<]*[0-9][^<]*)</td>")) {
      EXPECT_EQ(computed.count(cell), 1U) << id << ": " << cell;
    }
  }
}

TEST(HtmlTest, TheNumbersThatMatterAreOnThePage) {
  const Diagnosis d = ExtenderIncident();
  const std::string page = RenderHtml(d, {});
  for (const StageTime& stage : d.stages) {
    EXPECT_TRUE(Has(page, "<data value=\"" + FormatNumber(*stage.share.value)));
  }
  EXPECT_TRUE(Has(page, "<data value=\"3.8417\">3.84 s</data>"));
  EXPECT_TRUE(Has(page, "<data value=\"3.2118 4.096\">3.21–4.096 s</data>"));
}

TEST(HtmlTest, StaysUnder300Kilobytes) {
  for (const auto& [name, d] : AllSamples()) EXPECT_LT(RenderHtml(d, {}).size(), 300'000U) << name;
}

TEST(HtmlTest, OutsideTextBringsNoElementAndNoAttribute) {
  for (const char* lang : {"en", "zh"}) {
    const std::string page = RenderHtml(HostileNames(), {.lang = lang});
    EXPECT_FALSE(Has(page, "<script"));
    EXPECT_FALSE(Has(page, "javascript:alert"));
    EXPECT_EQ(page, CleanUtf8(page));
    // With the quoted values away, only the page's own attribute names are left.
    for (const std::string& tag : Matches(page, "(<[a-z][^>]*>)")) {
      const std::string bare = std::regex_replace(tag, std::regex("=\"[^\"]*\""), "");
      EXPECT_TRUE(std::regex_match(bare, std::regex("<[a-z0-9]+( [a-zA-Z-]+)*/?>"))) << tag;
      EXPECT_FALSE(Has(bare, "onmouseover")) << tag;
    }
  }
}

TEST(HtmlTest, ElementsCloseInOrder) {
  static const std::set<std::string> kVoid = {"meta", "br", "wbr", "rect", "path"};
  for (const auto& [name, d] : AllSamples()) {
    std::vector<std::string> open;
    for (const std::string& tag : Matches(RenderHtml(d, {}), "<(/?[a-z][a-z0-9]*)[^>]*>")) {
      if (tag[0] != '/') {
        if (kVoid.count(tag) == 0) open.push_back(tag);
        continue;
      }
      ASSERT_FALSE(open.empty()) << name << " " << tag;
      EXPECT_EQ("/" + open.back(), tag) << name;
      open.pop_back();
    }
    EXPECT_TRUE(open.empty()) << name;
  }
}

TEST(HtmlTest, NamesAreUniqueAndLinksLead) {
  const std::string page = RenderHtml(ExtenderIncident(), {});
  std::set<std::string> ids;
  for (const std::string& id : Matches(page, " id=\"([^\"]*)\"")) {
    EXPECT_TRUE(ids.insert(id).second) << id;
  }
  for (const std::string& link : Matches(page, "href=\"#([^\"]*)\"")) {
    EXPECT_EQ(ids.count(link), 1U) << link;
  }
}

TEST(HtmlTest, QueriesOpenInPrometheusOnlyWhenThereIsOne) {
  EXPECT_FALSE(Has(RenderHtml(ExtenderIncident(), {}), "<a href=\"http"));
  EXPECT_TRUE(Has(RenderHtml(InvertedQuantiles(), {}),
                  "<a href=\"https://prometheus.example/base/graph?g0.expr="));
  const SourceInfo bad{"prometheus", "javascript:alert(1)//http://", "", {}, true, {}, {}};
  EXPECT_EQ(HtmlQuery(bad, "up", 0), "<code>up</code>");
}

// In the section of each plot there is a table with its numbers, and the plot says what it shows.
TEST(HtmlTest, EveryPlotHasWordsAndATable) {
  Diagnosis d = ExtenderIncident();
  d.inversion = InvertedQuantiles().inversion;
  for (const char* lang : {"en", "zh"}) {
    const std::string page = RenderHtml(d, {.lang = lang});
    for (const char* id :
         {"alert", "heatmap", "stages", "tail", "inversion", "queue", "cross-check"}) {
      const std::size_t from = page.find("<section id=\"" + std::string(id) + "\"");
      ASSERT_NE(from, std::string::npos) << id;
      const std::string section = page.substr(from, page.find("</section>", from) - from);
      EXPECT_TRUE(Has(section, "<svg ")) << id;
      EXPECT_TRUE(Has(section, "<table>")) << id;
      EXPECT_EQ(Matches(section, "(<div class=\"plot\">)").size(),
                Matches(section, "(<desc>[^<]+</desc>)").size())
          << id;
    }
  }
}

TEST(HtmlTest, ANumberKeepsItsUnitOnItsLineButInCode) {
  EXPECT_EQ(
      HtmlProse("mean 0.4 ms, 67.4 % of 3 s (2 µs); 3 steps, `sleep 3 s`"),
      "mean 0.4&nbsp;ms, 67.4&nbsp;% of 3&nbsp;s (2&nbsp;µs); 3 steps, <code>sleep 3 s</code>");
}

TEST(HtmlTest, EveryPictureIsNamed) {
  const std::string page = RenderHtml(ExtenderIncident(), {});
  EXPECT_EQ(Matches(page, "(<svg )").size(),
            Matches(page, "(<svg [^>]*role=\"img\"><title>[^<])").size());
}

}  // namespace
}  // namespace schedlens
