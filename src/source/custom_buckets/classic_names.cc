#include "source/custom_buckets/classic_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "promql/matcher.h"

namespace schedlens {
namespace {

using promql::Matcher;
using promql::MatchOp;
using promql::Selector;

constexpr std::string_view kSuffixes[] = {"_bucket", "_sum", "_count"};
constexpr std::string_view kAnySuffix = "(_bucket|_sum|_count)?";

bool IsSuffix(std::string_view text) {
  return std::find(std::begin(kSuffixes), std::end(kSuffixes), text) != std::end(kSuffixes);
}

/// The length of `_(bucket|sum)` at the beginning of the text, in any order; 0 for anything else.
std::size_t GroupOfSuffixes(std::string_view text) {
  if (!text.starts_with("_(")) return 0;
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) return 0;
  std::size_t begin = 2;
  while (begin <= close) {
    const std::size_t end = std::min(text.find('|', begin), close);
    if (!IsSuffix("_" + std::string(text.substr(begin, end - begin)))) return 0;
    begin = end + 1;
  }
  return close + 1;
}

/// The length of a suffix at the beginning of the text where the name ends behind it.
std::size_t SuffixAt(std::string_view text) {
  for (const std::string_view suffix : kSuffixes) {
    if (!text.starts_with(suffix)) continue;
    const std::string_view rest = text.substr(suffix.size());
    if (rest.empty() || rest[0] == '|' || rest[0] == ')') return suffix.size();
  }
  return 0;
}

/// The regular expression with every suffix optional and any of the three.
std::string WithAnySuffix(std::string_view regex) {
  std::string out;
  while (!regex.empty()) {
    const std::size_t length = std::max(GroupOfSuffixes(regex), SuffixAt(regex));
    out += length > 0 ? kAnySuffix : regex.substr(0, 1);
    regex.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

bool IsPlainName(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':';
  });
}

}  // namespace

std::string FamilyOfClassic(std::string_view name) {
  for (const std::string_view suffix : kSuffixes) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      return std::string(name.substr(0, name.size() - suffix.size()));
    }
  }
  return "";
}

std::string NamesOfHistograms(const Selector& selector) {
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name != kMetricName) continue;
    if (matcher.op == MatchOp::kEqual) {
      const std::string family = FamilyOfClassic(matcher.value);
      if (family.empty() || !IsPlainName(family)) return "";
      return family + std::string(kAnySuffix);
    }
    if (matcher.op != MatchOp::kRegex) continue;
    std::string names = WithAnySuffix(matcher.value);
    const bool open = matcher.value.find_first_of(".[\\") != std::string::npos;
    return names == matcher.value && !open ? "" : names;
  }
  return "";
}

bool MeansClassic(const Selector& selector, std::string_view metric) {
  std::vector<Matcher> of_name;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name == kMetricName) of_name.push_back(matcher);
  }
  return std::any_of(std::begin(kSuffixes), std::end(kSuffixes), [&](std::string_view suffix) {
    const std::string name = std::string(metric) + std::string(suffix);
    return promql::Accept(of_name, Labels{{kMetricName, name}});
  });
}

Selector NativeForm(const Selector& selector, const std::vector<std::string>& metrics) {
  Selector native = selector;
  native.name.clear();
  std::erase_if(native.matchers, [](const Matcher& matcher) {
    return matcher.name == kMetricName || matcher.name == "le";
  });
  native.matchers.insert(native.matchers.begin(),
                         Matcher{.op = MatchOp::kRegex,
                                 .name = std::string(kMetricName),
                                 .value = fmt::format("{}", fmt::join(metrics, "|"))});
  return native;
}

}  // namespace schedlens
