#include "lint/linted.h"

namespace schedlens {
namespace {

using test::ExpectLinted;

TEST(CountOfNothingTest, IsNeverNone) {
  ExpectLinted({
      {"count(up{job=\"kube-system/scheduler\"} == 1) == 0",
       {"count-of-nothing"},
       "absent(up{job=\"kube-system/scheduler\"} == 1)"},
      {"count(up{job=\"kube-scheduler\"} == 1) < 1",
       {"count-of-nothing"},
       "absent(up{job=\"kube-scheduler\"} == 1)"},
      {"1 > (count(up{job=~\"kube-scheduler\"}))",
       {"count-of-nothing"},
       "absent(up{job=~\"kube-scheduler\"})"},
      {"count(scheduler_schedule_attempts_total) <= 0",
       {"count-of-nothing"},
       "absent(scheduler_schedule_attempts_total)"},
      {"count by (instance) (up{job=\"kube-scheduler\"}) == 0", {"count-of-nothing"}, nullptr},
  });
}

TEST(CountOfNothingTest, OtherConditionsHold) {
  ExpectLinted({
      {"count(up{job=\"kube-scheduler\"} == 1) < 2", {}, nullptr},
      {"count(up{job=\"kube-scheduler\"} == 1) == 1", {}, nullptr},
      {"count(up{job=\"kube-scheduler\"} == 1) > 0", {}, nullptr},
      {"sum(up{job=\"kube-scheduler\"}) == 0", {}, nullptr},
      {"(count(up{job=\"kube-scheduler\"} == 1) or vector(0)) == 0", {}, nullptr},
      {"count(up{job=\"kube-scheduler\"} == 1) == bool 0", {}, nullptr},
      {"count(up{job=\"somebody\"} == 1) == 0", {}, nullptr},
  });
}

}  // namespace
}  // namespace schedlens
