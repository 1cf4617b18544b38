#include "promql/matcher.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <random>

#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

using Texts = std::vector<std::string>;

std::optional<Texts> LiteralSet(const std::string& pattern) {
  const MatcherRegex regex(pattern);
  return regex.literals() == nullptr ? std::nullopt : std::optional(*regex.literals());
}

TEST(LiteralSet, WritesOutAlternativesGroupsAndWhatMayBeMissing) {
  EXPECT_EQ(LiteralSet("a"), Texts({"a"}));
  EXPECT_EQ(LiteralSet(""), Texts({""}));
  EXPECT_EQ(LiteralSet("true|"), Texts({"", "true"}));
  EXPECT_EQ(LiteralSet("b|a|b"), Texts({"a", "b"}));
  EXPECT_EQ(LiteralSet("x_(sum|count)"), Texts({"x_count", "x_sum"}));
  EXPECT_EQ(LiteralSet("x(?:_(a|b))?_y"), Texts({"x_a_y", "x_b_y", "x_y"}));
  EXPECT_EQ(LiteralSet("ab?"), Texts({"a", "ab"}));
}

TEST(LiteralSet, LeavesOtherPatternsAlone) {
  for (const char* pattern :
       {".*", "a.b", "a+", "a*", "[ab]", "a{2}", "\\d", "^a", "a$", "(?i)a", "(a", "a)", "?", "a??",
        "(?P<n>a)", "a|(b|(c|d)", "(a|b)(c|d)(e|f)(g|h)(i|j)(k|l)(m|n)(o|p)(q|r)"}) {
    EXPECT_EQ(LiteralSet(pattern), std::nullopt) << pattern;
  }
  EXPECT_EQ(LiteralSet(std::string(1000, '(')), std::nullopt);
}

TEST(LiteralSet, MatchesWhatTheRegularExpressionMatches) {
  std::mt19937 random(3);
  const std::string alphabet = "aab_||()?";
  int sets = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string pattern;
    for (std::size_t n = random() % 12; n > 0; --n) pattern += alphabet[random() % alphabet.size()];
    const auto set = LiteralSet(pattern);
    const RE2 regex(pattern, RE2::Quiet);
    if (!set) continue;
    ASSERT_TRUE(regex.ok()) << pattern;
    ++sets;
    for (const std::string& text : *set) EXPECT_TRUE(RE2::FullMatch(text, regex)) << pattern;
    for (int k = 0; k < 8; ++k) {
      std::string text;
      for (std::size_t n = random() % 4; n > 0; --n) text += "ab_"[random() % 3];
      EXPECT_EQ(std::binary_search(set->begin(), set->end(), text), RE2::FullMatch(text, regex))
          << pattern << " on " << text;
    }
  }
  EXPECT_GT(sets, 2000);
}

TEST(MatcherRegexTest, IsAnchoredAndMatchesLineBreaks) {
  const MatcherRegex regex("a|b.");
  EXPECT_TRUE(regex.Matches("a"));
  EXPECT_TRUE(regex.Matches("b\n"));
  EXPECT_FALSE(regex.Matches("ab"));
}

TEST(MatcherRegexTest, OneInHandStaysGoodWhenTooManyArePutAway) {
  const MatcherRegex first("a+");
  for (int i = 0; i < 1000; ++i) MatcherRegex("x" + std::to_string(i));
  EXPECT_TRUE(first.Matches("aa"));
  EXPECT_TRUE(MatcherRegex("a+").Matches("aa"));
}

TEST(MatcherRegexTest, ABadPatternSaysWhy) {
  const MatcherRegex bad("(");
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error(), "missing ): (");
}

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

TEST(ParseMatchersTest, ReadsThoseThatMatchTheEmptyStringToo) {
  const struct {
    const char* text;
    std::vector<Matcher> matchers;
  } cases[] = {
      {R"(cluster=~".*")", {{MatchOp::kRegex, "cluster", ".*"}}},
      {R"(cluster="")", {{MatchOp::kEqual, "cluster", ""}}},
      {R"(ns!="x")", {{MatchOp::kNotEqual, "ns", "x"}}},
      {R"(ns!~"x|y")", {{MatchOp::kNotRegex, "ns", "x|y"}}},
      {R"(cluster=~".*",ns!="x")",
       {{MatchOp::kRegex, "cluster", ".*"}, {MatchOp::kNotEqual, "ns", "x"}}},
      {R"(__name__="x")", {{MatchOp::kEqual, "__name__", "x"}}},
  };
  for (const auto& c : cases) {
    const auto matchers = ParseMatchers(c.text);
    ASSERT_TRUE(matchers) << c.text;
    EXPECT_EQ(*matchers, c.matchers) << c.text;
  }
}

TEST(ParseMatchersTest, TextThatIsNoListOfMatchersIsToldAsItWasWritten) {
  for (const char* text : {"job=", "job", "=\"a\"", "job=~\"(\"", "cluster=~\".*\",ns!="}) {
    try {
      ParseMatchers(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << text;
      EXPECT_EQ(std::string(error.what()).find("\"x\""), std::string::npos)
          << "of what was put before it: " << error.what();
    }
  }
}

}  // namespace
}  // namespace schedlens::promql
