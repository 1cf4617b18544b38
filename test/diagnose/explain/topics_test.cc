#include <gtest/gtest.h>

#include <set>

#include "diagnose/explain/glossary.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

// Fields of the JSON contract that a reader may look up.
TEST(GlossaryTopics, ExplainsTheReportsFields) {
  for (const char* word :
       {"quantile", "interval", "estimate", "share", "excess", "tail_time_share", "sufficient",
        "verdict", "confidence", "decided", "cross_check", "window", "baseline", "population",
        "whatif", "impact", "neighbours", "changes"}) {
    EXPECT_NE(Explain(word).topic, nullptr) << word;
  }
}

TEST(GlossaryTopics, NamesAreUniqueAndTextsEndAsSentences) {
  std::set<std::string> names;
  for (const TopicText& text : TopicTexts()) {
    EXPECT_TRUE(names.insert(text.name).second) << text.name;
    EXPECT_EQ(InEnglish(Message("term." + text.name)).back(), '.') << text.name;
  }
}

}  // namespace
}  // namespace schedlens
