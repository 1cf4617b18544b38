#ifndef SCHEDLENS_MODEL_PASSED_OVER_H_
#define SCHEDLENS_MODEL_PASSED_OVER_H_

// Samples of metrics that nobody asked for: read, checked and counted, but not kept.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "contract/series.h"

namespace schedlens {

struct PassedOver {
  std::size_t samples = 0;
  std::set<std::string, std::less<>> metrics;
  /// Their first and last time, without those dropped for being late.
  std::optional<TimeRange> extent;
};

/// In milliseconds, 1e11 seconds: of the year 5138, and as milliseconds of 1973. No clock shows it,
/// so a larger number of seconds is none.
inline constexpr std::int64_t kLatestTime = 99'999'999'999'999;

/// Collects what is passed over while the unit of time is not known yet.
class PassedOverTimes {
 public:
  /// A time in thousandths of its unit.
  void Add(std::int64_t thousandths) {
    if (!IsLate(thousandths)) return usual_.Add(thousandths);
    (IsLate(thousandths / 1000) ? later_ : late_).Add(thousandths);
  }
  void AddWithoutTime() { ++without_time_; }

  std::size_t samples() const {
    return usual_.samples + late_.samples + later_.samples + without_time_;
  }
  /// How many lie beyond kLatestTime.
  std::size_t Late(bool seconds) const { return later_.samples + (seconds ? late_.samples : 0); }
  /// First and last in milliseconds, without late ones; samples without time are of `default_time`.
  /// Nothing without samples.
  std::optional<TimeRange> Extent(bool seconds, TimeMs default_time) const;

 private:
  struct Span {
    void Add(std::int64_t time) {
      first = std::min(first, time);
      last = std::max(last, time);
      ++samples;
    }
    std::int64_t first = INT64_MAX;
    std::int64_t last = INT64_MIN;
    std::size_t samples = 0;
  };
  static bool IsLate(std::int64_t time) { return time > kLatestTime || time < -kLatestTime; }

  Span usual_;
  Span late_;   // if the unit is seconds
  Span later_;  // in both units
  std::size_t without_time_ = 0;
};

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_PASSED_OVER_H_
