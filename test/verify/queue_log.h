#pragma once

// What was compared with a trace of a scheduling queue, and what differed.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verify/comparison.h"

namespace schedlens::verify {

struct QueueMismatch {
  std::int64_t line = 0;
  std::string op;
  std::string field;
  std::string wanted, got;
};

/// Counts comparisons by kind and keeps the first mismatches.
class QueueLog {
 public:
  static constexpr std::size_t kKept = 20;

  void StartLine(std::int64_t line, std::string_view op) {
    line_ = line;
    op_ = op;
  }
  /// `texts` is called for a mismatch only; it returns field, wanted and got.
  template <typename Texts>
  void Compare(KindCount& count, bool equal, Texts texts) {
    ++count.compared;
    if (equal) return;
    ++count.mismatches;
    if (mismatches_.size() >= kKept) return;
    QueueMismatch mismatch = texts();
    mismatch.line = line_;
    mismatch.op = op_;
    mismatches_.push_back(std::move(mismatch));
  }
  /// The counter of a kind; stays where it is.
  KindCount& Kind(const std::string& name) { return by_kind_[name]; }

  const std::map<std::string, KindCount>& by_kind() const { return by_kind_; }
  const std::vector<QueueMismatch>& mismatches() const { return mismatches_; }

 private:
  std::int64_t line_ = 0;
  std::string op_;
  std::map<std::string, KindCount> by_kind_;
  std::vector<QueueMismatch> mismatches_;
};

}  // namespace schedlens::verify
