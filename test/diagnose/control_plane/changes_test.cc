#include "diagnose/control_plane/changes.h"

#include <gtest/gtest.h>

#include <string>

#include "diagnose/control_plane/found_changes.h"

namespace schedlens {
namespace {

using testing_support::Found;
using testing_support::kStart;
using testing_support::Lines;
using testing_support::Range;
using testing_support::Schedulers;
using testing_support::StateMetrics;

TEST(ChangesTest, ListsTheNearestFirstAndAlikeOnesTogether) {
  StateMetrics ksm;
  for (int i = 0; i < 6; ++i) {
    ksm.Show("objects", "kube_node_created", {{"node", "n-" + std::to_string(i)}},
             kStart + 220 + 10 * i, 220 + 10 * i);
  }
  ksm.Step("kube_daemonset_metadata_generation", {{"namespace", "kube-system"}, {"daemonset", "p"}},
           4, 5, 290);
  EXPECT_EQ(Found(ksm.Facts()), (Lines{"change.spec DaemonSet kube-system/p -15 4 -> 5",
                                       "change.node.added n-5 -30 x6"}));
}

TEST(ChangesTest, TellsLoadThatGrewByMoreThanChance) {
  struct Row {
    int before, now;
    double missed;
    Lines want;
  };
  const Row rows[] = {
      {100, 200, 0, {"change.load shop 0 0.417 -> 0.833"}},
      {100, 140, 0, {}},   // less than half as many again
      {3, 6, 0, {}},       // chance
      {100, 200, 90, {}},  // as many may have been there, unseen
      {200, 100, 0, {}},
  };
  for (const Row& row : rows) {
    StateMetrics ksm;
    for (int i = 0; i < row.before; ++i) {
      ksm.Pod("shop", "b" + std::to_string(i), "", 30 + i % 240, 0);
    }
    for (int i = 0; i < row.now; ++i)
      ksm.Pod("shop", "n" + std::to_string(i), "", 310 + i % 200, 0);
    LoadWindows loads{Range(300, 540), Range(30, 270), static_cast<double>(row.now),
                      row.before + row.missed};
    EXPECT_EQ(Found(ksm.Facts(), Schedulers(), loads), row.want) << row.before << " " << row.now;
    loads.before = Range(560, 600);  // a baseline from after it says nothing of what came before
    EXPECT_EQ(Found(ksm.Facts(), Schedulers(), loads), Lines());
  }
}

}  // namespace
}  // namespace schedlens
