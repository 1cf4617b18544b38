#include "analysis/diagnose/severity.h"

#include <algorithm>

namespace schedlens {

int SeverityRank(Verdict verdict) {
  switch (verdict) {
    case Verdict::kIncident:
      return 0;
    case Verdict::kUndecidable:
      return 1;
    case Verdict::kArtifact:
      return 2;
    case Verdict::kInsufficientData:
      return 3;
    case Verdict::kNoIncident:
      return 4;
  }
  return 4;
}

Severity SeverityOf(const Diagnosis& d) {
  const bool fires = d.alert && d.alert->fires.state == FiresState::kYes;
  const int confidence = d.findings.empty() ? 3 : static_cast<int>(d.findings.front().confidence);
  double shown = d.alert && d.alert->shown ? *d.alert->shown : 0;
  if (d.alert && d.alert->interval.high) shown = std::min(shown, *d.alert->interval.high);
  return {d.verdict == Verdict::kInsufficientData, !fires, SeverityRank(d.verdict), confidence,
          -shown};
}

}  // namespace schedlens
