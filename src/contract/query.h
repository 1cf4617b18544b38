#ifndef SCHEDLENS_CONTRACT_QUERY_H_
#define SCHEDLENS_CONTRACT_QUERY_H_

#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// One file of `queries/`: a question, and its wordings by Kubernetes release, tried in order.
struct Question {
  std::string name;
  std::vector<std::string> statements;  // PromQL with `$selector` and `$window`
};

/// What the names of questions about the scheduler's neighbours (API servers, etcd) begin with:
/// they are asked of other processes than all others.
inline constexpr std::string_view kNeighbourPrefix = "neighbour_";
/// The one of them that is asked of the processes that the others found.
inline constexpr std::string_view kNeighbourProcesses = "neighbour_processes";
inline bool IsOfNeighbours(const Question& question) {
  return question.name.starts_with(kNeighbourPrefix);
}
/// What the names of questions that answer a finding's next step begin with: `next_FINDING.NUMBER`.
inline constexpr std::string_view kNextStepPrefix = "next_";
/// A question about the schedulers' own samples, which a diagnosis starts from.
inline bool IsOfSchedulers(const Question& question) {
  return !IsOfNeighbours(question) && !question.name.starts_with(kNextStepPrefix);
}

/// The questions schedlens asks a source. Their text is the single truth: the same PromQL goes to a
/// server and to the local evaluator.
class QuerySet {
 public:
  /// The set embedded at build time.
  static QuerySet Embedded();
  /// The embedded set with every `NAME.promql` of the directory in place of its namesake. Throws
  /// Error(kUsage) for a file that is no known question (naming the nearest one) or does not parse.
  static QuerySet WithOverrides(const std::string& directory);

  /// Throws Error(kFailed) for an unknown name.
  const Question& Get(std::string_view name) const;
  const std::vector<Question>& questions() const { return questions_; }

 private:
  std::vector<Question> questions_;
};

/// Puts selector (matchers without braces, may be empty) and window (a Prometheus duration) into a
/// statement.
std::string Substitute(std::string_view statement, std::string_view selector,
                       std::string_view window);

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_QUERY_H_
