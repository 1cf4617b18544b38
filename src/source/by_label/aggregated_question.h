#ifndef SCHEDLENS_SOURCE_BY_LABEL_AGGREGATED_QUESTION_H_
#define SCHEDLENS_SOURCE_BY_LABEL_AGGREGATED_QUESTION_H_

// Questions and alert expressions reworded so that a server adds up over processes and keeps one
// label apart.

#include <set>
#include <string>
#include <string_view>

namespace schedlens {

/// What a question for raw samples becomes: `m{...}[w]` is `sum by (labels, __name__) (m{...})`;
/// `max` for a gauge, since standby processes hold queues and caches too. A question
/// that counts already keeps `label` as well. Throws Error(kUsage) when the text does not parse.
std::string Aggregated(std::string_view question, std::string_view label,
                       const std::set<std::string>& labels);

/// The expression with the label in the result of each of its aggregations. Throws as above.
std::string KeepingLabel(std::string_view expression, const std::string& label);

/// Names of the labels that the expression's matchers and `by` clauses mention.
std::set<std::string> LabelsOf(std::string_view expression);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_BY_LABEL_AGGREGATED_QUESTION_H_
