#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "contract/report.h"
#include "messages/catalog.h"
#include "report/format.h"
#include "report/samples.h"

namespace schedlens {
namespace {

/// As Slack shows it: of `<URL|NAME>` the name.
std::size_t Characters(const std::string& mrkdwn) {
  const std::string text =
      std::regex_replace(mrkdwn, std::regex("<[^<>|]*\\|([^<>]*)>"), std::string("$1"));
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

TEST(SlackTest, NeverMoreThan1500CharactersInAnyLanguage) {
  Diagnosis large = ExtenderIncident();
  for (int i = 0; i < 100; ++i) large.findings.push_back(large.findings.front());
  large.headline = Verbatim(std::string(100'000, '<'));
  auto samples = AllSamples();
  samples.emplace_back("large", large);
  for (const auto& [name, d] : samples) {
    for (const std::string& lang : Catalog::Languages()) {
      const std::string link = "https://reports.example/" + std::string(200, 'r') + ".html";
      for (const RenderOptions& options :
           {RenderOptions{.lang = lang}, RenderOptions{.lang = lang, .link = link}}) {
        const std::string text = RenderSlack(d, options);
        EXPECT_LE(Characters(text), 1500U) << name << " " << lang;
        EXPECT_EQ(text.find(link) != std::string::npos, !options.link.empty()) << name;
      }
    }
  }
  EXPECT_NE(RenderSlack(large).find("_More in the full report._"), std::string::npos);
}

TEST(SlackTest, EveryLineIsInTheReadersLanguage) {
  const std::string text = RenderSlack(ExtenderIncident(), {.lang = "zh"});
  EXPECT_NE(text.find("时间窗口"), std::string::npos) << text;
  EXPECT_EQ(text.find("Window"), std::string::npos) << text;
}

TEST(SlackTest, LinksToThePageAndToTheGraph) {
  Diagnosis d = ExtenderIncident();
  d.source.name = "https://prometheus.example";
  const std::string text = RenderSlack(d, {.link = "https://reports.example/1?a=b&c=d"});
  EXPECT_NE(text.find("<https://reports.example/1?a=b&amp;c=d|Full report>"), std::string::npos);
  EXPECT_NE(
      text.find(
          "<https://prometheus.example/graph?g0.expr=histogram_quantile(0.99,%20sum%20by%20(le)"),
      std::string::npos);
  // A file is no link.
  EXPECT_NE(RenderSlack(d, {.link = "incident.html"}).find("Full report `incident.html`"),
            std::string::npos);
}

TEST(SlackTest, CommandsAndQueriesAreCodeThatCanBePasted) {
  Diagnosis d = ExtenderIncident();
  d.findings.resize(1);
  d.findings[0].action->command = Verbatim("kubectl get pods -A | grep '*~_<x>'");
  const std::string text = RenderSlack(d);
  EXPECT_NE(text.find("`kubectl get pods -A | grep '*~_&lt;x&gt;'`"), std::string::npos) << text;
  EXPECT_NE(text.find("(`bind.extender`, certain"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '`') % 2, 0) << text;
}

/// Links that nobody sees take no room from what is to be done.
TEST(SlackTest, WhatToDoFollowsTheVerdictHoweverLongTheLinksAre) {
  Diagnosis d = ExtenderIncident();
  d.source.name = "https://prometheus.example/" + std::string(300, 'p');
  d.alert->expr = "up > " + std::string(1500, '1');
  const std::string text = RenderSlack(d, {.link = "https://reports.example/"});
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_GE(lines.size(), 6U) << text;
  EXPECT_EQ(lines[1].find("*Do now* "), 0U) << text;
  EXPECT_EQ(lines[2].find("*Run* `kubectl "), 0U) << text;
  EXPECT_EQ(lines[3].find("*Owner* "), 0U) << text;
  EXPECT_EQ(lines[4].find("*Later* "), 0U) << text;
  EXPECT_NE(text.find("|Graph>"), std::string::npos) << text;
}

TEST(SlackTest, OutsideTextMakesNoLinkAndNoMention) {
  const std::string text = RenderSlack(HostileNames());
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text, CleanUtf8(text));
}

}  // namespace
}  // namespace schedlens
