#ifndef SCHEDLENS_REPORT_GLOSSARY_H_
#define SCHEDLENS_REPORT_GLOSSARY_H_

// How `explain` prints what words mean.

#include <string>
#include <vector>

#include "contract/lint.h"
#include "report/messages/messages.h"

namespace schedlens {

/// One paragraph for each table that holds the word; empty for an empty explanation.
/// What metrics count is in English in every language.
std::string ExplanationText(const Messages& t, const Explanation& explanation);

/// Every word there is, by table.
std::string GlossaryIndex(const Messages& t, const std::vector<FindingText>& findings,
                          const std::vector<StageText>& stages,
                          const std::vector<MetricText>& metrics,
                          const std::vector<LintCheck>& checks,
                          const std::vector<TopicText>& topics);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_GLOSSARY_H_
