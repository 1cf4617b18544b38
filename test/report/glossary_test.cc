#include "report/glossary.h"

#include <gtest/gtest.h>

#include "messages/catalog.h"

namespace schedlens {
namespace {

TEST(GlossaryTest, AnExplanationHasOneParagraphATable) {
  const FindingText finding{"reserve", "meaning", "proof", 1, ""};
  const TopicText topic{"reserve", "a word"};
  const Message step("finding.reserve.step.1");
  EXPECT_EQ(ExplanationText({.finding = &finding, .next_steps = {step}, .topic = &topic}),
            "finding reserve: " + InEnglish(TitleOf(finding)) +
                "\n"
                "  meaning      meaning\n"
                "  proven by    proof\n"
                "  next         1. " +
                InEnglish(step) +
                "\n"
                "\n"
                "reserve\n"
                "  a word\n");
  EXPECT_EQ(ExplanationText({}), "");
}

TEST(GlossaryTest, TheIndexListsEveryTable) {
  EXPECT_EQ(GlossaryIndex({}, {{"bind", "", "", ""}}, {}, {}),
            "findings:\nstages:\n  bind\nmetrics:\nwords:\n");
}

}  // namespace
}  // namespace schedlens
