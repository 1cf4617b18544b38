#include <gtest/gtest.h>

#include "promql/parser.h"

namespace schedlens::promql {
namespace {

TEST(EditedTest, KeepsWhatIsTheSameToTheLetter) {
  const struct {
    const char* text;
    const char* after;
    const char* edited;
  } cases[] = {
      {"sum( rate(x{a='b'}[5m]) )  by(job) # why\n  > 3",
       "sum by (job, le) (rate(x{a=\"b\"}[5m])) > 3",
       "sum( rate(x{a='b'}[5m]) )  by(job, le) # why\n  > 3"},
      {"sum(rate(x[5m]))", "sum by (le) (rate(x[5m]))", "sum by (le) (rate(x[5m]))"},
      {"sum (rate(x[5m]))", "sum by (le) (rate(x[5m]))", "sum by (le) (rate(x[5m]))"},
      {"sum without ( le,pod )(x)", "sum without (pod) (x)", "sum without (pod)(x)"},
      {"f{a='b'}  and\n  max(f{a='b'})", "rate(f{a=\"b\"}[5m]) and max(f{a=\"b\"})",
       "rate(f{a='b'}[5m])  and\n  max(f{a='b'})"},
      {"rate( old{a='b'} [30s] offset 1m )", "rate(new{a=\"b\"}[5m] offset 1m)",
       "rate( new{a='b'} [5m] offset 1m )"},
      {"(sum( x )) > 3", "sum by (le) (x) > 4.096", "(sum by (le) ( x )) > 4.096"},
      {"rate( x [5m] )", "deriv(x[5m])", "deriv( x [5m] )"},
      {"x{a = 'b',c=~\"d\" }", "x{e=\"b\", c=~\"f\"}", "x{e = 'b',c=~\"f\" }"},
      {"{'x', a='b'}", "{\"x\", a=\"c\"}", "{'x', a='c'}"},
      // Another shape: written anew, the rest stays.
      {"avg( a )   > 3", "max(b) > 3", "max(b)   > 3"},
      {"2  *  a", "2 * (a + b)", "2  *  (a + b)"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Edited(c.text, *Parse(c.text), *Parse(c.after)), c.edited) << c.text;
    EXPECT_EQ(Edited(c.text, *Parse(c.text), *Parse(c.text)), c.text);
  }
}

}  // namespace
}  // namespace schedlens::promql
