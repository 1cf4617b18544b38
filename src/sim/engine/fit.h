#ifndef SCHEDLENS_SIM_ENGINE_FIT_H_
#define SCHEDLENS_SIM_ENGINE_FIT_H_

// How many more pods of one manifest fit, and what stops the next.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/framework/algorithm.h"
#include "sim/scenario/scenario.h"

namespace schedlens::sim {

struct FitResult {
  /// More are not tried.
  static constexpr std::int64_t kMost = 1'000'000;

  std::string pod;      ///< namespace/name
  std::string profile;  ///< that schedules it
  std::int64_t count = 0;
  std::vector<std::pair<std::string, std::int64_t>> by_node;  ///< most first, those with none out
  std::vector<std::string> nodes;                             ///< names, by index
  core::AttemptDetail next;  ///< the attempt that found no node; of no use if `count` is kMost
  std::int64_t pending = 0;  ///< pods that wait and were left out
};

/// At most some 30 lines of 80 columns; `full` leaves nothing out.
std::string FitText(const Scenario& scenario, const FitResult& fit, bool full);
/// `schedlens.fit/1`.
std::string FitJson(const Scenario& scenario, const FitResult& fit);

/// The groups of rejected nodes as lines, for FitText and StoryText: `names` by node index.
void PutRejected(std::vector<std::string>& lines, const core::AttemptDetail& detail,
                 const std::vector<std::string>& names, bool full);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_FIT_H_
