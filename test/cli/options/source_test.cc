#include "cli/options/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/parse.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::ElementsAre;

SourceOptions Parse(const std::vector<std::string>& arguments) {
  SourceOptions options;
  ParseWith(SourceOptionTable(&options), arguments);
  return options;
}

TEST(SourceOptions, EveryNameOfTheServer) {
  for (const char* name : {"--prometheus", "--url", "--prometheus.url"}) {
    EXPECT_EQ(Parse({name, "http://p:9090"}).prometheus, "http://p:9090") << name;
  }
}

TEST(SourceOptions, StandardInputIsACapture) { EXPECT_EQ(Parse({"--capture", "-"}).capture, "-"); }

TEST(SourceOptions, OneSourceOnly) {
  EXPECT_THROW(Parse({"--capture", "f", "--prometheus", "http://p"}), Error);
  EXPECT_THROW(Parse({"--scenario", "s", "--capture", "f"}), Error);
  EXPECT_THROW(Parse({"--scrape-before", "a", "--scrape-after", "b", "--capture", "f"}), Error);
}

TEST(SourceOptions, MatchersWithAndWithoutBraces) {
  for (const char* text :
       {"job=\"s\",c=~\"a|b\"", "{job=\"s\",c=~\"a|b\"}", " {job=\"s\",c=~\"a|b\"} "}) {
    EXPECT_EQ(Parse({"--selector", text}).selector, "job=\"s\",c=~\"a|b\"") << text;
  }
  EXPECT_EQ(Parse({"--selector", ""}).selector, "");
  EXPECT_EQ(Parse({"--selector", "{}"}).selector, "");
  for (const char* text :
       {"job=s", "job", "x{job=\"s\"}", "}", "{", "{{}}", "job=\"s\"}", "{job=\"s\"",
        "job=\"s\"} or up{job=\"t\"", "job=\"s\"}[5m] offset 1m # {"}) {
    EXPECT_THROW(Parse({"--selector", text}), Error) << text;
  }
}

TEST(SourceOptions, TheTwoPagesBelongTogether) {
  EXPECT_EQ(Parse({"--scrape-before", "a", "--scrape-after", "b"}).scrape_after, "b");
  EXPECT_THROW(Parse({"--scrape-before", "a"}), Error);
  EXPECT_THROW(Parse({"--scrape-after", "b"}), Error);
}

TEST(SourceOptions, HeadersRepeatAndTakeNoOtherArgument) {
  const SourceOptions options =
      Parse({"--header", "A: 1", "--header", "B: 2", "--capture", "f", "--tenant", "t"});
  EXPECT_THAT(options.headers, ElementsAre("A: 1", "B: 2"));
  EXPECT_EQ(options.capture, "f");
  EXPECT_EQ(options.tenant, "t");
}

TEST(SourceOptions, SelectorKeepsItsCommasAndQuotes) {
  EXPECT_EQ(Parse({"--selector", "job=\"a\",x=~\"b|c\""}).selector, "job=\"a\",x=~\"b|c\"");
}

TEST(SourceOptions, RequestsAreToldOnlyWhenAskedFor) {
  EXPECT_FALSE(Parse({}).log);
  EXPECT_TRUE(Parse({"--verbose"}).log);
}

TEST(SourceOptions, TheLargestAnswerIsASize) {
  EXPECT_EQ(Parse({}).max_answer_bytes, std::size_t{512} << 20);
  EXPECT_EQ(Parse({"--max-answer", "64Mi"}).max_answer_bytes, std::size_t{64} << 20);
  EXPECT_THROW(Parse({"--max-answer", "much"}), Error);
}

TEST(SourceOptions, ConcurrencyHasBounds) {
  EXPECT_EQ(Parse({"--concurrency", "3"}).concurrency, 3);
  EXPECT_THROW(Parse({"--concurrency", "0"}), Error);
  EXPECT_THROW(Parse({"--concurrency", "many"}), Error);
}

}  // namespace
}  // namespace schedlens
