#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/state_metrics.h"

namespace schedlens {
namespace {

using testing_support::At;
using testing_support::Range;
using Lines = std::vector<std::string>;

constexpr double kMiB = 1024 * 1024;

/// A process that shows values over time, scraped every ten seconds from 0 to 600; the baseline is
/// from 30 to 270, the window from 300 to 540.
class Shown {
 public:
  Shown& Show(const std::string& metric, const Labels::Pair& label,
              const std::function<double(int)>& value) {
    Series series{
        Labels{{"__name__", metric}, {"job", "apiserver"}, {"instance", "i"}, label}, {}, {}};
    std::vector<TimeMs>& scrapes = facts_.scrapes[ProcessLabels(series.labels)];
    scrapes.clear();
    for (int t = 0; t <= 600; t += 10) {
      series.samples.push_back({At(t), value(t)});
      scrapes.push_back(At(t));
    }
    facts_.answers["load"].push_back(std::move(series));
    return *this;
  }
  Lines Found() const {
    Lines lines;
    const LoadWindows windows{Range(300, 540), Range(30, 270), 0, 0};
    for (const ClusterChange& change : FindLoadChanges(facts_, windows, At(300))) {
      lines.push_back(change.what.id + " " + change.object + " " + change.before + " -> " +
                      change.after);
    }
    return lines;
  }

 private:
  ControlPlaneFacts facts_;
};

/// A counter of `before` a second, and of `now` from 300 on.
std::function<double(int)> Rate(double before, double now) {
  return [=](int t) { return t <= 300 ? before * t : before * 300 + now * (t - 300); };
}

constexpr const char* kRequests = "apiserver_flowcontrol_dispatched_requests_total";

TEST(LoadChangesTest, TellsAFlowSchemaThatSendsMore) {
  const Labels::Pair noisy{"flow_schema", "noisy"}, quiet{"flow_schema", "quiet"};
  EXPECT_EQ(
      Shown().Show(kRequests, noisy, Rate(10, 40)).Show(kRequests, quiet, Rate(20, 21)).Found(),
      Lines{"change.load.flow_schema noisy 10 -> 40"});
  EXPECT_EQ(Shown().Show(kRequests, noisy, Rate(10, 14)).Found(), Lines());
  EXPECT_EQ(Shown().Show(kRequests, noisy, Rate(10, 40)).Show(kRequests, quiet, Rate(1, 2)).Found(),
            Lines{"change.load.flow_schema noisy 10 -> 40"})
      << "a thirtieth of the growth";
}

TEST(LoadChangesTest, OneBurstIsNoLoad) {
  const auto burst = [](int t) { return 10.0 * t + (t > 400 ? 5000 : 0); };
  EXPECT_EQ(Shown().Show(kRequests, {"flow_schema", "noisy"}, burst).Found(), Lines())
      << "three times as many, but within one scrape";
}

TEST(LoadChangesTest, TellsObjectsBeyondTheirUsualGrowth) {
  const Labels::Pair secrets{"resource", "secrets"};
  const char* objects = "apiserver_storage_objects";
  const auto step = [](int t) { return t < 290 ? 1000.0 : 9000.0; };
  EXPECT_EQ(Shown().Show(objects, secrets, step).Found(),
            Lines{"change.load.objects secrets 1000 -> 9000"});
  const auto usual = [](int t) { return 10.0 * t; };  // events that are kept for an hour
  EXPECT_EQ(Shown().Show(objects, {"resource", "events"}, usual).Found(), Lines());
  const auto few = [](int t) { return t < 290 ? 2.0 : 4.0; };
  EXPECT_EQ(Shown().Show(objects, {"resource", "leases"}, few).Found(), Lines());
}

TEST(LoadChangesTest, TellsADatabaseThatGrewByMoreThanAFewSteps) {
  const Labels::Pair none{"endpoint", "e"};
  const char* size = "etcd_mvcc_db_total_size_in_bytes";
  const auto step = [](double before, double now) {
    return [=](int t) { return kMiB * (t < 290 ? before : now); };
  };
  EXPECT_EQ(Shown().Show(size, none, step(100, 400)).Found(),
            Lines{R"(change.load.database {instance="i",job="apiserver"} 104857600 -> 419430400)"});
  EXPECT_EQ(Shown().Show(size, none, step(20, 52)).Found(), Lines());
  EXPECT_EQ(Shown().Show(size, none, step(1000, 1100)).Found(), Lines());
}

TEST(LoadChangesTest, NothingIsNoChange) { EXPECT_EQ(Shown().Found(), Lines()); }

}  // namespace
}  // namespace schedlens
