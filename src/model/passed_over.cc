#include "model/passed_over.h"

namespace schedlens {

std::optional<TimeRange> PassedOverTimes::Extent(bool seconds, TimeMs default_time) const {
  Span all = usual_;
  if (!seconds) {
    all.first = std::min(all.first, late_.first) / 1000;
    all.last = std::max(all.last, late_.last) / 1000;
    all.samples += late_.samples;
  }
  if (without_time_ > 0) all.Add(default_time);
  if (all.samples == 0) return std::nullopt;
  return TimeRange{all.first, all.last};
}

}  // namespace schedlens
