#include "report/html/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/text.h"
#include "contract/report.h"
#include "report/format.h"
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
    computed.insert(HtmlText(Seconds(Messages("en"), row.seconds / row.count)));
  }
  for (std::size_t i = 0; i < d.timeline.bounds.size(); ++i) {
    double total = 0;
    for (const auto& column : d.timeline.e2e) total += column[i];
    computed.insert(HtmlText(Count(total)));
  }
  for (const char* id : {"alert", "heatmap", "stages", "tail", "inversion", "quantiles", "plugins",
                         "queue", "cross-check"}) {
    const std::size_t from = page.find("<section id=\"" + std::string(id) + "\"");
    ASSERT_NE(from, std::string::npos) << id;
    const std::string section = page.substr(from, page.find("</section>", from) - from);
    EXPECT_TRUE(Has(section, "<data value=")) << id;
    for (const std::string& cell :
         Matches(section, "<td class=\"num\"[^>]*>([^<]*[0-9][^<]*)</td>")) {
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
  const SourceInfo bad{"prometheus", "javascript:alert(1)//http://", "", {}, true, {}, {}, {}};
  EXPECT_TRUE(Has(HtmlList(Messages("en"), bad, {{"Ask.", "up"}}), "</summary><code>up</code>"));
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
      EXPECT_TRUE(Has(section, "<table")) << id;
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

std::string SectionOf(const std::string& page, const std::string& id) {
  const std::size_t from = page.find("<section id=\"" + id + "\"");
  if (from == std::string::npos) return "";
  return page.substr(from, page.find("</section>", from) - from);
}

// Before and now of each stage, next to each other, and what it is more.
TEST(HtmlTest, TheFirstPictureIsMillisecondsAScheduledPod) {
  const std::string page = RenderHtml(ExtenderIncident(), {});
  EXPECT_LT(page.find("<section id=\"stages\""), page.find("<section id=\"findings\""));
  const std::string picture = SectionOf(page, "stages");
  EXPECT_TRUE(Has(picture, "milliseconds a scheduled pod"));
  EXPECT_TRUE(Has(picture, "<title>bind.extender: 0.33 → 1,900 ms</title>"));
  EXPECT_TRUE(Has(picture, "0.33 →</span> <b>1,900</b>"));
  EXPECT_TRUE(Has(picture, ">+1,899<"));
  EXPECT_EQ(Matches(picture, "(<rect class=\"was\")").size(), 4u);
  // Without a scheduled pod there is no such picture, but every number.
  Diagnosis d = ExtenderIncident();
  d.results.clear();
  const std::string without = SectionOf(RenderHtml(d, {}), "stages");
  EXPECT_FALSE(Has(without, "<svg"));
  EXPECT_FALSE(Has(without, "<details>"));
  EXPECT_TRUE(Has(without, "<table"));
}

TEST(HtmlTest, TheHeadlineSaysHowSureAndIncidentOnlyOfOne) {
  const auto badge = [](const std::string& page) {
    return Matches(page, "<span class=\"verdict [a-z-]+\">([^<]*)</span>").at(0);
  };
  for (const auto& [name, d] : AllSamples()) {
    if (name == "hostile") continue;
    const std::string page = RenderHtml(d, {});
    const std::string title = Matches(page, "<title>([^<]*)</title>").at(0);
    const bool incident = d.verdict == Verdict::kIncident;
    EXPECT_EQ(badge(page), incident ? "Incident" : badge(page)) << name;
    if (incident) {
      EXPECT_TRUE(title.starts_with("Proven: ") || title.starts_with("Likely: ")) << title;
    } else {
      EXPECT_FALSE(Has(title, "Incident") || Has(badge(page), "Incident")) << name;
    }
  }
  Diagnosis below = ExtenderIncident();
  below.alert->decided = Decided::kBelow;
  EXPECT_FALSE(Has(badge(RenderHtml(below, {})), "Incident"));
}

std::string WithoutFolds(std::string page) {
  const std::string end = "</details>";
  for (std::size_t from; (from = page.find("<details")) != std::string::npos;) {
    page.erase(from, page.find(end, from) + end.size() - from);
  }
  return page;
}

// A query is folded away under its name or a link; commands stay where they are needed.
TEST(HtmlTest, QueriesAreFoldedAway) {
  for (const auto& [name, d] : AllSamples()) {
    if (name == "hostile") continue;  // the same text is a name there, and a command
    const std::string page = WithoutFolds(RenderHtml(d, {}));
    for (const Finding& finding : d.findings) {
      for (const Evidence& evidence : finding.evidence) {
        if (evidence.query.empty()) continue;
        EXPECT_FALSE(Has(page, "<code>" + HtmlText(evidence.query, 4000))) << name;
      }
      for (const NextStep& step : finding.next_steps) {
        if (step.query.empty()) continue;
        EXPECT_FALSE(Has(page, "<code>" + HtmlText(step.query, 4000))) << name;
      }
    }
    for (const AskedQuery& query : d.queries) {
      EXPECT_FALSE(Has(page, "<code>" + HtmlText(query.promql, 4000))) << name;
    }
  }
  EXPECT_EQ(
      HtmlList(Messages("en"), {}, {{"Ask `up` now, `sleep 3`.", "up"}, {"Ask.", "up"}, {"Ask."}}),
      "<ul><li>Ask <i>query</i> now, <code>sleep 3</code>.<details class=\"q\">"
      "<summary>query</summary><code>up</code></details></li>"
      "<li>Ask.<details class=\"q\"><summary>query</summary><code>up</code></details></li>"
      "<li>Ask.</li></ul>\n");
}

// On a phone a cell has its heading beside it; a long table is scrolled instead.
TEST(HtmlTest, CellsOfATableThatIsAListWhereItIsNarrowNameTheirColumn) {
  ReportTable table{{{"a"}, {"b"}, {"<c>", true}, {"d"}},
                    {{{"x", {}}, {"y", {}}, {"1", {1}}, {"", {}}}}};
  const std::string list = HtmlTable("t", table);
  EXPECT_TRUE(Has(list, "<table class=\"stacked\">"));
  EXPECT_TRUE(Has(list, "<td class=\"num\" data-h=\"&lt;c&gt;\"><data value=\"1\">1</data></td>"));
  EXPECT_TRUE(Has(list, "<th scope=\"row\">x</th><td data-h=\"b\">y</td>"));
  table.rows.resize(30, table.rows[0]);
  EXPECT_FALSE(Has(HtmlTable("t", table), "data-h"));
}

TEST(HtmlTest, TheHeatmapHasAScale) {
  const std::string heatmap = SectionOf(RenderHtml(ExtenderIncident(), {}), "heatmap");
  const auto drawn = Matches(heatmap, "<path class=\"heat heat([1-6])\"");
  const auto explained = Matches(heatmap, "<li class=\"key-heat heat([1-6])\">≤ [0-9.,]+</li>");
  EXPECT_FALSE(drawn.empty());
  EXPECT_EQ(drawn, explained);
}

// Rows of a table, items and paragraphs: none is there twice, and no section repeats another's.
TEST(HtmlTest, NoPartIsThereTwice) {
  Diagnosis d = ExtenderIncident();
  for (int i = 0; i < 6; ++i) {
    PluginRow row = d.plugins.front();
    row.plugin += std::to_string(i);
    d.plugins.push_back(row);
  }
  const std::string page = RenderHtml(d, {});
  std::set<std::string> seen;
  for (const std::string& part : Matches(page, "<(?:li|p)>([^<]+)</")) {
    if (part.size() < 40) continue;  // "to be filled in"
    EXPECT_TRUE(seen.insert(part).second) << part;
  }
  for (const PluginRow& row : d.plugins) {
    EXPECT_EQ(Matches(page, "(<td[^>]*>" + row.plugin + "</td>)").size(), 1u) << row.plugin;
  }
  EXPECT_EQ(Matches(page, "(arithmetic of Prometheus)").size(), 1u);
}

TEST(HtmlTest, EveryPictureIsNamed) {
  const std::string page = RenderHtml(ExtenderIncident(), {});
  EXPECT_EQ(Matches(page, "(<svg )").size(),
            Matches(page, "(<svg [^>]*role=\"img\"><title>[^<])").size());
}

}  // namespace
}  // namespace schedlens
