#include "model/quote.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(QuotePromql, EscapesAsGoDoes) {
  EXPECT_EQ(QuotePromql(""), R"("")");
  EXPECT_EQ(QuotePromql(R"(a"b\c)"), R"("a\"b\\c")");
  EXPECT_EQ(QuotePromql("a\n\t\r\x01\x7f"), R"("a\n\t\r\x01\x7f")");
  EXPECT_EQ(QuotePromql("é"), "\"é\"");
}

TEST(EscapeRegex, LeavesNoOperator) {
  EXPECT_EQ(EscapeRegex("kube-scheduler_1"), "kube-scheduler_1");
  EXPECT_EQ(EscapeRegex("a.b|c(d)[e]{f}^$*+?\\"), R"(a\.b\|c\(d\)\[e\]\{f\}\^\$\*\+\?\\)");
  EXPECT_EQ(QuotePromql(EscapeRegex("a.b\"")), R"("a\\.b\"")");
}

}  // namespace
}  // namespace schedlens
