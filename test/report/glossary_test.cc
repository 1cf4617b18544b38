#include "report/glossary.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(GlossaryTest, AnExplanationHasOneParagraphATable) {
  const FindingText finding{"x.y", "Title", "meaning", "proof", {"first", "second"}, ""};
  const TopicText topic{"x.y", "a word"};
  EXPECT_EQ(ExplanationText({.finding = &finding, .topic = &topic}),
            "finding x.y: Title\n"
            "  meaning      meaning\n"
            "  proven by    proof\n"
            "  next         1. first\n"
            "               2. second\n"
            "\n"
            "x.y\n"
            "  a word\n");
  EXPECT_EQ(ExplanationText({}), "");
}

TEST(GlossaryTest, TheIndexListsEveryTable) {
  EXPECT_EQ(GlossaryIndex({}, {{"bind", "", "", ""}}, {}, {}),
            "findings:\nstages:\n  bind\nmetrics:\nwords:\n");
}

}  // namespace
}  // namespace schedlens
