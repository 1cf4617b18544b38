#include <gtest/gtest.h>

#include "contract/report.h"
#include "report/escape.h"
#include "report/samples.h"

namespace schedlens {
namespace {

TEST(SlackTest, NeverMoreThan2500Characters) {
  for (const auto& [name, d] : AllSamples()) EXPECT_LE(RenderSlack(d).size(), 2500U) << name;
  Diagnosis d = ExtenderIncident();
  for (int i = 0; i < 100; ++i) d.findings.push_back(d.findings.front());
  d.headline = Verbatim(std::string(100'000, '<'));
  const std::string text = RenderSlack(d);
  EXPECT_LE(text.size(), 2500U);
  EXPECT_NE(text.find("_More in the full report._"), std::string::npos);
}

TEST(SlackTest, OutsideTextMakesNoLinkAndNoMention) {
  const std::string text = RenderSlack(HostileNames());
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text, CleanUtf8(text));
}

}  // namespace
}  // namespace schedlens
