#ifndef SCHEDLENS_MODEL_PLAIN_LINE_H_
#define SCHEDLENS_MODEL_PLAIN_LINE_H_

// Sample lines as nearly all are written: `name{a="b",c="d"} 12.5 1795314346.716` with one blank
// between the parts, without escapes, in ASCII. They are read at the speed of memory; whatever is
// written otherwise, right or wrong, is left to the whole grammar of exposition_line.h, which reads
// the same from a line that both can read.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "contract/series.h"
#include "model/exposition_line.h"

namespace schedlens {

/// The metric name and label set at the start of a line.
class PlainKey {
 public:
  /// Reads from `at` on and returns where the blank behind it stands; null if it is not plain: no
  /// labels in braces, an empty value, a label given twice or called `__name__`, more than 32 of
  /// them, an escape, a byte outside printable ASCII, a blank elsewhere than in a value. Reads
  /// nothing from `end` on.
  ///
  /// What stands as in the last key is not read again: the texts of all keys since Forget() must
  /// still be there.
  const char* Scan(const char* at, const char* end);
  void Forget() { line_ = nullptr; }

  std::string_view metric() const { return pairs_.front().second; }
  /// Name and value as they stand in the text scanned, the metric name first.
  std::span<const Labels::View> pairs() const { return {pairs_.data(), count_}; }
  /// Whether the labels are in ascending order.
  bool ascending() const { return ascending_; }

 private:
  static constexpr std::size_t kMost = 33;  // each may be compared with all others

  std::size_t Unchanged(const char* at, const char* end) const;
  const char* ScanLabels(const char* line, const char* at, const char* end);
  const char* SkipKnownName(const char* at, const char* end);
  bool Add(std::string_view name);

  const char* line_ = nullptr;  // where the last key began; null where it was not plain
  std::array<Labels::View, kMost> pairs_;
  std::array<std::uint32_t, kMost> ends_{};  // of each pair, behind its quote, from the key's begin
  std::size_t count_ = 0;                    // of pairs
  std::size_t known_ = 0;                    // of pairs, the last key's among them
  bool ascending_ = true;
};

/// Reads ` VALUE TIME` and the line end, both plain decimal numbers of at most 15 digits, the time
/// with at most three behind the point. Returns where the next line begins, null if it is not so
/// written. `end` is behind a line end.
const char* ScanPlainRest(const char* at, const char* end, Rest* rest);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_PLAIN_LINE_H_
