// count_values: how many series have each value, the value as a label.

#include <algorithm>
#include <map>

#include "model/text.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"

namespace schedlens::promql {
StepVector EvaluateCountValues(const Evaluation& evaluation, const Aggregation& aggregation) {
  const std::string& name = WithoutParens(*aggregation.param).As<StringLiteral>()->value;
  const StepVector vector = EvaluateVector(evaluation, *aggregation.expr);
  std::vector<std::string> kept = aggregation.labels;
  kept.push_back(name);
  std::vector<std::string> dropped = aggregation.labels;
  dropped.emplace_back(kMetricName);
  // A server lists them in random order; here they are in label order.
  std::map<Labels, std::vector<double>> counts;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::span<const double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (IsAbsent(values[i])) continue;
      const Labels labels = vector.labels(row).With(name, PlainNumber(values[i]));
      const Labels key =
          aggregation.grouping == Grouping::kWithout ? labels.Without(dropped) : labels.Only(kept);
      std::vector<double>& row_counts = counts[key];
      row_counts.resize(values.size(), Absent());
      row_counts[i] = IsAbsent(row_counts[i]) ? 1 : row_counts[i] + 1;
    }
  }
  StepVector result(vector.steps());
  for (const auto& [labels, values] : counts) {
    std::copy(values.begin(), values.end(), result.Append(labels).begin());
  }
  return result;
}

}  // namespace schedlens::promql
