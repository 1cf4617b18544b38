#ifndef SCHEDLENS_SOURCE_CAPTURE_REDACT_WORDS_H_
#define SCHEDLENS_SOURCE_CAPTURE_REDACT_WORDS_H_

// The code of a name, and what of a single word or address may stay. Inside of redact.cc's family
// only.

#include <cstdint>
#include <string>
#include <string_view>

namespace schedlens {

class WordRedactor {
 public:
  explicit WordRedactor(std::string_view salt);

  /// `n` and sixteen hexadecimal digits: a label's name, too, and a word in a regular expression.
  std::string Code(std::string_view name) const;
  std::string LabelName(std::string_view name) const;
  /// Of a series or a family; what PromQL and OpenMetrics append to a name stays.
  std::string MetricName(std::string_view name) const;
  /// A label's value by what the label is. An address keeps its port, a version its digits.
  std::string Value(std::string_view label, std::string_view value) const;

 private:
  std::string Address(std::string_view text) const;
  std::string Url(std::string_view scheme, std::string_view rest) const;
  std::string Version(std::string_view text) const;

  std::uint64_t seed_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_REDACT_WORDS_H_
