#ifndef SCHEDLENS_REPORT_GLOSSARY_H_
#define SCHEDLENS_REPORT_GLOSSARY_H_

// How `explain` prints what words mean.

#include <string>
#include <vector>

#include "contract/glossary.h"

namespace schedlens {

/// One paragraph for each table that holds the word; empty for an empty explanation.
std::string ExplanationText(const Explanation& explanation);

/// Every word there is, by table.
std::string GlossaryIndex(const std::vector<FindingText>& findings,
                          const std::vector<StageText>& stages,
                          const std::vector<MetricText>& metrics,
                          const std::vector<TopicText>& topics);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_GLOSSARY_H_
