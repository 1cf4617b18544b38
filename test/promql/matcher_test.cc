#include "promql/matcher.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

TEST(AcceptTest, EveryMatcherMustAccept) {
  const Labels labels({{"job", "kube-scheduler"}, {"result", "error"}});
  const Matcher job{MatchOp::kEqual, "job", "kube-scheduler"};
  EXPECT_TRUE(Accept({}, labels));
  EXPECT_TRUE(Accept(std::vector<Matcher>{job, {MatchOp::kRegex, "result", "e.*"}}, labels));
  EXPECT_FALSE(Accept(std::vector<Matcher>{job, {MatchOp::kNotRegex, "result", "e.*"}}, labels));
  EXPECT_FALSE(Accept(std::vector<Matcher>{job, {MatchOp::kNotEqual, "result", "error"}}, labels));
}

TEST(AcceptTest, ALabelThatIsAbsentIsEmpty) {
  EXPECT_TRUE(Accept(std::vector<Matcher>{{MatchOp::kEqual, "pod", ""}}, Labels()));
  EXPECT_TRUE(Accept(std::vector<Matcher>{{MatchOp::kRegex, "pod", "a|"}}, Labels()));
  EXPECT_FALSE(Accept(std::vector<Matcher>{{MatchOp::kEqual, "pod", "a"}}, Labels()));
}

TEST(ParseMatchersTest, ReadsWhatStandsBetweenBraces) {
  const auto matchers = ParseMatchers(R"(job="a",pod!~"b.*")");
  ASSERT_TRUE(matchers);
  EXPECT_EQ(*matchers, (std::vector<Matcher>{{MatchOp::kEqual, "job", "a"},
                                             {MatchOp::kNotRegex, "pod", "b.*"}}));
  EXPECT_TRUE(ParseMatchers("")->empty());
  EXPECT_THROW(ParseMatchers("job="), Error);
}

}  // namespace
}  // namespace schedlens::promql
