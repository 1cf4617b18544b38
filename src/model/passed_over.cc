#include "model/passed_over.h"

namespace schedlens {

std::optional<TimeRange> PassedOverTimes::Extent(bool seconds, bool late,
                                                 TimeMs default_time) const {
  Span all = usual_;
  const auto join = [&all](const Span& span) {
    if (span.samples == 0) return;
    all.Add(span.first);
    all.Add(span.last);
  };
  if (late || !seconds) join(late_);
  if (late) join(later_);
  if (!seconds && all.samples > 0) {
    all.first /= 1000;
    all.last /= 1000;
  }
  if (without_time_ > 0) all.Add(default_time);
  if (all.samples == 0) return std::nullopt;
  return TimeRange{all.first, all.last};
}

}  // namespace schedlens
