#include "report/messages/messages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "schedlens/error.h"

namespace schedlens {
namespace {

std::set<std::string> Placeholders(std::string_view text) {
  const std::string copy(text);
  const std::regex placeholder(R"(\{[0-9]+\})");
  return {std::sregex_token_iterator(copy.begin(), copy.end(), placeholder),
          std::sregex_token_iterator()};
}

// The sentences that the renderers ask for: t("...") and page.t("..."), literals joined.
std::set<std::string> SentencesInSources() {
  std::set<std::string> sentences;
  const std::regex call("\\bt\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*)+)");
  const std::regex seam("\"\\s*\"");
  const auto directory = std::filesystem::path(SCHEDLENS_SOURCE_DIR) / "src/report";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().extension() != ".cc") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const std::string source = text.str();
    for (auto it = std::sregex_iterator(source.begin(), source.end(), call);
         it != std::sregex_iterator(); ++it) {
      std::string literal = std::regex_replace((*it)[1].str(), seam, "");
      literal.erase(literal.find_last_of('"'));
      sentences.insert(literal.substr(1));
    }
  }
  return sentences;
}

TEST(MessagesTest, EverySentenceHasChinese) {
  std::set<std::string> known;
  for (const Message& message : MessageTable()) known.emplace(message.english);
  const auto asked = SentencesInSources();
  EXPECT_GT(asked.size(), 100U);
  for (const std::string& sentence : asked) EXPECT_EQ(known.count(sentence), 1U) << sentence;
}

TEST(MessagesTest, EveryRowIsAskedForOnce) {
  const auto asked = SentencesInSources();
  std::set<std::string_view> seen;
  for (const Message& message : MessageTable()) {
    EXPECT_TRUE(seen.insert(message.english).second) << "twice: " << message.english;
    EXPECT_EQ(asked.count(std::string(message.english)), 1U) << "unused: " << message.english;
    EXPECT_FALSE(message.chinese.empty()) << message.english;
  }
}

TEST(MessagesTest, BothLanguagesTakeTheSameArguments) {
  for (const Message& message : MessageTable()) {
    EXPECT_EQ(Placeholders(message.english), Placeholders(message.chinese)) << message.english;
  }
}

TEST(MessagesTest, PutsArgumentsInWithoutReadingThem) {
  EXPECT_EQ(Messages("en")("shows {0}", "{1} %s"), "shows {1} %s");
  EXPECT_EQ(Messages("zh")("shows {0}", "3 s"), "显示 3 s");
}

TEST(MessagesTest, AnotherLanguageIsAnError) { EXPECT_THROW(Messages("de"), Error); }

}  // namespace
}  // namespace schedlens
