#include "promql/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "promql/literal_set.h"

namespace schedlens::promql {

struct CompiledPattern {
  std::optional<std::vector<std::string>> literals;
  std::shared_ptr<const RE2> regex;  ///< null with literals
};

namespace {

/// More patterns than this are not kept: the outside world may bring any number of them.
constexpr std::size_t kMost = 256;

/// A finite set of texts is looked up: the automaton of a long pattern takes longer to make than
/// all its matches.
std::shared_ptr<const CompiledPattern> Compile(const std::string& pattern) {
  auto compiled = std::make_shared<CompiledPattern>();
  compiled->literals = LiteralSet(pattern);
  if (compiled->literals) return compiled;
  RE2::Options options(RE2::Quiet);
  options.set_dot_nl(true);
  compiled->regex = std::make_shared<const RE2>(pattern, options);
  return compiled;
}

std::shared_ptr<const CompiledPattern> Compiled(const std::string& pattern) {
  static std::mutex mutex;
  static auto* const kept =
      new std::unordered_map<std::string, std::shared_ptr<const CompiledPattern>>();
  const std::lock_guard lock(mutex);
  if (const auto it = kept->find(pattern); it != kept->end()) return it->second;
  auto compiled = Compile(pattern);
  if (kept->size() >= kMost) kept->clear();
  kept->emplace(pattern, compiled);
  return compiled;
}

}  // namespace

bool HasAnyByte(std::string_view pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    const char escaped = pattern[++i];
    if (escaped == 'C') return true;
    if (escaped != 'Q') continue;
    const std::size_t end = pattern.find("\\E", i);  // literal text up to here
    if (end == std::string_view::npos) return false;
    i = end + 1;
  }
  return false;
}

MatcherRegex::MatcherRegex(const std::string& pattern)
    : compiled_(HasAnyByte(pattern) ? nullptr : Compiled(pattern)) {}

bool MatcherRegex::ok() const {
  return compiled_ != nullptr && (compiled_->literals || compiled_->regex->ok());
}

const std::string& MatcherRegex::error() const {
  static const std::string any_byte = "invalid escape sequence: \\C";
  static const std::string none;
  if (compiled_ == nullptr) return any_byte;
  return compiled_->literals ? none : compiled_->regex->error();
}

const std::vector<std::string>* MatcherRegex::literals() const {
  return compiled_ != nullptr && compiled_->literals ? &*compiled_->literals : nullptr;
}

bool MatcherRegex::Matches(std::string_view value) const {
  if (const std::vector<std::string>* texts = literals()) {
    return std::binary_search(texts->begin(), texts->end(), value);
  }
  return RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *compiled_->regex);
}

}  // namespace schedlens::promql
