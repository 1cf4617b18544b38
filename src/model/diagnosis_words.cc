// The words of the JSON contract for the small enumerations of a diagnosis.

#include "contract/diagnosis.h"

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

}  // namespace schedlens
