#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/state_metrics.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using testing_support::Range;
using testing_support::StateMetrics;

/// Pods of some Deployments: `before` of them from second 30 to 270 and `now` from 300 to 540, at
/// even distances, or all of a minute at once.
class Load {
 public:
  Load& Of(const std::string& name, int before, int now, int at_once = 1) {
    ksm_.OwnReplicaSet("shop", name + "-1", name);
    for (int i = 0; i < before; ++i) Pod(name, "b" + std::to_string(i), 31 + 238.0 * i / before);
    for (int i = 0; i < now; ++i) {
      const int first = i - i % at_once;
      Pod(name, "n" + std::to_string(i), 301 + 238.0 * first / now);
    }
    scheduled_before_ += before;
    scheduled_now_ += now;
    return *this;
  }
  Load& Missed(double before, double now) {
    scheduled_before_ += before;
    scheduled_now_ += now;
    return *this;
  }

  std::vector<CauseBehind> Behind() const {
    const LoadWindows windows{Range(300, 540), Range(30, 270), scheduled_now_, scheduled_before_};
    const auto pods = CountCreatedPods(ksm_.Facts(), windows);
    return pods ? WhoCreatesPods(*pods) : std::vector<CauseBehind>();
  }
  /// "object confidence low value high", in whole percents.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    const auto percent = [](double x) { return " " + std::to_string(std::lround(100 * x)); };
    for (const CauseBehind& one : Behind()) {
      EXPECT_EQ(one.id, "load.workload");
      EXPECT_EQ(one.share.basis.kind, BasisKind::kGrowth);
      lines.push_back(one.object + " " + ToString(one.confidence) + percent(*one.share.low) +
                      percent(*one.share.value) + percent(*one.share.high));
    }
    return lines;
  }

 private:
  void Pod(const std::string& name, const std::string& pod, double created) {
    ksm_.Pod("shop", name + "-" + pod, name + "-1", std::floor(created), 0);
  }

  StateMetrics ksm_;
  double scheduled_before_ = 0, scheduled_now_ = 0;
};

using Lines = std::vector<std::string>;

TEST(WhoCreatesPodsTest, NamesWhoCreatesMoreByItsPartOfTheGrowth) {
  EXPECT_EQ(Load().Of("cart", 100, 400).Of("search", 100, 200).Of("render", 100, 110).Lines(),
            (Lines{"shop/cart likely 73 73 73", "shop/search possible 24 24 24"}));
  EXPECT_EQ(Load().Of("cart", 100, 120).Of("search", 100, 110).Lines(), Lines());
}

TEST(WhoCreatesPodsTest, WhatWasNotSeenIsAnyones) {
  // Before: all of the 100 missed may have been cart's. Now: 50 of anyone.
  EXPECT_EQ(Load().Of("cart", 100, 400).Of("search", 100, 300).Missed(100, 50).Lines(),
            (Lines{"shop/cart likely 44 60 78"}));
  EXPECT_EQ(Load().Of("cart", 100, 400).Missed(200, 0).Lines(), Lines());
}

TEST(WhoCreatesPodsTest, NamesWhoCreatesInBurstsWhereTheRateStays) {
  const Load load = Load().Of("cart", 200, 240, 60).Of("search", 100, 100);
  EXPECT_EQ(load.Lines(), Lines()) << "four bursts may be chance";
  const Load more = Load().Of("cart", 200, 240, 20).Of("search", 100, 100);
  ASSERT_EQ(more.Lines(), (Lines{"shop/cart likely 97 97 97"}));
  EXPECT_EQ(InEnglish(more.Behind()[0].title), "The workload shop/cart creates its pods in bursts");
}

TEST(WhoCreatesPodsTest, InventsNoName) {
  StateMetrics ksm;
  for (int i = 0; i < 200; ++i) ksm.Pod("shop", "n" + std::to_string(i), "", 301 + i, 0);
  const LoadWindows windows{Range(300, 540), Range(30, 270), 200, 0};
  const auto pods = CountCreatedPods(ksm.Facts(), windows);
  ASSERT_TRUE(pods);
  EXPECT_TRUE(WhoCreatesPods(*pods).empty());
  EXPECT_FALSE(CountCreatedPods(ControlPlaneFacts(), windows)) << "missing is not zero";
}

}  // namespace
}  // namespace schedlens
