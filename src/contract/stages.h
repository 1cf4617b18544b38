#ifndef SCHEDLENS_CONTRACT_STAGES_H_
#define SCHEDLENS_CONTRACT_STAGES_H_

// What every picture of a diagnosis' stages asks: which are plugins, which deserve a row, how many
// pods their time is of.

#include <algorithm>
#include <string_view>

#include "contract/diagnosis.h"

namespace schedlens {

/// The share of all time from which a stage has a row of its own, and its parts have.
inline constexpr double kWorthARow = 0.01;
inline constexpr double kWorthParts = 0.1;

/// Whether the stage is one plugin of the extension point above it: `algorithm.filter/NAME`.
inline bool IsPlugin(const StageTime& stage) {
  return !stage.parent.empty() && stage.id.find('/') == stage.parent.size();
}

/// Attempts of the window with that result; 0 where it has none.
inline double CountOf(const Diagnosis& diagnosis, std::string_view result) {
  const auto row = std::find_if(diagnosis.results.begin(), diagnosis.results.end(),
                                [&](const ResultRow& one) { return one.result == result; });
  return row == diagnosis.results.end() ? 0 : row->count;
}

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_STAGES_H_
