#include "base/suggestion.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(SuggestionTest, IsWithinTwoLettersOrTheBeginning) {
  const std::vector<std::string> known = {"explain", "diagnose", "lint", "bind.extender"};
  EXPECT_EQ(Suggestion("explian", known), "; did you mean explain?");
  EXPECT_EQ(Suggestion("diag", known), "; did you mean diagnose?");
  EXPECT_EQ(Suggestion("preemption", known), ".");
  EXPECT_EQ(Suggestion("preemption", known, "; see --help"), "; see --help");
  EXPECT_EQ(Suggestion("x", {}), ".");
  EXPECT_EQ(Suggestion("zz", {"at"}), ".") << "all letters of a short word";
  EXPECT_EQ(Correction("explian", known), ", did you mean `explain`?");
  EXPECT_EQ(Correction("preemption", known), "");
}

TEST(SuggestionTest, DoesNotDependOnTheOrder) {
  EXPECT_EQ(Suggestion("cat", {"car", "bat"}), Suggestion("cat", {"bat", "car"}));
}

}  // namespace
}  // namespace schedlens
