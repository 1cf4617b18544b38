#include <gtest/gtest.h>

#include <set>

#include "analysis/glossary/glossary.h"

namespace schedlens {
namespace {

TEST(GlossaryMetrics, NamesAreFamiliesAndUnique) {
  std::set<std::string> names;
  for (const MetricText& text : MetricTexts()) {
    EXPECT_TRUE(names.insert(text.name).second) << text.name;
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      EXPECT_EQ(text.name.find(suffix), std::string::npos) << text.name;
    }
  }
}

TEST(GlossaryMetrics, EachSaysWhereItIsVisibleAndWhatItCounts) {
  for (const MetricText& text : MetricTexts()) {
    EXPECT_FALSE(text.releases.empty()) << text.name;
    EXPECT_FALSE(text.population.empty()) << text.name;
  }
}

}  // namespace
}  // namespace schedlens
