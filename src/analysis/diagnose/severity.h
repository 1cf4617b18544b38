#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_SEVERITY_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_SEVERITY_H_

// Which of several diagnoses a reader wants first.

#include <tuple>

#include "contract/diagnosis.h"

namespace schedlens {

/// 0 for an incident, then what cannot be decided, artifacts, lack of data, and all is well.
int SeverityRank(Verdict verdict);

/// Of schedulers judged each by itself the worst is the least: those that the alert fires for come
/// before the others, those without data last; then by verdict, by the confidence of the first
/// finding, and by what the alert shows, as far as that is not proven wrong.
using Severity = std::tuple<bool, bool, int, int, double>;
Severity SeverityOf(const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_SEVERITY_H_
