#pragma once

// What was compared with a recording, and what differed.

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens::verify {

struct Mismatch {
  std::int64_t seq = 0;  ///< `seq` of the recorded line
  std::string pod;       ///< namespace/name
  std::int64_t attempt = 0;
  std::string node;    ///< empty if it is not about one node
  std::string plugin;  ///< empty if it is not about one plugin
  std::string kind;    ///< `verdict`, `reasons`, `raw score`, ...
  std::string recorded, own;
};

struct KindCount {
  std::int64_t compared = 0;
  std::int64_t mismatches = 0;
};
void to_json(nlohmann::json& json, const KindCount& count);

/// Counts comparisons by kind and keeps every mismatch, in order.
class ComparisonLog {
 public:
  /// What the following comparisons are about.
  void StartAttempt(std::int64_t seq, const std::string& pod, std::int64_t attempt);
  /// `node` and `plugin` are empty if the comparison is not about one.
  void Compare(std::string_view kind, const std::string& node, std::string_view plugin,
               const std::string& recorded, const std::string& own);
  void Compare(std::string_view kind, const std::string& node, std::string_view plugin,
               std::int64_t recorded, std::int64_t own);

  const std::map<std::string, KindCount>& by_kind() const { return by_kind_; }
  const std::vector<Mismatch>& mismatches() const { return mismatches_; }

 private:
  std::int64_t seq_ = 0;
  std::string pod_;
  std::int64_t attempt_ = 0;
  std::map<std::string, KindCount> by_kind_;
  std::vector<Mismatch> mismatches_;
};

/// The texts in order, joined by "; ". For lists whose order means nothing.
std::string Sorted(std::vector<std::string> texts);

}  // namespace schedlens::verify
