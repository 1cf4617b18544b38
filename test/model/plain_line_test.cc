#include "model/plain_line.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "schedlens/error.h"

namespace schedlens {
namespace {

std::vector<Labels::View> PairsOf(const PlainKey& key) {
  return {key.pairs().begin(), key.pairs().end()};
}

/// How many bytes the key has, 0 where it is not plain.
std::size_t KeySize(const std::string& line) {
  PlainKey key;
  const char* const end = key.Scan(line.data(), line.data() + line.size());
  return end == nullptr ? 0 : static_cast<std::size_t>(end - line.data());
}

TEST(PlainKey, TakesWhatNearlyAllLinesAre) {
  PlainKey key;
  const std::string text = R"(m:x{a="1, }{",le="+Inf",z="long enough for words of eight"} 1)";
  const char* const end = key.Scan(text.data(), text.data() + text.size());
  ASSERT_EQ(end, text.data() + text.size() - 2);
  EXPECT_EQ(key.metric(), "m:x");
  EXPECT_TRUE(key.ascending());
  EXPECT_EQ(Labels(PairsOf(key)), Labels({{"__name__", "m:x"},
                                          {"a", "1, }{"},
                                          {"le", "+Inf"},
                                          {"z", "long enough for words of eight"}}));
  EXPECT_EQ(KeySize("m 1"), 1U);
}

TEST(PlainKey, LabelsThatDoNotAscendAreNotTheOnlySpelling) {
  PlainKey key;
  const std::string text = R"(m{op="x",le="1"} 1)";
  ASSERT_NE(key.Scan(text.data(), text.data() + text.size()), nullptr);
  EXPECT_FALSE(key.ascending());
}

TEST(PlainKey, LeavesEverythingElseToTheWholeGrammar) {
  for (const char* line : {"",
                           "1 1",
                           "m",
                           "m{",
                           "m{}",
                           "m{} 1",
                           "m{a=\"\"} 1",
                           "m{a=\"1\",} 1",
                           "m {a=\"1\"} 1",
                           "m{a=\"1\" } 1",
                           "m{ a=\"1\"} 1",
                           "m{a = \"1\"} 1",
                           "m{a=\"1\",a=\"2\"} 1",
                           "m{b=\"1\",a=\"2\",b=\"3\"} 1",
                           "m{__name__=\"x\"} 1",
                           "m{a=\"1\\n\"} 1",
                           "m{a=\"\t\"} 1",
                           "m{a=\"\xc3\xa4\"} 1",
                           "m{a=\"12345678\xff\"} 1",
                           "m{1=\"1\"} 1",
                           "{\"m\",a=\"1\"} 1",
                           "m{a=\"1\"}\t1",
                           "m{a=\"1\"}1",
                           "m{a=\"1\"",
                           "m{a=\"1\"}",
                           "m{a=\"1",
                           "m{a",
                           "m{a=",
                           "m{a=\"",
                           "m{a=1} 1",
                           "m {",
                           "m  1",
                           "m{a=\"1\";b=\"2\"} 1"}) {
    EXPECT_EQ(KeySize(line), 0U) << line;
  }
}

/// Whatever the quick way reads, the whole grammar reads as the same.
TEST(PlainLine, AgreesWithTheWholeGrammarOnRandomLines) {
  std::mt19937 random(5);
  const std::string alphabet = "ab_{}=\",\\ \n19.-eN\t\x80";
  const std::string usual = "ab{a=\"b 1\",b=\"a\"} 19.5 1795314346.716\n";
  int plain = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text = usual;
    for (std::size_t edits = random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      random() % 2 == 0 ? text.insert(at, 1, c) : text.replace(at, 1, 1, c);
    }
    text = text.substr(0, text.find('\n') + 1);
    if (!text.ends_with('\n')) continue;
    const char* const end = text.data() + text.size();
    PlainKey key;
    const char* const rest_at = key.Scan(text.data(), end);
    Rest rest;
    if (rest_at == nullptr || ScanPlainRest(rest_at, end, &rest) == nullptr) continue;
    ++plain;
    const TextLine line{std::string_view(text).substr(0, text.size() - 1), 1, "f"};
    const std::size_t key_end = FindKeyEnd(line.text, 0);
    ASSERT_EQ(key_end, static_cast<std::size_t>(rest_at - text.data())) << text;
    EXPECT_EQ(ParseKey(line, 0, key_end), Labels(PairsOf(key))) << text;
    const Rest whole = ParseRest(line, key_end);
    EXPECT_EQ(whole.value, rest.value) << text;
    EXPECT_EQ(whole.has_time, rest.has_time) << text;
    EXPECT_EQ(whole.time_thousandths, rest.time_thousandths) << text;
    EXPECT_EQ(whole.time_is_decimal, rest.time_is_decimal) << text;
  }
  EXPECT_GT(plain, 50000);
}

/// What was read of the key before never changes what is read of the next one.
TEST(PlainKey, ReadsEachKeyAsIfItWereTheFirst) {
  std::mt19937 random(9);
  const std::string alphabet = "abm_{}=\",: 19\n";
  const std::string usual = "mm{a=\"b 1\",ab=\"long enough for words\",b=\"a\",ba=\"1\"} 1\n";
  int plain = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    std::vector<std::size_t> starts;
    std::string line = usual;
    for (int k = 0; k < 30; ++k) {
      if (random() % 4 == 0) line = usual;
      for (std::size_t edits = random() % 3; edits > 0; --edits) {
        const std::size_t at = random() % line.size();
        const char c = alphabet[random() % alphabet.size()];
        const auto kind = random() % 3;
        if (kind == 0) line.insert(at, 1, c);
        if (kind == 1) line.replace(at, 1, 1, c);
        if (kind == 2) line.erase(at, 1 + random() % 5);
        if (line.empty()) line = usual;
      }
      starts.push_back(text.size());
      text += line;
    }
    const std::string copy = text;  // ends where the text's last byte does
    PlainKey key;
    for (const std::size_t start : starts) {
      const char* const end = copy.data() + copy.size();
      PlainKey fresh;
      const char* const wanted = fresh.Scan(copy.data() + start, end);
      ASSERT_EQ(key.Scan(copy.data() + start, end), wanted) << copy.substr(start);
      if (wanted == nullptr) continue;
      ++plain;
      ASSERT_EQ(PairsOf(key), PairsOf(fresh)) << copy.substr(start);
      ASSERT_EQ(key.ascending(), fresh.ascending()) << copy.substr(start);
    }
  }
  EXPECT_GT(plain, 20000);
}

TEST(ScanPlainRest, ReadsValuesAsTheWholeGrammarDoes) {
  for (const std::string value : {"0", "7", "183", "1234567", "12345678", "123456789012345", "0.5",
                                  "0.0625", "1234567.1234567", "1234567.12345678", "12345678.5",
                                  "0.0000001", "00.10", "7.0000000", "9999999.9999999"}) {
    for (const std::string time : {" 1795314346.716\n", " 5\n"}) {
      const std::string text = " " + value + time;
      const char* const end = text.data() + text.size();
      Rest rest;
      ASSERT_EQ(ScanPlainRest(text.data(), end, &rest), end) << text;
      const TextLine line{std::string_view(text).substr(0, text.size() - 1), 1, "f"};
      EXPECT_EQ(rest.value, ParseRest(line, 0).value) << text;
    }
  }
  for (const char* other :
       {" . 1795314346.716\n", " .5x 1795314346.716\n", " 1.5.5 1795314346.716\n",
        " 12a 1795314346.716\n", " 1.a 1795314346.716\n", " -1 1795314346.716\n",
        " 1:5 1795314346.716\n", " 1/5 1795314346.716\n"}) {
    const std::string text = other;
    Rest rest;
    EXPECT_EQ(ScanPlainRest(text.data(), text.data() + text.size(), &rest), nullptr) << text;
  }
}

TEST(ScanPlainRest, ReadsTimesOfAllUsualLengths) {
  const auto time = [](const std::string& text) {
    Rest rest;
    const char* const end = text.data() + text.size();
    return ScanPlainRest(text.data(), end, &rest) == end ? rest.time_thousandths : -1;
  };
  EXPECT_EQ(time(" 1 1795314346.716\n"), 1795314346716);
  EXPECT_EQ(time(" 0.5 1795314346.71\n"), 1795314346710);
  EXPECT_EQ(time(" 1 1795314346716\n"), 1795314346716000);
  EXPECT_EQ(time(" 1 5\n"), 5000);
  // The bytes beside the digits, in every place.
  for (std::size_t at = 3; at < 17; ++at) {
    for (const char c : {'/', ':', '-', 'a'}) {
      std::string text = " 1 1795314346.716\n";
      text[at] = c;
      EXPECT_EQ(time(text), -1) << text;
    }
  }
  for (const char* other : {" 1\n", " 1 \n", " 1 1 \n", " 1 1 1\n", "1 1\n", " NaN 1\n", " 1 1e9\n",
                            " 1 -1\n", " 1234567890123456 1\n", " 1 1.0001\n", " 1 1\r\n"}) {
    EXPECT_EQ(time(other), -1) << other;
  }
}

}  // namespace
}  // namespace schedlens
