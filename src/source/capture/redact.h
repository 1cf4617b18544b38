#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/exposition.h"
#include "base/series.h"

namespace schedlens {

// A capture without names, so that it can be shown to others.

/// Keeps what kube/public_words.h knows: metrics, labels, numbers, words of Kubernetes. All else
/// becomes a code of the form `n0123456789abcdef`, the same for equal names wherever they stand: in
/// labels and their names, in names of metrics, and in the header's selector, alert and rules.
/// A port stays, and of a URL the scheme and the words of the API. Regular expressions become lists
/// of the coded values that they match in these samples, so every question keeps its answer. Of the
/// header's lines only those that RecordFrom writes are kept, without the source's name.
///
/// The codes depend on `salt`: the same salt gives the same codes in another capture. They hide
/// names from readers, not from attackers: the hash is fast and not cryptographic, and whoever
/// knows the salt can try names.
Exposition Redacted(Exposition exposition, std::string_view salt);

/// What Redacted puts in the place of a name: of a node, of an alert.
std::string RedactedName(std::string_view name, std::string_view salt);

/// 128 random bits as text.
std::string RandomSalt();

// The code of a name, and what of a single word or address may stay. Inside of redact.cc's family
// only.

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

// An expression that asks of the redacted samples what it asked of the samples. Inside of
// redact.cc's family only.

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
