#include "analysis/causes/rules.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/glossary/glossary.h"
#include "analysis/incident.h"

namespace schedlens {
namespace {

TEST(RulesTest, EveryRuleHasItsOwnIdAndText) {
  std::set<std::string_view> ids;
  for (const CauseRule& rule : Rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_NO_THROW(TextOfFinding(rule.id)) << rule.id;
  }
  EXPECT_EQ(ids.size(), 18u);
}

TEST(RulesTest, QueriesCarrySelectorWindowAndTime) {
  const auto r = test::Judge(test::Quick);
  EXPECT_EQ(IncreaseQuery(r.c, "x_sum", "verb=\"POST\""),
            "sum(increase(x_sum{verb=\"POST\", job=~\"kube-scheduler\"}[2m30s] @ 250))");
}

/// The loop burns the processor, and binds are slow exactly where it does.
TEST(CpuStarvedTest, NeedsCpuAndBindsThatFollowTheLoop) {
  const auto judge = [](double cpu, bool follow) {
    test::Recorder r;
    int scrape = 0;
    test::RecordIncident(
        &r,
        [&](int i) {
          const double load = 1 + (i / 50) % 6;
          return test::Attempt{.prescore = 0.02 * load, .bind = follow ? 0.02 * load : 0.05};
        },
        50,
        [&](test::Recorder& rec) {
          rec.Add("process_cpu_seconds_total", {}, cpu);
          ++scrape;
        });
    return CpuStarved(test::Judge(r).c);
  };
  EXPECT_TRUE(judge(4, true));
  EXPECT_FALSE(judge(4, false));
  EXPECT_FALSE(judge(0, true));
}

}  // namespace
}  // namespace schedlens
