// Chinese has its own typography: full-width colons and commas, 99.3%, 3s.

#include <gtest/gtest.h>

#include <regex>

#include "contract/report.h"
#include "messages/catalog.h"
#include "report/samples.h"
#include "report/typography.h"

namespace schedlens {
namespace {

void ExpectTypography(const std::string& what, const std::string& text) {
  for (const std::string& fault : TypographyFaults(text)) ADD_FAILURE() << what << ": " << fault;
}

TEST(ChineseTypographyTest, FaultsAreSeen) {
  EXPECT_EQ(TypographyFaults("占 91.2%：3s，120ms，5分钟 p99: 3").size(), 0u);
  for (const char* wrong :
       {"告警: 3s", "p99: 服务器", "占 91.2 %", "用去 3 s", "10 毫秒", "慢, 快"}) {
    EXPECT_FALSE(TypographyFaults(wrong).empty()) << wrong;
  }
}

TEST(ChineseTypographyTest, HoldsInEveryFormatOfEveryDiagnosis) {
  for (const auto& [name, d] : AllSamples()) {
    if (name == "hostile") continue;  // its names are not ours
    ExpectTypography(name + " html", ProseOf(RenderHtml(d, {.lang = "zh"})));
    ExpectTypography(name + " markdown", ProseOf(RenderMarkdown(d, {.lang = "zh"})));
    for (const bool full : {false, true}) {
      ExpectTypography(name + " text",
                       ProseOf(RenderText(d, {.width = 400, .full = full, .lang = "zh"})));
    }
  }
}

TEST(ChineseTypographyTest, HoldsInEveryMessage) {
  for (const auto& [id, text] : Catalog::Of("zh").texts()) {
    if (id.find(".step.") != std::string::npos) continue;    // their code may be anything
    if (text == Catalog::Of("en").texts().at(id)) continue;  // English in both
    std::string filled = std::regex_replace(text, std::regex("\\{[a-z_0-9]+(:[^}]*)?\\}"), "7");
    ExpectTypography(id, ProseOf(filled));
  }
}

}  // namespace
}  // namespace schedlens
