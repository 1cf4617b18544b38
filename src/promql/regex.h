#ifndef SCHEDLENS_PROMQL_REGEX_H_
#define SCHEDLENS_PROMQL_REGEX_H_

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace schedlens::promql {

/// A matcher's regular expression, anchored at both ends; `.` matches a line break too. Each
/// pattern is compiled once in the process however often it is asked for: one diagnosis evaluates
/// the same few selectors hundreds of times. Safe from several threads.
class MatcherRegex {
 public:
  explicit MatcherRegex(const std::string& pattern);

  /// Whether the pattern compiles, and if not, why.
  bool ok() const;
  const std::string& error() const;
  /// Must be ok().
  bool Matches(std::string_view value) const;

 private:
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_REGEX_H_
