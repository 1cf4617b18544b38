#include "report/messages/messages.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(MessagesTest, PutsArgumentsInWithoutReadingThem) {
  EXPECT_EQ(Messages("en")("report.alert.shows", "{1} %s"), "shows {1} %s");
  EXPECT_EQ(Messages("zh")("report.alert.shows", "3 s"), "显示 3 s");
}

TEST(MessagesTest, WritesWhatTheAnalysisSays) {
  const std::vector<Message> two = {Message("headline.slow"), Verbatim("x")};
  EXPECT_EQ(Messages("zh")(two), (std::vector<std::string>{"调度变慢。", "x"}));
}

TEST(MessagesTest, ALanguageNamesItself) {
  EXPECT_EQ(Messages("en")("report.language"), "en");
  EXPECT_EQ(Messages("zh")("report.language"), "zh-CN");
}

TEST(MessagesTest, AnotherLanguageIsAnError) { EXPECT_THROW(Messages("de"), Error); }

}  // namespace
}  // namespace schedlens
