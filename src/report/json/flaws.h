#ifndef SCHEDLENS_REPORT_JSON_FLAWS_H_
#define SCHEDLENS_REPORT_JSON_FLAWS_H_

// What the parts of a diagnosis must be as a whole, where their fields are fine one by one.

#include <string_view>
#include <vector>

#include "contract/diagnosis.h"

namespace schedlens {

/// What it must do, as "rise from low to high"; empty where it does.
std::string_view FlawOf(const Measured& x);
std::string_view FlawOf(const Interval& x);
std::string_view FlawOf(const TimeRange& x);
std::string_view FlawOf(const ClusterChange& x);
std::string_view FlawOf(const AlertVerdict& x);
std::string_view FlawOf(const Impact& x);
std::string_view FlawOf(const CdfPair& x);
std::string_view FlawOf(const CrossCheck& x);
std::string_view FlawOf(const Timeline& x);
/// A tree, and no deeper than any that is measured.
std::string_view FlawOf(const std::vector<StageTime>& stages);
std::string_view FlawOf(const auto&) { return ""; }

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_FLAWS_H_
