#ifndef SCHEDLENS_MODEL_FAMILY_H_
#define SCHEDLENS_MODEL_FAMILY_H_

#include <string>
#include <string_view>

namespace schedlens {

/// The family of a histogram's series: the name without `_bucket`, `_sum` or `_count`. Any other
/// name, and one that is nothing but such a suffix, is returned as it is.
std::string FamilyOf(std::string_view metric);

/// Whether Prometheus would take a metric of this name for a counter: its suffix is `_total`,
/// `_sum`, `_count` or `_bucket`.
bool IsCounterName(std::string_view metric);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_FAMILY_H_
