// What every format has to say, or must not, whatever its form.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "contract/report.h"
#include "messages/catalog.h"
#include "report/contradictions.h"
#include "report/samples.h"

namespace schedlens {
namespace {

std::vector<std::string> Formats(const Diagnosis& d, const std::string& lang) {
  std::vector<std::string> all = {RenderText(d, {.width = 400, .lang = lang}),
                                  RenderMarkdown(d, {.lang = lang}), RenderHtml(d, {.lang = lang})};
  if (lang == "en") all.push_back(RenderSlack(d));
  return all;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TEST(AlertWordsTest, WithoutAnAlertNoFormatNamesOne) {
  Diagnosis d = Unsettled();
  for (Finding& finding : d.findings) {
    // It may be a new alert.
    if (finding.action) finding.action->later = Verbatim("Mend it.");
  }
  for (const std::string& text : Formats(d, "en")) {
    std::string words = Lower(text.substr(text.find("</style>") + 1));
    for (const std::string anchor : {"#alert", "id=\"alert", "\"alert-h"}) {
      test::ReplaceAll(&words, anchor, "");
    }
    EXPECT_EQ(words.find("alert"), std::string::npos) << words.substr(words.find("alert") - 50, 99);
  }
  for (const std::string& text : Formats(d, "zh")) {
    EXPECT_EQ(text.find("告警"), std::string::npos);
  }
  for (const std::string& text : Formats(ExtenderIncident(), "en")) {
    EXPECT_NE(Lower(text).find("p99"), std::string::npos);
  }
}

TEST(AlertWordsTest, EveryFormatBeginsWithTheSameHeadline) {
  for (const std::string lang : {"en", "zh"}) {
    const std::string headline = Catalog::Of(lang).Write(Unsettled().headline);
    const std::vector<std::string> formats = Formats(Unsettled(), lang);
    for (std::size_t i = 0; i < formats.size(); ++i) {
      EXPECT_EQ(ReadReport(static_cast<test::Form>(i), lang, formats[i]).headline, headline);
    }
  }
}

TEST(AlertWordsTest, PartialAnswersStandBeforeTheNumbers) {
  for (const std::string& text : Formats(Unsettled(), "en")) {
    const std::size_t partial = text.find("store 10.0.0.7:10901 is down");
    ASSERT_NE(partial, std::string::npos);
    EXPECT_LT(partial, text.find("Findings"));
    EXPECT_LT(partial, text.find("2025-11-21 10:01:40"));
  }
}

}  // namespace
}  // namespace schedlens
