#ifndef SCHEDLENS_CONTRACT_GLOSSARY_H_
#define SCHEDLENS_CONTRACT_GLOSSARY_H_

// What findings, stages, metrics, checks of rules and words mean, as `explain` shows it.

#include <string>
#include <string_view>
#include <vector>

#include "contract/lint.h"
#include "contract/message.h"

namespace schedlens {

/// A cause, or a remark about the number. Every id a diagnosis can hold has a row. What happens in
/// the scheduler is the text `finding.ID.meaning`, the evidence that would be absent without it
/// `finding.ID.proof`.
struct FindingText {
  std::string id;
  int steps = 0;  ///< how many next steps the texts have: `finding.ID.step.1` and so on
  /// There is a metric, flag or log that ends remaining doubt: `finding.ID.settled_by`.
  bool can_be_settled = true;
};

/// One short sentence, the same in every report: the text `finding.ID.title`.
inline Message TitleOf(const FindingText& finding) {
  return Message("finding." + finding.id + ".title");
}

/// What would settle whether a cause is the one, a few words in the middle of a sentence: the text
/// `finding.ID.settled`, of causes only.
inline Message SettledBy(std::string_view cause) {
  return Message("finding." + std::string(cause) + ".settled");
}

/// A node of the stage tree. The texts `stage.ID.title`, `stage.ID.meaning` (what the scheduler
/// does in it) and `stage.ID.measured_by` (metric, or the subtraction) tell of it.
struct StageText {
  std::string id;
};

/// A metric family of kube-scheduler, or of one of its neighbours.
struct MetricText {
  std::string name;       ///< without _bucket, _sum, _count
  std::string releases;   ///< where it is visible by default
  Message population;     ///< what is counted, and what is not
  Message traps;          ///< how it misleads; may be empty
  std::string component;  ///< who exports it; empty of kube-scheduler's
  std::string labels;     ///< in the newest release, as a list; empty of kube-scheduler's
};

/// A word of the reports; its meaning is the text `term.NAME`.
struct TopicText {
  std::string name;
};

/// Everything the tables hold about a word. All empty when nothing is known.
struct Explanation {
  const FindingText* finding = nullptr;
  std::vector<Message> next_steps;  ///< the finding's, in order
  const StageText* stage = nullptr;
  const MetricText* metric = nullptr;
  const LintCheck* lint = nullptr;
  const TopicText* topic = nullptr;
  bool empty() const { return !finding && !stage && !metric && !lint && !topic; }
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_GLOSSARY_H_
