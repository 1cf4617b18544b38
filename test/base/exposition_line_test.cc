#include <gtest/gtest.h>

#include "base/exposition_reader.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(ParseRest, ReadsValueTimeAndExemplar) {
  const struct {
    const char* text;
    double value;
    bool has_time;
    std::int64_t thousandths;
    bool decimal;
    bool exemplar;
  } cases[] = {
      {" 1", 1, false, 0, false, false},
      {" 1.5 10", 1.5, true, 10000, false, false},
      {"\t2  -10.25 ", 2, true, -10250, true, false},
      {" 5. 5.", 5, true, 5000, true, false},
      {" .5 .5", 0.5, true, 500, true, false},
      {" 1 1.1239", 1, true, 1123, true, false},
      {" 1234567890123456 2", 1234567890123456, true, 2000, false, false},
      {" 0.1234567890123456 1795223360.353", 0.1234567890123456, true, 1795223360353, true, false},
      {" 3 1e2", 3, true, 100000, true, false},
      {" 3 15e-1", 3, true, 1500, true, false},
      {" 3 1e-9", 3, true, 0, true, false},
      {" 4 5 # {} 1", 4, true, 5000, false, true},
      {" 4 # {a=\"b\"} 1 2.5", 4, false, 0, false, true},
      {" 5 1.00099999999999999999999999", 5, true, 1000, true, false},
  };
  for (const auto& c : cases) {
    const Rest rest = ParseRest({c.text, 1, "f"}, 0);
    EXPECT_EQ(rest.value, c.value) << c.text;
    EXPECT_EQ(rest.has_time, c.has_time) << c.text;
    EXPECT_EQ(rest.time_thousandths, c.thousandths) << c.text;
    EXPECT_EQ(rest.time_is_decimal, c.decimal) << c.text;
    EXPECT_EQ(rest.has_exemplar, c.exemplar) << c.text;
  }
}

TEST(ParseRest, RefusesTimesThatDoNotFit) {
  for (const char* text : {" 1 1e17", " 1 9100000000000000000", " 1 1e", " 1 1e1.5", " 1 .", " 1 -",
                           " 1 1e99999999999", " 1 0x10", " 1 +Inf"}) {
    EXPECT_THROW(ParseRest({text, 1, "f"}, 0), Error) << text;
  }
}

TEST(ParseHashLine, TellsMetadataFromComments) {
  const struct {
    const char* text;
    HashLine kind;
    const char* family;
    const char* rest;
  } cases[] = {
      {"# EOF", HashLine::kEof, "", ""},
      {"#EOF", HashLine::kComment, "", "EOF"},
      {"# EOF ", HashLine::kComment, "", "EOF "},
      {"#", HashLine::kComment, "", ""},
      {"#TYPE a gauge", HashLine::kComment, "", "TYPE a gauge"},
      {"# TYPE a gauge", HashLine::kType, "a", "gauge"},
      {"#\tTYPE  a\tuntyped ", HashLine::kType, "a", "unknown"},
      {"# TYPE \"a.b\" gauge", HashLine::kType, "a.b", "gauge"},
      {"# HELP a", HashLine::kHelp, "a", ""},
      {"# HELP a some  text", HashLine::kHelp, "a", "some  text"},
      {"# HELP \"a b\" some  text", HashLine::kHelp, "a b", "some  text"},
      {"# HELP \"a \\\"b\" c", HashLine::kHelp, "a \"b", "c"},
      {"# UNIT a_seconds seconds", HashLine::kUnit, "a_seconds", "seconds"},
  };
  for (const auto& c : cases) {
    const Metadata metadata = ParseHashLine({c.text, 1, "f"}, 0);
    EXPECT_EQ(metadata.kind, c.kind) << c.text;
    EXPECT_EQ(metadata.family, c.family) << c.text;
    EXPECT_EQ(metadata.text, c.rest) << c.text;
  }
}

TEST(ParseKey, StopsBehindTheLabelSet) {
  const struct {
    const char* text;
    std::size_t end;
  } cases[] = {
      {"m 1 2", 1},     {"m{} 1", 3}, {"m {a=\"}\"} 1", 9}, {"m{a=\"\\\"}\"} 1", 10},
      {"{\"x\"} 1", 5}, {"m", 1},     {"m{}x", 3},
  };
  for (const auto& c : cases) {
    std::size_t at = 0;
    ParseKey({c.text, 1, "f"}, &at);
    EXPECT_EQ(at, c.end) << c.text;
  }
}

TEST(ParseKey, ReadsEverySpelling) {
  const struct {
    const char* text;
    const char* labels;
  } cases[] = {
      {"m", "m"},
      {"m{}", "m"},
      {"m {a=\"1\"}", "m{a=\"1\"}"},
      {"m{b=\"2\",a=\"1\",}", "m{a=\"1\",b=\"2\"}"},
      {"m{\ta = \"\" , b=\"x\"}", "m{b=\"x\"}"},
      {"{\"m\"}", "m"},
      {"{\"m.n\",\"a b\"=\"1\"}", "{\"m.n\",\"a b\"=\"1\"}"},
      {"{__name__=\"m\"}", "m"},
      {"a:b", "a:b"},
  };
  for (const auto& c : cases) {
    std::size_t at = 0;
    EXPECT_EQ(ParseKey({c.text, 1, "f"}, &at).ToString(), c.labels) << c.text;
    EXPECT_EQ(at, std::string_view(c.text).size()) << c.text;
  }
}

TEST(ParseKey, RefusesMalformedLabelSets) {
  for (const char* text :
       {"", "{}", "m{", "m{a", "m{a=", "m{a=\"", "m{a=\"\\\"", "m{,}", "m{a=\"1\"\"b\"}", "m{\"\"}",
        "m{a:b=\"1\"}", "m{\"n\"}", "m{a=\"1\",a=\"\"}"}) {
    std::size_t at = 0;
    EXPECT_THROW(ParseKey({text, 1, "f"}, &at), Error) << text;
  }
}

TEST(ParseRest, AnExemplarNeedsNoMetricName) {
  EXPECT_TRUE(ParseRest({" 1 # {trace_id=\"1\"} 1", 1, "f"}, 0).has_exemplar);
  EXPECT_THROW(ParseRest({" 1 # {trace_id=\"1\",trace_id=\"2\"} 1", 1, "f"}, 0), Error);
}

}  // namespace
}  // namespace schedlens
