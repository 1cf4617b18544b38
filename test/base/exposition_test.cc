#include "base/exposition.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/url.h"
#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// `labels value@ms value@ms`, one series a line.
std::string Dump(const Exposition& exposition) {
  std::string out;
  for (const Series& series : exposition.series) {
    out += series.labels.ToString();
    for (const Sample& s : series.samples) {
      out += " " + std::to_string(s.v).substr(0, 4) + "@" + std::to_string(s.t);
    }
    out += "\n";
  }
  return out;
}

Exposition Parse(const std::string& text, std::optional<TimeMs> default_time = {}) {
  return ParseExposition(text, "f", default_time);
}

std::string MessageOf(const std::string& text) {
  try {
    Parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    return error.what();
  }
  return "no error";
}

TEST(ParseExposition, ReadsOpenMetrics) {
  const Exposition e = Parse(
      "# HELP a help \\n text\n"
      "# TYPE a counter\n"
      "# UNIT a seconds\n"
      "a_total{x=\"1\"} 5 10.5\n"
      "a_total{x=\"1\"} 6 20.25 # {trace=\"}\"} 0.5 19.9\n"
      "a_created{x=\"1\"} 9.5 20.25\n"
      "# EOF\n");
  EXPECT_EQ(Dump(e),
            "a_total{x=\"1\"} 5.00@10500 6.00@20250\n"
            "a_created{x=\"1\"} 9.50@20250\n");
  EXPECT_THAT(e.types, ElementsAre(Pair("a", "counter")));
  EXPECT_THAT(e.comments, IsEmpty());
  EXPECT_THAT(e.warnings, IsEmpty());
}

TEST(ParseExposition, ReadsPrometheusText) {
  const Exposition e = Parse(
      "#comment\n"
      "# another one\n"
      "\n"
      "# TYPE a_total counter\n"
      "  a_total { x = \"1\" , } 5 1795223360353 \n"
      "# TYPE b untyped\r\n"
      "b\t7\t1795223360353\r\n");
  EXPECT_EQ(Dump(e), "a_total{x=\"1\"} 5.00@1795223360353\nb 7.00@1795223360353\n");
  EXPECT_THAT(e.types, ElementsAre(Pair("a", "counter"), Pair("b", "unknown")));
  EXPECT_THAT(e.comments, ElementsAre("comment", "another one"));
  EXPECT_THAT(e.warnings, IsEmpty());
}

TEST(ParseExposition, TheUnitOfTimeFollowsFromTheWholeText) {
  const struct {
    const char* text;
    TimeMs first;
    bool warns;
  } cases[] = {
      {"a 1 1795223360\n# EOF\n", 1795223360000, false},
      {"a 1 1795223360\n# EOF", 1795223360000, false},
      {"a 1 1795223360\n", 1795223360000, false},     // too small for milliseconds
      {"a 1 1795223360353\n", 1795223360353, false},  // too large for seconds
      {"a 1 1795223360\na 2 1795223365.5\n", 1795223360000,
       true},  // a fraction, `# EOF` is missing
      {"# UNIT a s\na 1 1795223360\n", 1795223360000, true},
      {"a 1 1.795223360353e+09\n# EOF\n", 1795223360353, false},
      {"a 1 1795223360353\n# EOF\n", 1795223360353, true},  // sense against the format's word
      {"a 1 1795223360353\nb 1 0\n# EOF\n", 1795223360353, true},
      {"# UNIT a s\na 1 -1795223360353\n", -1795223360353, true},
      {"a 1 -1.5\n# EOF\n", -1500, false},
      {"a 1 0.0019999\n# EOF\n", 1, false},  // cut, not rounded
      {"a 1 1.001\n# EOF\n", 1001, false},   // 1.001 * 1000 is below 1001 in doubles
  };
  for (const auto& c : cases) {
    const Exposition e = Parse(c.text);
    EXPECT_EQ(e.series[0].samples[0].t, c.first) << c.text;
    EXPECT_EQ(!e.warnings.empty(), c.warns) << c.text;
  }
}

TEST(ParseExposition, AnAbsurdTimeIsLeftOutWithItsLine) {
  for (const char* absurd : {"99999999999999.5", "-99999999999999.5", "9000000000000000"}) {
    const Exposition e = Parse(fmt::format("a 1 1795223360.5\na 2 {0}\nb 2 {0}\n# EOF\n", absurd));
    EXPECT_EQ(Dump(e), "a 1.00@1795223360500\n") << absurd;
    ASSERT_EQ(e.warnings.size(), 1u) << absurd;
    EXPECT_EQ(e.warnings[0].id, "file.late");
    EXPECT_EQ(e.warnings[0].args[1].value.number, 2);
    EXPECT_EQ(e.warnings[0].args[2].value.number, 2);
  }
  EXPECT_EQ(Dump(Parse("a 1 1795223360\na 2 9000000000000000\n")), "a 1.00@1795223360000\n");
  EXPECT_EQ(Dump(Parse("a 1 1795223360353\na 2 1795223360354\n")),
            "a 1.00@1795223360353 2.00@1795223360354\n");
}

TEST(ParseExposition, TimesThatAreNoneInAnyUnitAreRefused) {
  for (const char* end : {"", "# EOF\n"}) {
    const std::string text = fmt::format("# HELP a b\na 1 1795223360353000\nb 1 2e15\n{}", end);
    EXPECT_THAT(MessageOf(text), HasSubstr("every time in it (first in line 2)"));
    EXPECT_THROW(ParseExposition(text, "x", std::nullopt, [](std::string_view) { return false; }),
                 Error);
  }
}

TEST(ParseExposition, SamplesWithoutTimestampGetTheDefault) {
  EXPECT_EQ(Dump(Parse("a 1\nb 2\n", 1795223360353)),
            "a 1.00@1795223360353\nb 2.00@1795223360353\n");
  EXPECT_EQ(Dump(Parse("a 1\nb 2 1795223360000\n", 5)), "a 1.00@5\nb 2.00@1795223360000\n");
  EXPECT_THAT(MessageOf("a 1\n"), HasSubstr("line 1, column 4: expected a timestamp"));
}

TEST(ParseExposition, QuotesNoPartOfASecret) {
  RegisterSecret("s3cret-token-that-is-longer-than-what-is-quoted");
  const std::string message = MessageOf("a s3cret-token-that-is-longer-than-what-is-quoted 1\n");
  EXPECT_THAT(message, HasSubstr("found [secret]"));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("s3cret")));
  ForgetSecrets();
}

TEST(ParseExposition, ReadsValuesAsPrometheusDoes) {
  const Exposition e = Parse(
      "a NaN 1.0\na +Inf 2.0\na -Inf 3.0\na 1e3 4.0\na .5 5.0\na 1e-400 6.0\n"
      "a 0.30000000000000004 7.0\na 123456789012345678 8.0\na 999999999999999 9.0\na -0 10\n# "
      "EOF\n");
  const auto& s = e.series[0].samples;
  EXPECT_TRUE(std::isnan(s[0].v));
  EXPECT_EQ(s[1].v, HUGE_VAL);
  EXPECT_EQ(s[2].v, -HUGE_VAL);
  EXPECT_EQ(s[3].v, 1000);
  EXPECT_EQ(s[4].v, 0.5);
  EXPECT_EQ(s[5].v, 0);
  EXPECT_EQ(s[6].v, 0.1 + 0.2);
  EXPECT_EQ(s[7].v, 123456789012345678.0);
  EXPECT_EQ(s[8].v, 999999999999999.0);
  EXPECT_TRUE(std::signbit(s[9].v));
}

TEST(ParseExposition, LabelTextsThatMeanTheSameAreOneSeries) {
  const Exposition e = Parse(
      "m{a=\"1\",b=\"2\"} 1 1.0\n"
      "m{b=\"2\",a=\"1\"} 2 2.0\n"
      "m{ a=\"1\", b=\"2\", c=\"\" } 3 3.0\n"
      "{\"m\",a=\"1\",\"b\"=\"2\"} 4 4.0\n"
      "m 5 1.0\n"
      "m{} 6 2.0\n"
      "# EOF\n");
  EXPECT_EQ(Dump(e),
            "m{a=\"1\",b=\"2\"} 1.00@1000 2.00@2000 3.00@3000 4.00@4000\nm 5.00@1000 6.00@2000\n");
}

TEST(ParseExposition, ResolvesEscapes) {
  const Exposition e =
      Parse("m{a=\"q\\\"b\\\\n\\nz\\d},{\"} 1 1.0\n{\"a.b\",\"c d\"=\"é\"} 2 1.0\n# EOF\n");
  EXPECT_EQ(e.series[0].labels.Get("a"), "q\"b\\n\nz\\d},{");
  EXPECT_EQ(e.series[1].labels.Get(kMetricName), "a.b");
  EXPECT_EQ(e.series[1].labels.Get("c d"), "é");
}

TEST(ParseExposition, RepairsOrderAndDuplicatesWithOneWarningEach) {
  const Exposition e = Parse(
      "a 3 3.0\na 1 1.0\na 2 2.0\na 2 2.0\na 9 2.0\n"
      "b 3 3.0\nb 1 1.0\n"
      "c NaN 1.0\nc NaN 1.0\n"
      "# EOF\n");
  EXPECT_EQ(Dump(e), "a 1.00@1000 2.00@2000 3.00@3000\nb 1.00@1000 3.00@3000\nc nan@1000\n");
  EXPECT_THAT(InEnglish(e.warnings),
              ElementsAre("f: timestamps go backwards 2 times (first in a); samples were sorted",
                          "f: 1 samples repeat a timestamp of their series with another value "
                          "(first in a); the first value was kept"));
}

TEST(ParseExposition, FollowsScrapeAfterScrapeAndSeriesAfterSeries) {
  std::string by_scrape;
  std::string by_series;
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 30; ++k) {
      const auto line = [](int scrape, int series) {
        return "m{s=\"" + std::to_string(series) + "\"} " + std::to_string(scrape * series) + " " +
               std::to_string(1000 + scrape) + ".5\n";
      };
      by_scrape += line(i, k);
      if (i < 30 && k < 30) by_series += line(k, i);
    }
    for (int k = 30; i < 30 && k < 40; ++k) {
      by_series += "m{s=\"" + std::to_string(i) + "\"} " + std::to_string(k * i) + " " +
                   std::to_string(1000 + k) + ".5\n";
    }
  }
  EXPECT_EQ(Dump(Parse(by_scrape + "# EOF\n")), Dump(Parse(by_series + "# EOF\n")));
  EXPECT_EQ(Parse(by_scrape + "# EOF\n").series.size(), 30u);
}

TEST(ParseExposition, OneMalformedLineGivesLineColumnAndWhatWasExpected) {
  const struct {
    const char* line;
    const char* message;
  } cases[] = {
      {"m{a=\"1\"", "column 8: expected `,` or `}` after a label, found the end of the line"},
      {"m{a=\"1} 1 1", "column 5: expected a closing double quote for this one, found `\"1} 1 1`"},
      {"m{a=1} 1 1", "column 5: expected a label value in double quotes, found `1} 1 1`"},
      {"m{a} 1 1", "column 4: expected `=` after a label name, found `} 1 1`"},
      {"m{1a=\"x\"} 1 1", "column 3: expected a label name or `}`, found `1a=\"x\"} 1 1`"},
      {"m{a=\"1\" b=\"2\"} 1 1",
       "column 9: expected `,` or `}` after a label, found `b=\"2\"} 1 1`"},
      {"m{a=\"1\",a=\"2\"} 1 1",
       "column 9: expected a label that was not given before, found `a=\"2\"} 1 1`"},
      {"{a=\"1\"} 1 1", "column 1: expected a metric name, found `{a=\"1\"} 1 1`"},
      {"{__name__=\"\"} 1 1", "column 1: expected a metric name, found `{__name__=\"\"} 1 1`"},
      {"1m 1 1", "column 1: expected a metric name, found `1m 1 1`"},
      {"m{a=\"1\"}1 1", "column 9: expected a blank and a value, found `1 1`"},
      {"m-x 1 1", "column 2: expected a blank and a value, found `-x 1 1`"},
      {"m", "column 2: expected a number as value, found the end of the line"},
      {"m one 1", "column 3: expected a number as value, found `one 1`"},
      {"m 0x1p3 1", "column 3: expected a number as value, found `0x1p3 1`"},
      {"m 1_000 1", "column 3: expected a number as value, found `1_000 1`"},
      {"m 1e999 1", "column 3: expected a number as value, found `1e999 1`"},
      {"m 1 soon", "column 5: expected a timestamp, found `soon`"},
      {"m 1 NaN", "column 5: expected a timestamp, found `NaN`"},
      {"m 1 99999999999999999999", "column 5: expected a timestamp, found `99999999999999999999`"},
      {"m 1 1 x", "column 7: expected the end of the line, found `x`"},
      {"m 1 1 # x", "column 9: expected an exemplar's `{`, found `x`"},
      {"m 1 1 # {a=\"b\"} x", "column 17: expected a number as value, found `x`"},
      {"# TYPE m",
       "column 9: expected a metric type (counter, gauge, histogram, summary, ...), found the end "
       "of the line"},
      {"# TYPE m timer",
       "column 10: expected a metric type (counter, gauge, histogram, summary, ...), found "
       "`timer`"},
      {"# TYPE 1m gauge", "column 8: expected a metric name, found `1m gauge`"},
      {"m\x01 1 1", "column 2: expected a blank and a value, found `\\x01 1 1`"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(MessageOf("ok 1 1\n" + std::string(c.line) + "\nok 2 2\n"),
              "reading f: line 2, " + std::string(c.message));
  }
}

TEST(ParseExposition, RefusesWhatIsNoText) {
  const std::string binary =
      "reading f: line 1: binary data, neither Prometheus text nor OpenMetrics";
  EXPECT_EQ(MessageOf(std::string("m\0 1 1\n", 7)), binary);
  EXPECT_EQ(MessageOf("m{a=\"\xff\"} 1 1\n"), binary);
  EXPECT_EQ(MessageOf("m{a=\"\xed\xa0\x80\"} 1 1\n"), binary);
  EXPECT_EQ(MessageOf("# \xc3\n"), binary);
  EXPECT_EQ(MessageOf("\x7f"
                      "ELF\x02\x01\n"),
            "reading f: line 1, column 1: expected a metric name, found `\\x7fELF\\x02\\x01`");
}

TEST(ParseExposition, RefusesCutTexts) {
  EXPECT_EQ(MessageOf(""), "reading f: the file is empty");
  EXPECT_EQ(MessageOf("a 1 1\na 2 2"),
            "reading f: line 2, column 6: expected a line end (is the file cut off?), found the "
            "end of the line");
  EXPECT_EQ(MessageOf("# EOF\na 1 1\n"),
            "reading f: line 2, column 1: expected nothing after the line `# EOF`, found `a 1 1`");
  EXPECT_THAT(Parse("# EOF\n").series, IsEmpty());
  EXPECT_THAT(Parse("# EOF\n\n").series, IsEmpty());
}

class ReadExpositionTest : public testing::Test {
 protected:
  std::string Write(const std::string& content) {
    WriteFileAtomically(path_, content);
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string MessageOf(const std::string& path) {
    try {
      ReadExposition(path, std::nullopt);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::string path_ = testing::TempDir() + "exposition_test_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ReadExpositionTest, PlainAndPackedFilesGiveWhatTheTextGives) {
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    text += "metric_with_a_name{series=\"" + std::to_string(i % 700) + "\"} " + std::to_string(i) +
            " " + std::to_string(i) + ".125\n";
  }
  text += "# EOF\n";
  const std::string expected = Dump(Parse(text));
  EXPECT_EQ(Dump(ReadExposition(Write(text), std::nullopt)), expected);
  EXPECT_EQ(Dump(ReadExposition(Write(Gzip(text)), std::nullopt)), expected);
  const std::string members = Gzip(text.substr(0, 5001)) + Gzip("") + Gzip(text.substr(5001));
  EXPECT_EQ(Dump(ReadExposition(Write(members + std::string(512, '\0')), std::nullopt)), expected);
}

TEST_F(ReadExpositionTest, ALongLineIsReadAndATooLongOneRefused) {
  const std::string value(10 << 20, 'x');
  const Exposition e = ReadExposition(Write("m{a=\"" + value + "\"} 1 1.5\n# EOF\n"), std::nullopt);
  EXPECT_EQ(e.series[0].labels.Get("a").size(), value.size());
  EXPECT_THAT(MessageOf(Write(value)), HasSubstr("line 1, column 10485761: expected a number"));
  EXPECT_THAT(MessageOf(Write(std::string(64 << 20, 'x'))), HasSubstr("longer than 64 MiB"));
}

TEST_F(ReadExpositionTest, AMillionLabelsOnOneLineAreRead) {
  std::string line = "m{";
  for (int i = 0; i < 1000000; ++i) line += "l" + std::to_string(i) + "=\"x\",";
  const Exposition e = ReadExposition(Write(line + "} 1 1.5\n# EOF\n"), std::nullopt);
  EXPECT_EQ(e.series[0].labels.size(), 1000001u);
  EXPECT_THAT(MessageOf(Write(line + "l5=\"x\"} 1 1.5\n# EOF\n")),
              HasSubstr("column 11888893: expected a label that was not given before"));
}

TEST_F(ReadExpositionTest, EachBadFileIsOneClearLine) {
  const std::string packed = Gzip("a 1 1.5\n# EOF\n");
  EXPECT_EQ(MessageOf("none.om"), "reading none.om: No such file or directory");
  EXPECT_EQ(MessageOf("/"), "reading /: Is a directory");
  const struct {
    std::string content;
    const char* why;
  } cases[] = {
      {"", "the file is empty"},
      {Gzip(""), "the file is empty"},
      {packed.substr(0, packed.size() - 3), "gzip data ends early (truncated file?)"},
      {packed.substr(0, 2), "gzip data ends early (truncated file?)"},
      {packed + "x", "bytes after the end of the gzip data"},
      {"\x1f\x8bxxxxxxxxxx", "damaged gzip data: unknown compression method"},
      {std::string(2 << 20, '\0'), "binary data, neither Prometheus text nor OpenMetrics"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(MessageOf(Write(c.content)), "reading " + path_ + ": " + c.why);
  }
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_EQ(MessageOf(Write(damaged)),
            "reading " + path_ + ": damaged gzip data: incorrect data check");
}

}  // namespace
}  // namespace schedlens
