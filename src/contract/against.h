#ifndef SCHEDLENS_CONTRACT_AGAINST_H_
#define SCHEDLENS_CONTRACT_AGAINST_H_

// Two diagnoses side by side: an incident against an earlier one, a release against the one before.

#include <optional>
#include <string>
#include <vector>

#include "contract/diagnosis.h"

namespace schedlens {

enum class Fate { kNew, kKept, kGone };
/// "new", "kept", "gone": the words of the JSON contract.
inline std::string ToString(Fate fate) {
  return fate == Fate::kNew ? "new" : fate == Fate::kKept ? "kept" : "gone";
}

/// A stage's seconds a scheduled pod on both sides; absent where one side has no such stage, or
/// scheduled no pod.
struct AgainstStage {
  std::string id;
  int depth = 0;  ///< 1: a part of the stage above it
  std::optional<double> then, now;
};

/// A finding, or a cause behind one, of either side.
struct AgainstFinding {
  Fate fate = Fate::kKept;
  std::string id;
  std::string object;  ///< of a cause behind; else empty
  bool behind = false;
  Message title;  ///< of the later side where it has it
  std::optional<Confidence> confidence_then, confidence_now;
  std::optional<double> share_then, share_now;
};

struct Against {
  Diagnosis then, now;
  std::vector<AgainstStage> stages;
  std::vector<AgainstFinding> findings;  ///< the later side's in their order, then what is gone
  std::vector<Message> notes;            ///< what makes the two no like for like
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_AGAINST_H_
