#include "report/glossary.h"

#include <gtest/gtest.h>

#include "messages/catalog.h"

namespace schedlens {
namespace {

TEST(GlossaryTest, AnExplanationHasOneParagraphATable) {
  const FindingText finding{"reserve", "meaning", "proof", 1, ""};
  const TopicText topic{"reserve", "a word"};
  EXPECT_EQ(ExplanationText({.finding = &finding, .topic = &topic}),
            "finding reserve: " + InEnglish(TitleOf(finding)) +
                "\n"
                "  meaning      meaning\n"
                "  proven by    proof\n"
                "  next         1. " +
                InEnglish(NextStepsOf(finding)).front() +
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
