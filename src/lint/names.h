#pragma once

// Words, names and kinds of series as rules write them.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "promql/ast.h"

namespace schedlens {

/// Whether `word` is one of `words`; none is in an empty list.
inline bool Contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The label of a bucket.
inline constexpr char kLe[] = "le";

/// The known word that this one is a slip of: written otherwise (`extensionPoint`), one or two
/// letters off, or another name of the same thing (`verb` for `method`). Empty where none is near;
/// `unscheduled` is no slip of `scheduled`, nor are words of fewer than five letters of others.
std::string MeantWord(const std::string& word, const std::vector<std::string>& known);

enum class SeriesKind { kUnknown, kCounter, kGauge };

/// What a series of this name counts, for metrics of kube-scheduler and its neighbours: the
/// buckets, sum and count of a histogram are counters. A histogram under its own name (a native
/// one) and names of others are unknown.
SeriesKind KindOfSeries(std::string_view name);

/// The same, for kube-scheduler alone.
SeriesKind KindOfOwnSeries(std::string_view name);

// Whose metric an expression asks for, where several programs have one of the name.

/// Whether the matchers say that a metric which every client of the API server has
/// (rest_client_...) is another program's than a component of Kubernetes: operators have labels and
/// buckets of their own under the same names. Judged by what names a target (job, service, pod,
/// ...), none of it holding the name of a component. False for metrics of kube-scheduler alone,
/// where nothing names a target, and for values with a variable.
bool IsOfAnotherProgram(const promql::Selector& selector);

// What a metric is called in the user's own rule, where mending has renamed it before other checks
// speak of it.

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

/// Takes what one check found: an id of LintChecks(), the sentence, and what to write instead.
using LintNote =
    std::function<void(const std::string& id, const Message& message, const Message& fix)>;

/// An expression to write instead.
inline Message WriteInstead(std::string_view promql) {
  return Message("lint.write", {{"promql", arg::Promql(promql)}});
}

/// A name or a value that was likely meant.
inline Message DidYouMean(std::string_view words) {
  return Message("lint.did_you_mean", {{"words", words}});
}

}  // namespace schedlens
