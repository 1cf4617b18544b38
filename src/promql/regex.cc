#include "promql/regex.h"

#include <re2/re2.h>

#include <mutex>
#include <unordered_map>

namespace schedlens::promql {
namespace {

/// More patterns than this are not kept: the outside world may bring any number of them.
constexpr std::size_t kMost = 256;

std::shared_ptr<const RE2> Compiled(const std::string& pattern) {
  static std::mutex mutex;
  static auto* const kept = new std::unordered_map<std::string, std::shared_ptr<const RE2>>();
  const std::lock_guard lock(mutex);
  if (const auto it = kept->find(pattern); it != kept->end()) return it->second;
  RE2::Options options(RE2::Quiet);
  options.set_dot_nl(true);
  auto regex = std::make_shared<const RE2>(pattern, options);
  if (kept->size() >= kMost) kept->clear();
  kept->emplace(pattern, regex);
  return regex;
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
    : regex_(HasAnyByte(pattern) ? nullptr : Compiled(pattern)) {}

bool MatcherRegex::ok() const { return regex_ != nullptr && regex_->ok(); }

const std::string& MatcherRegex::error() const {
  static const std::string any_byte = "invalid escape sequence: \\C";
  return regex_ == nullptr ? any_byte : regex_->error();
}

bool MatcherRegex::Matches(std::string_view value) const {
  return RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *regex_);
}

}  // namespace schedlens::promql
