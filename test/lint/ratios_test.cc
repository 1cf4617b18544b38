#include "lint/linted.h"

namespace schedlens {
namespace {

using test::ExpectLinted;

TEST(SelfRatioTest, APartOverTheWholeSeriesBySeriesIsOne) {
  ExpectLinted({
      {"rate(scheduler_schedule_attempts_total{result=\"error\"}[5m])\n"
       "  / rate(scheduler_schedule_attempts_total[5m]) > 0.1",
       {"divided-by-itself"},
       "sum without (result) (rate(scheduler_schedule_attempts_total{result=\"error\"}[5m]))\n"
       "  / sum without (result) (rate(scheduler_schedule_attempts_total[5m])) > 0.1"},
      {"100 * increase(a_total{x=\"1\",y!=\"2\"}[1h]) / (increase(a_total{y!=\"2\"}[1h])) > 5",
       {"divided-by-itself"},
       "100 * sum without (x) (increase(a_total{x=\"1\",y!=\"2\"}[1h])) / (sum without (x) "
       "(increase(a_total{y!=\"2\"}[1h]))) > 5"},
      {"rate(a_total[5m]) / rate(a_total[5m])", {"divided-by-itself"}, nullptr},
      {"go_goroutines{job=\"a\"} / go_goroutines > 2",
       {"divided-by-itself"},
       "sum without (job) (go_goroutines{job=\"a\"}) / sum without (job) (go_goroutines) > 2"},
  });
}

TEST(SelfRatioTest, OtherQuotientsHaveAMeaning) {
  ExpectLinted({
      {"sum(rate(a_total{x=\"1\"}[5m])) / sum(rate(a_total[5m]))", {}, nullptr},
      {"rate(a_sum[5m]) / rate(a_count[5m])", {}, nullptr},
      {"rate(a_total{x=\"1\"}[5m]) / ignoring(x) group_left rate(a_total[5m])", {}, nullptr},
      {"rate(a_total{x=\"1\"}[5m]) / on(job) rate(a_total{x=\"2\"}[5m])", {}, nullptr},
      {"rate(a_total{x=\"1\"}[5m]) / rate(a_total{x=\"2\"}[5m])", {}, nullptr},
      {"rate(a_total[5m]) / rate(a_total{x=\"2\"}[5m])", {}, nullptr},
      {"rate(a_total[5m]) / rate(a_total[5m] offset 1d)", {}, nullptr},
      {"rate(a_total[5m]) / rate(a_total[1h])", {}, nullptr},
      {"rate(a_total[5m]) / increase(a_total[5m])", {}, nullptr},
      {"a / a * 2 > 1 and a{x=\"1\"} * a > 3", {"divided-by-itself"}, nullptr},
  });
}

TEST(PerPluginTest, PodsAreCountedOnceForEachPlugin) {
  ExpectLinted({
      {"sum(scheduler_unschedulable_pods) > 10", {"counted-per-plugin"}, nullptr},
      {"sum by (profile) (scheduler_unschedulable_pods{job=\"kube-scheduler\"})",
       {"counted-per-plugin"},
       nullptr},
      {"sum without (plugin) (scheduler_unschedulable_pods)", {"counted-per-plugin"}, nullptr},
      {"sum by (plugin) (scheduler_unschedulable_pods) > 10", {}, nullptr},
      {"sum without (instance) (scheduler_unschedulable_pods) > 10", {}, nullptr},
      {"sum(scheduler_unschedulable_pods{plugin=\"NodeAffinity\"}) > 10", {}, nullptr},
      {"max(scheduler_unschedulable_pods) > 10", {}, nullptr},
  });
}

}  // namespace
}  // namespace schedlens
