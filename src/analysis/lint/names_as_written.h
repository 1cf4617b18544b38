#ifndef SCHEDLENS_ANALYSIS_LINT_NAMES_AS_WRITTEN_H_
#define SCHEDLENS_ANALYSIS_LINT_NAMES_AS_WRITTEN_H_

// What a metric is called in the user's own rule, where mending has renamed it before other checks
// speak of it.

#include <map>
#include <set>
#include <string>

#include "contract/message.h"
#include "promql/ast.h"

namespace schedlens {

class NamesAsWritten {
 public:
  NamesAsWritten() = default;
  /// Of an expression as it was given.
  explicit NamesAsWritten(const promql::Expr& tree);

  /// Takes note that mending calls `before` `after` from now on: a series, and the metric with it.
  void Renamed(const std::string& before, const std::string& after);

  /// Takes note that a histogram of the expression may have become one of its series.
  void AddSeries();

  /// The message with every metric named as the expression has it. A name that the expression has
  /// itself stays.
  Message In(Message message) const;

 private:
  void Add(const std::string& before, const std::string& after);

  std::set<std::string> own_;
  std::map<std::string, std::string> written_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_NAMES_AS_WRITTEN_H_
