#include "verify/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
namespace schedlens::verify {

void to_json(nlohmann::json& json, const KindCount& count) {
  json = {{"compared", count.compared}, {"mismatches", count.mismatches}};
}

void ComparisonLog::StartAttempt(std::int64_t seq, const std::string& pod, std::int64_t attempt) {
  seq_ = seq;
  pod_ = pod;
  attempt_ = attempt;
}

void ComparisonLog::Compare(std::string_view kind, const std::string& node, std::string_view plugin,
                            const std::string& recorded, const std::string& own) {
  KindCount& count = by_kind_[std::string(kind)];
  ++count.compared;
  if (recorded == own) return;
  ++count.mismatches;
  mismatches_.push_back(
      {seq_, pod_, attempt_, node, std::string(plugin), std::string(kind), recorded, own});
}

void ComparisonLog::Compare(std::string_view kind, const std::string& node, std::string_view plugin,
                            std::int64_t recorded, std::int64_t own) {
  if (recorded == own) {
    ++by_kind_[std::string(kind)].compared;
  } else {
    Compare(kind, node, plugin, std::to_string(recorded), std::to_string(own));
  }
}

std::string Sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace schedlens::verify
