#ifndef SCHEDLENS_REPORT_COMPARE_H_
#define SCHEDLENS_REPORT_COMPARE_H_

// How `compare` prints what it found.

#include <string>

#include "contract/quantile.h"
#include "report/messages/messages.h"

namespace schedlens {

/// For a person: both sides, the cases in the order they were walked, the verdict.
std::string CompareText(const Messages& t, const Comparison& comparison);
/// Schema schedlens.compare/1.
std::string CompareJson(const Comparison& comparison);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_COMPARE_H_
