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

MatcherRegex::MatcherRegex(const std::string& pattern) : regex_(Compiled(pattern)) {}

bool MatcherRegex::ok() const { return regex_->ok(); }

const std::string& MatcherRegex::error() const { return regex_->error(); }

bool MatcherRegex::Matches(std::string_view value) const {
  return RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *regex_);
}

}  // namespace schedlens::promql
