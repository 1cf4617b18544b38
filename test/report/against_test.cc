#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/commands.h"
#include "report/samples.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Against, TextHasBothSidesStagesAndFindings) {
  const std::string text = RenderText(AgainstSample(), {});
  EXPECT_THAT(text, HasSubstr("Then: No incident, p99 "));
  EXPECT_THAT(text, HasSubstr("- Another release: 1.20 then, 1.31 now.\n"));
  EXPECT_THAT(text, HasSubstr("algorithm                     0.80   0.70   -0.10\n"));
  EXPECT_THAT(text, HasSubstr("bind                          9.00  1,235  +1,226\n"));
  EXPECT_THAT(text, HasSubstr("    x                              —   50.0       —\n"));
  EXPECT_THAT(text, HasSubstr("  y                             20.0   20.0       0\n"));
  EXPECT_THAT(text, HasSubstr("\n  new   a <b> | title"));
  EXPECT_THAT(text, HasSubstr("\n  gone    a <b> | title"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Against, TimesAreInTheZoneThatWasAskedFor) {
  RenderOptions options;
  options.zone = {"+02:00", 120};
  for (const std::string& text :
       {RenderText(AgainstSample(), options), RenderMarkdown(AgainstSample(), options),
        RenderHtml(AgainstSample(), options)}) {
    EXPECT_THAT(text, HasSubstr("+02:00"));
    EXPECT_THAT(text, Not(HasSubstr(" UTC (")));
  }
}

TEST(Against, AsciiMeansAscii) {
  RenderOptions options;
  options.ascii = true;
  EXPECT_THAT(RenderText(AgainstSample(), options), Not(HasSubstr("—")));  // no value there
}

TEST(Against, EveryFormatHasTheSameRows) {
  for (const std::string& text :
       {RenderText(AgainstSample(), {}), RenderMarkdown(AgainstSample(), {}),
        RenderHtml(AgainstSample(), {})}) {
    for (const char* cell : {"1,235", "+1,226", "likely", "50.0 %", "1.31"}) {
      EXPECT_THAT(text, HasSubstr(cell)) << text;
    }
  }
  EXPECT_THAT(RenderHtml(AgainstSample(), {}), Not(HasSubstr("<b> | title")));
  EXPECT_THAT(RenderMarkdown(AgainstSample(), {}), Not(HasSubstr("<b>")));
  RenderOptions chinese;
  chinese.lang = "zh";
  EXPECT_THAT(RenderText(AgainstSample(), chinese), HasSubstr("当时：没有故障"));
}

TEST(Against, JsonKeepsTheNumbers) {
  const auto json = nlohmann::json::parse(RenderJson(AgainstSample()));
  EXPECT_EQ(json.at("schema"), "schedlens.against/1");
  EXPECT_EQ(json.at("then").at("verdict"), "no-incident");
  EXPECT_EQ(json.at("stages").at(1).at("seconds_per_pod_now"), 1.2345);
  EXPECT_TRUE(json.at("stages").at(2).at("seconds_per_pod_then").is_null());
  EXPECT_EQ(json.at("findings").at(0).at("fate"), "new");
  EXPECT_EQ(json.at("findings").at(1).at("behind"), true);
  EXPECT_EQ(json.at("notes").size(), 1U);
}

}  // namespace
}  // namespace schedlens
