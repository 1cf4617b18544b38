#include "model/exposition_line.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace schedlens
