#pragma once

// Which findings, stages, metrics, checks of rules and words there are: the tables that `explain`
// prints. What they mean stands in src/messages, what metrics count in these tables.

#include <string>
#include <string_view>
#include <vector>

#include "contract/commands.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// Everything a diagnosis can name: its own findings, then what may be behind one.
const std::vector<FindingText>& FindingTexts();
const std::vector<FindingText>& OwnFindingTexts();
const std::vector<FindingText>& BehindTexts();
const std::vector<StageText>& StageTexts();
const std::vector<MetricText>& MetricTexts();
const std::vector<TopicText>& TopicTexts();
/// What `lint` looks for.
const std::vector<LintCheck>& LintChecks();

/// The row of a finding. Throws Error(kFailed) for an id without one: a rule was added without
/// text.
const FindingText& TextOfFinding(std::string_view id);

/// What to do now, in order, commands in backquotes: the texts `finding.ID.step.1` and so on. A
/// step that is a query has the embedded one, of everything and of five minutes.
std::vector<NextStep> NextStepsOf(const FindingText& finding);

/// Everything the tables hold about a word. A metric is found with or without `scheduler_` and with
/// `_bucket`, `_sum` or `_count`; a plugin's stage (`algorithm.filter/NodeAffinity`) is its
/// extension point's. All empty when nothing is known.
Explanation Explain(std::string_view word);

/// Every word that Explain knows, sorted, each once.
std::vector<std::string> ExplainedWords();

}  // namespace schedlens
