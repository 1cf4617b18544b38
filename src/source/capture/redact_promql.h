#ifndef SCHEDLENS_SOURCE_CAPTURE_REDACT_PROMQL_H_
#define SCHEDLENS_SOURCE_CAPTURE_REDACT_PROMQL_H_

// An expression that asks of the redacted samples what it asked of the samples. Inside of
// redact.cc's family only.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "contract/series.h"
#include "source/capture/redact_words.h"

namespace schedlens {

class PromqlRedactor {
 public:
  /// Both must outlive it.
  PromqlRedactor(const WordRedactor& words, const std::vector<Series>& series)
      : words_(words), series_(series) {}

  /// The expression in canonical form, its names coded. Empty where it does not parse: nothing of
  /// it can be kept then.
  std::string Expression(const std::string& promql);
  /// The same for matchers without braces, `||` between alternatives.
  std::string Matchers(const std::string& matchers);

 private:
  std::string Regex(const std::string& label, const std::string& pattern);
  const std::set<std::string>& ValuesOf(const std::string& label);

  const WordRedactor& words_;
  const std::vector<Series>& series_;
  std::map<std::string, std::set<std::string>> values_;  // by label, those asked for
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_REDACT_PROMQL_H_
