#ifndef SCHEDLENS_PROMQL_REGEX_H_
#define SCHEDLENS_PROMQL_REGEX_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens::promql {

struct CompiledPattern;

/// Whether a pattern has `\C`, any byte, which RE2 reads and Go does not: what it matches need not
/// be UTF-8, so servers refuse it.
bool HasAnyByte(std::string_view pattern);

/// A matcher's regular expression, anchored at both ends; `.` matches a line break too. Each
/// pattern is compiled once in the process however often it is asked for: one diagnosis evaluates
/// the same few selectors hundreds of times. Safe from several threads.
class MatcherRegex {
 public:
  explicit MatcherRegex(const std::string& pattern);

  /// Whether the pattern compiles, and if not, why.
  bool ok() const;
  const std::string& error() const;
  /// All that it matches, in order, where that is a LiteralSet; else null.
  const std::vector<std::string>* literals() const;
  /// Must be ok().
  bool Matches(std::string_view value) const;

 private:
  std::shared_ptr<const CompiledPattern> compiled_;  ///< null with HasAnyByte
};

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_REGEX_H_
