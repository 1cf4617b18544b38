// The words of the JSON contract for the small enumerations of a diagnosis.

#include "contract/comparison.h"
#include "contract/diagnosis.h"
#include "contract/doctor.h"
#include "contract/lint.h"

namespace schedlens {

std::string ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kIncident:
      return "incident";
    case Verdict::kNoIncident:
      return "no-incident";
    case Verdict::kArtifact:
      return "artifact";
    case Verdict::kUndecidable:
      return "undecidable";
    case Verdict::kInsufficientData:
      return "insufficient-data";
  }
  return "insufficient-data";
}

std::string ToString(Confidence confidence) {
  switch (confidence) {
    case Confidence::kCertain:
      return "certain";
    case Confidence::kLikely:
      return "likely";
    case Confidence::kPossible:
      return "possible";
  }
  return "possible";
}

std::string ToString(Decided decided) {
  switch (decided) {
    case Decided::kAbove:
      return "above";
    case Decided::kBelow:
      return "below";
    case Decided::kUndecidable:
      return "undecidable";
  }
  return "undecidable";
}

std::string ToString(FiresState state) {
  switch (state) {
    case FiresState::kYes:
      return "yes";
    case FiresState::kNo:
      return "no";
    case FiresState::kUnclear:
      return "unknown";
  }
  return "unknown";
}

std::string ToString(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::kExplained:
      return "explained";
    case ReplayVerdict::kPartly:
      return "partly";
    case ReplayVerdict::kNot:
      return "not";
    case ReplayVerdict::kUndecidable:
      return "undecidable";
  }
  return "undecidable";
}

std::string ToString(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kNote:
      return "note";
    case Health::kProblem:
      return "problem";
  }
  return "";
}

std::string ToString(LintSeverity severity) {
  switch (severity) {
    case LintSeverity::kNote:
      return "note";
    case LintSeverity::kWarning:
      return "warning";
    case LintSeverity::kError:
      return "error";
  }
  return "";
}

std::string ToString(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::kProven:
      return "proven";
    case CaseOutcome::kExcluded:
      return "excluded";
    case CaseOutcome::kNotTested:
      return "not-tested";
  }
  return "";
}

}  // namespace schedlens
