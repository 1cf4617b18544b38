#ifndef SCHEDLENS_SOURCE_CAPTURE_ASKED_METRICS_H_
#define SCHEDLENS_SOURCE_CAPTURE_ASKED_METRICS_H_

// Which metrics questions select, by what their selectors say of the name alone.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "promql/ast.h"
#include "promql/matcher.h"

namespace schedlens {

class AskedMetrics {
 public:
  /// What the PromQL texts select; one that does not parse selects nothing.
  explicit AskedMetrics(const std::vector<std::string>& questions);

  /// Whether some selector accepts the name.
  bool Wants(std::string_view metric) const;

  /// Whether every selector says the same of the name, word for word, as one of `other`: then it
  /// wants nothing else. May be false although it wants nothing else.
  bool IsWithin(const AskedMetrics& other) const;

 private:
  void Add(const promql::Selector& selector);

  bool everything_ = false;  // a selector says nothing of the name
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> patterns_;
  std::optional<promql::MatcherRegex> pattern_;  // all of them as one
  std::vector<std::vector<promql::Matcher>> others_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_ASKED_METRICS_H_
