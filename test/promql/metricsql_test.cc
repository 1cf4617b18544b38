#include <gtest/gtest.h>

#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

/// That both ask for the same, whatever parentheses and blanks the templates leave.
void ExpectSame(const std::string& written, const std::string& plain) {
  const std::string out = WrittenOut(written);
  try {
    EXPECT_TRUE(SameTree(*Parse(out), *Parse(plain))) << written << "\n" << out;
  } catch (const Error& error) {
    ADD_FAILURE() << written << "\n" << out << "\n" << error.what();
  }
}

TEST(WrittenOutTest, LeavesPromqlAlone) {
  for (const char* text : {"sum without (pod) (rate(x_bucket[5m])) > 3", "with_total", "",
                           "x{a=\"with\"}", "  sum  by (le)(x)"}) {
    EXPECT_EQ(WrittenOut(text), text);
  }
}

TEST(WrittenOutTest, WritesTemplatesOut) {
  const std::pair<const char*, const char*> cases[] = {
      {"WITH (x = 5m) rate(a_total[x])", "(rate(a_total[5m]))"},
      {"with (q = 0.99) histogram_quantile(q, rate(a_bucket[5m])) > 3",
       "(histogram_quantile(0.99, rate(a_bucket[5m])) > 3)"},
      {"WITH (f = {job=\"s\", result!=\"error\"}) rate(a_bucket{f, le=\"1\"}[5m])",
       "(rate(a_bucket{job=\"s\", result!=\"error\", le=\"1\"}[5m]))"},
      {"WITH (f = {job=\"s\"}) sum(rate(a_total{f}[5m])) / sum(rate(b_total{f}[5m]))",
       "(sum(rate(a_total{job=\"s\"}[5m])) / sum(rate(b_total{job=\"s\"}[5m])))"},
      {"WITH (m = a_bucket{job=\"s\"}) rate(m[5m]) + rate(m{le=\"1\"}[5m])",
       "(rate(a_bucket{job=\"s\"}[5m]) + rate(a_bucket{job=\"s\",le=\"1\"}[5m]))"},
      {"WITH (p(q, m) = histogram_quantile(q, sum by (le) (rate(m[5m])))) p(0.9, a_bucket) > 1",
       "((histogram_quantile(0.9, sum by (le) (rate(a_bucket[5m])))) > 1)"},
      {"WITH (a = 1 + 2, b = a * 3,) b / 4", "(((1 + 2) * 3) / 4)"},
      {"(WITH (a = x) a) + (WITH (a = y) a)", "((x)) + ((y))"},
      {"WITH (pod = x) sum by (pod) (pod)", "(sum by (pod) (x))"},
      {"WITH (job = y) x{job=\"s\"}", "(x{job=\"s\"})"},
  };
  for (const auto& [written, plain] : cases) ExpectSame(written, plain);
}

TEST(WrittenOutTest, DropsKeepMetricNames) {
  ExpectSame("histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m]) keep_metric_names)) > 1",
             "histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m]))) > 1");
  ExpectSame("rate({__name__=~\"a|b\"}[5m]) keep_metric_names", "rate({__name__=~\"a|b\"}[5m])");
  ExpectSame("{a=\"b\"} keep_metric_names", "{a=\"b\"}");
  ExpectSame("-keep_metric_names % 3", "-keep_metric_names % 3");
}

TEST(WrittenOutTest, WhatIsNoTemplateStays) {
  for (const char* text : {"WITH (", "WITH (x) y", "WITH (x = ) y", "WITH (f(a) = a) f", "WITH ()",
                           "WITH (f(a) = a) f()", "WITH (a = x) y{a}", "WITH (1 = 2) 3"}) {
    try {
      EXPECT_FALSE(WrittenOut(text).empty()) << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    }
  }
  EXPECT_EQ(WrittenOut("WITH (x) y"), "WITH (x) y");
}

// Each line doubles what is before it.
TEST(WrittenOutTest, TemplatesThatGrowAreRefused) {
  std::string text = "WITH (a0 = x";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "a" + std::to_string(i - 1);
    text += ", a" + std::to_string(i) + " = " + last + " + " + last;
  }
  EXPECT_THROW(WrittenOut(text + ") a59"), Error);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "WITH (a = ";
  EXPECT_THROW(WrittenOut(deep + "1"), Error);
  EXPECT_THROW(WrittenOut("WITH (f(x) = f(x)) f(1)"), Error);
}

}  // namespace
}  // namespace schedlens::promql
