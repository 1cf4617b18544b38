#include "lint/linted.h"

namespace schedlens {
namespace {

using test::ExpectLinted;

#define ATTEMPT "scheduler_scheduling_attempt_duration_seconds_bucket{result=\"scheduled\"}"
#define RATE "rate(" ATTEMPT "[5m])"
#define ETCD "etcd_disk_wal_fsync_duration_seconds_bucket"

TEST(BucketsTest, WhatMixesThemOrLeavesSomeOutIsNoHistogram) {
  ExpectLinted({
      {"histogram_quantile(0.99, sum by (le) (max without (replica) (" RATE "))) > 1.024",
       {"buckets-cut"},
       nullptr},
      {"histogram_quantile(0.99, max by (le) (" RATE "))", {"buckets-cut"}, nullptr},
      {"histogram_quantile(0.99, min without (pod) (" RATE "))", {"buckets-cut"}, nullptr},
      {"histogram_quantile(0.99, topk(5, " RATE "))", {"buckets-cut"}, nullptr},
      {"histogram_quantile(0.99, bottomk by (le) (1, " RATE "))", {"buckets-cut"}, nullptr},
      {"histogram_quantile(0.99, count by (le) (" RATE "))", {"buckets-cut"}, nullptr},
      {"histogram_quantile(0.99, quantile by (le) (0.5, " RATE "))", {"buckets-cut"}, nullptr},
      {"histogram_quantile(0.99, max_over_time(sum by (le) (" RATE ")[1h:5m]))",
       {"buckets-cut"},
       nullptr},
      {"histogram_quantile(0.99, sum by (le) (" RATE " > 5))", {"buckets-cut"}, nullptr},
      {"histogram_quantile(0.99, sum by (le) (" RATE " > bool 0))", {"buckets-cut"}, nullptr},
      {"histogram_quantile(0.99, sum by (le) (" RATE " > 0)) > 1.024",
       {"buckets-cut"},
       "histogram_quantile(0.99, sum by (le) (" RATE ")) > 1.024"},
      {"histogram_quantile(0.99, sum by (le) (" RATE ") != 0)",
       {"buckets-cut"},
       "histogram_quantile(0.99, sum by (le) (" RATE "))"},
      {"histogram_quantile(0.9, max by (le) (job:own_bucket:rate5m))", {"buckets-cut"}, nullptr},
  });
}

TEST(BucketsTest, AMatcherOfLeLeavesSomeOut) {
  const std::string good = "histogram_quantile(0.99, sum by (le) (rate(" ETCD "[5m])))";
  for (const char* matcher : {"le!=\"+Inf\"", "le=\"0.512\"", "le=~\"0.+\"", "le!~\"8.192|4.096\"",
                              "le=~\"0.512|[+]Inf\""}) {
    const std::string cut =
        "histogram_quantile(0.99, sum by (le) (rate(" ETCD "{" + std::string(matcher) + "}[5m])))";
    ExpectLinted({{cut.c_str(), {"buckets-cut"}, good.c_str()}});
  }
  for (const char* matcher : {"le!=\"\"", "le=~\".+\"", "le=~\"$le\""}) {
    const std::string whole =
        "histogram_quantile(0.99, sum by (le) (rate(" ETCD "{" + std::string(matcher) + "}[5m])))";
    ExpectLinted({{whole.c_str(), {}, nullptr}});
  }
}

TEST(BucketsTest, WhatKeepsThemInOrderIsNoFault) {
  ExpectLinted({
      {"histogram_quantile(0.99, avg by (le) (" RATE "))", {}, nullptr},
      {"histogram_quantile(0.99, sum by (le) (increase(" ATTEMPT "[5m])) / 300)", {}, nullptr},
      {"histogram_quantile(0.99, label_replace(sum by (le) (" RATE
       "), \"a\", \"b\", \"c\", \"d\"))",
       {},
       nullptr},
      {"histogram_quantile(0.99, sum by (le) (" RATE
       " and on (instance) max by (instance) (up) > 0))",
       {},
       nullptr},
      {"histogram_quantile(0.99, sum by (le) (" RATE ") / on () group_left () max(up))",
       {},
       nullptr},
      {"histogram_quantile(0.99, avg_over_time(sum by (le) (" RATE ")[1h:5m]))", {}, nullptr},
      {"max(histogram_quantile(0.99, sum by (le, pod) (" RATE "))) > 1.024", {}, nullptr},
      {"histogram_quantile(0.99, " ATTEMPT " - " ATTEMPT " offset 5m)", {}, nullptr},
  });
}

TEST(BucketsTest, WhatIsLeftOfACounterOverTimeIsTheCounter) {
  const std::vector<std::string> found = {"missing-rate"};
  for (const char* function : {"avg_over_time", "last_over_time", "sum_over_time"}) {
    const std::string of = function;
    const std::string expr =
        "histogram_quantile(0.99, sum by (le) (" + of + "(" ATTEMPT "[10m]))) > 1.024";
    ExpectLinted({{expr.c_str(), found,
                   "histogram_quantile(0.99, sum by (le) (rate(" ATTEMPT "[10m]))) > 1.024"}});
  }
  ExpectLinted({
      {"histogram_quantile(0.99, avg_over_time(sum by (le) (" ATTEMPT ")[1h:5m]))", found,
       "histogram_quantile(0.99, avg_over_time(sum by (le) (" RATE ")[1h:5m]))"},
      {"histogram_quantile(0.99, sum by (le) (last_over_time(job:x_bucket:rate5m[5m])))",
       {},
       nullptr},
  });
}

TEST(BucketsTest, IrateLooksAtTwoScrapes) {
  ExpectLinted({
      {"histogram_quantile(0.99, sum by (le) (irate(" ATTEMPT "[5m]))) > 1.024",
       {"irate-in-quantile"},
       "histogram_quantile(0.99, sum by (le) (" RATE ")) > 1.024"},
      {"irate(scheduler_schedule_attempts_total[5m]) > 100", {}, nullptr},
  });
}

TEST(BucketsTest, TheControlPlanesHaveBoundsAndReleases) {
#define API \
  "histogram_quantile(0.99, sum by (le) (rate(apiserver_request_duration_seconds_bucket[5m])))"
  ExpectLinted({
      {"histogram_quantile(0.99, rate(" ETCD "[5m])) > 0.5",
       {"threshold-inside-bucket"},
       "histogram_quantile(0.99, rate(" ETCD "[5m])) > 0.512"},
      {"histogram_quantile(0.99, rate(" ETCD "{job=\"etcd\"}[5m])) > 0.512", {}, nullptr},
      {API " > 100", {"threshold-over-top"}, API " > 45"},
      {API " > 1", {}, nullptr},
      {API " > 2.5", {"threshold-inside-bucket"}, API " > 3"},
      {API " > 2.5", {}, nullptr, 20},
      // Their bounds differ by release: above 60 s is above all of them.
      {API " > 100", {"threshold-over-top"}, nullptr, std::nullopt},
      {API " > 2.5", {}, nullptr, std::nullopt},
      {API " > 55", {}, nullptr, std::nullopt},
      // Others have these names and buckets of their own.
      {"histogram_quantile(0.99, rate(grpc_server_handling_seconds_bucket[5m])) > 0.3",
       {},
       nullptr},
      {"histogram_quantile(0.99, rate(workqueue_queue_duration_seconds_bucket[5m])) > 3",
       {},
       nullptr},
      {"histogram_quantile(0.99, sum by (le) (rate(etcd_request_latency_seconds_bucket[5m])))",
       {"metric-removed"},
       nullptr},
      {"rate(apiserver_request_count[5m]) > 3", {"metric-removed"}, nullptr},
      {"histogram_quantile(0.99, sum by (le) (rate(apiserver_request_latencies_bucket[5m])))",
       {"metric-removed"},
       nullptr},
      {"sum(etcd_object_counts) > 3", {"metric-removed"}, "sum(apiserver_storage_objects) > 3"},
      {"sum(apiserver_storage_objects) or sum(etcd_object_counts)", {}, nullptr},
      {"sum(rate(apiserver_request_terminations_total[5m])) > 3", {}, nullptr},
      // Its labels are others: nothing that another name alone would mend.
      {"apiserver_storage_db_total_size_in_bytes > 3", {"metric-hidden"}, nullptr},
      // Numbered by themselves.
      {"rate(etcd_server_apply_duration_seconds_count[5m]) > 3", {}, nullptr, 18},
      {"kube_pod_status_ready_time > 3", {}, nullptr},
  });
}

TEST(BucketsTest, ADeadMetricIsReplacedWhollyOrNotAtAll) {
  const char* e2e = "rate(scheduler_e2e_scheduling_duration_seconds_count{result=\"error\"}[5m])";
  const char* attempt =
      "rate(scheduler_scheduling_attempt_duration_seconds_count{result=\"error\"}[5m])";
  const std::string both = std::string("sum(") + e2e + ") > 1 and sum(" + e2e + ") > 2";
  const std::string mended = std::string("sum(") + attempt + ") > 1 and sum(" + attempt + ") > 2";
  const std::string half =
      std::string("sum(") + e2e + ") / sum(rate(scheduler_binding_duration_seconds_count[5m]))";
  ExpectLinted({
      {both.c_str(), {"metric-removed", "metric-removed"}, mended.c_str()},
      {half.c_str(), {"metric-removed", "metric-removed"}, nullptr},
      {"sum by (work) (scheduler_scheduler_goroutines) > 3", {"metric-removed"}, nullptr},
  });
}

TEST(BucketsTest, WholeBoundsAreWrittenTwoWays) {
  ExpectLinted({
      {"rate(apiserver_request_duration_seconds_bucket{le=\"1\"}[5m]) > 1",
       {"le-without-point"},
       "rate(apiserver_request_duration_seconds_bucket{le=~\"1(\\\\.0)?\"}[5m]) > 1"},
      {"rate(scheduler_pod_scheduling_attempts_bucket{le=~\"1|2\"}[5m]) > 1",
       {"le-without-point"},
       "rate(scheduler_pod_scheduling_attempts_bucket{le=~\"1(\\\\.0)?|2(\\\\.0)?\"}[5m]) > 1"},
      {"rate(own_bucket{le=\"5\"}[5m]) > 1",
       {"le-without-point"},
       "rate(own_bucket{le=~\"5(\\\\.0)?\"}[5m]) > 1"},
      {"rate(apiserver_request_duration_seconds_bucket{le=\"1.0\"}[5m]) > 1", {}, nullptr},
      {"rate(apiserver_request_duration_seconds_bucket{le=\"0.4\"}[5m]) > 1", {}, nullptr},
      {"rate(apiserver_request_duration_seconds_bucket{le!=\"1\"}[5m]) > 1", {}, nullptr},
  });
}

TEST(BucketsTest, AreNotThereWhereTheServerKeepsNativeHistogramsAlone) {
  const std::string family = "scheduler_scheduling_attempt_duration_seconds";
  const std::string native =
      "histogram_quantile(0.99, sum(rate(" + family + "{result=\"scheduled\"}[5m])))";
  LintOptions options;
  options.release = 37;
  options.native = options.exposed = options.native_only = {family};
  const auto ids = [&](const std::string& expr) {
    return test::IdsOf(Lint({{"g", "r", true, expr, 1}}, options));
  };
  using IdList = std::vector<std::string>;
  const std::string classic = "histogram_quantile(0.99, sum by (le) (" RATE "))";
  EXPECT_EQ(ids(classic), IdList{"no-buckets"});
  EXPECT_EQ(ids(native), IdList());
  EXPECT_EQ(ids(classic + " or " + native), IdList());
  options.native_only.clear();
  EXPECT_EQ(ids(classic), IdList());
}

#undef ATTEMPT
#undef RATE
#undef ETCD
#undef API

}  // namespace
}  // namespace schedlens
