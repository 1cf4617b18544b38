#include "lint/checks.h"
#include "lint/linted.h"

namespace schedlens::lint {
namespace {

TEST(LogQlTest, HasFiltersAndPipesBehindASelector) {
  for (const char* expr :
       {"sum(rate({app=\"a\"} |= \"error\" [5m])) > 1", "rate({app=\"a\"} |~ `x|y` [5m])",
        "sum by (job) (count_over_time({app=\"a\"} | json | level=\"error\" [5m]))",
        "rate({app=\"a\"} != \"debug\" [5m])", "rate({app=\"}\"}\n  |= \"x\"[1m])"}) {
    EXPECT_TRUE(IsLogQl(expr)) << expr;
  }
  for (const char* expr : {"sum({a=\"} | b\"}) > (", "a{b=\"c\"} != 5 +", "a{b=\"c\"", "a || b"}) {
    EXPECT_FALSE(IsLogQl(expr)) << expr;
  }
}

TEST(LogQlTest, IsLeftAsItIs) {
  test::ExpectLinted({
      {"sum(rate({app=\"kube-scheduler\"} |= \"error\" [5m])) > 1", {"logql"}, nullptr},
      {"sum(rate(a{b=\"c\"}[5m])", {"syntax"}, nullptr},
  });
}

}  // namespace
}  // namespace schedlens::lint
