#ifndef SCHEDLENS_ANALYSIS_GLOSSARY_STEP_QUESTIONS_H_
#define SCHEDLENS_ANALYSIS_GLOSSARY_STEP_QUESTIONS_H_

// Next steps that are queries: which question of `queries/` each is, whom it asks, and the unit of
// what comes back.

#include <string>
#include <string_view>
#include <vector>

#include "contract/message.h"

namespace schedlens {

/// Whose series a question is about, and so what its selector is made of.
enum class AskedOf { kSchedulers, kApiServers, kWholeCluster };

enum class StepUnit { kSeconds, kPerSecond, kCpuSeconds, kSeatSeconds, kRatio, kCount };

struct StepQuestion {
  std::string_view
      name;  ///< of the question: `next_FINDING.NUMBER` for `finding.FINDING.step.NUMBER`
  AskedOf of = AskedOf::kSchedulers;
  StepUnit unit = StepUnit::kCount;
  /// The label that has the object of what is behind a finding; empty where it asks for all.
  std::string_view object_label = {};
};

/// Every next step that is a query.
const std::vector<StepQuestion>& StepQuestions();

/// The row of a step's text; null for a step that is no query.
const StepQuestion* QuestionOf(const Message& step);

/// Matchers of whoever is asked where nothing better is known of them: what their jobs are mostly
/// called. Empty for the whole cluster.
std::string UsualSelector(AskedOf of);

/// Matchers for a question about others than the schedulers, from those of their cluster and of the
/// API servers in it; either may be empty, and UsualSelector then stands for unknown API servers.
std::string StepSelector(AskedOf of, const std::string& cluster, const std::string& apiservers);

/// The step's text with this query in it.
Message WithQuery(Message step, const std::string& query);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_GLOSSARY_STEP_QUESTIONS_H_
