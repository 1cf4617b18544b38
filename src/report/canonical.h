#ifndef SCHEDLENS_REPORT_CANONICAL_H_
#define SCHEDLENS_REPORT_CANONICAL_H_

#include <string_view>

#include "contract/diagnosis.h"

namespace schedlens {

/// The first field of a diagnosis in JSON.
inline constexpr std::string_view kDiagnosisSchema = "schedlens.diagnosis/1";

/// The diagnosis as a saved file would give it back: text is well-formed UTF-8, what is not finite
/// is absent. Every renderer starts from it, so that a saved diagnosis renders to the same bytes.
Diagnosis Canonical(const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_CANONICAL_H_
