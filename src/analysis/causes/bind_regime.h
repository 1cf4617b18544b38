#ifndef SCHEDLENS_ANALYSIS_CAUSES_BIND_REGIME_H_
#define SCHEDLENS_ANALYSIS_CAUSES_BIND_REGIME_H_

// Is a slow bind the API server's time, or a wait for the client's own rate limiter? Where the
// limiter has no metric, the dispersion of the binds tells.

#include <optional>

#include "analysis/breakdown/time_breakdown.h"

namespace schedlens {

/// Binds per scrape interval while a backlog stood, against the attempts that arrived.
struct BindDispersion {
  std::size_t cells = 0;      ///< intervals with a backlog at their start
  double rate = 0;            ///< binds per second in them
  double rate_deviation = 0;  ///< standard deviation of it
  double arrival_rate = 0;    ///< attempts that found a node, per second
  double arrival_deviation = 0;
  double dispersion = 0;          ///< variance of the binds per interval over their mean
  double arrival_dispersion = 0;  ///< likewise of the arrivals
  bool even_by_chance = false;    ///< too few intervals for the binds' evenness to mean something
  double backlog_start = 0;       ///< running binding cycles at the first and ...
  double backlog_end = 0;         ///< ... at the last of these intervals
  double backlog_most = 0;
};

/// A backlog's dispersion needs this many intervals to show.
inline constexpr std::size_t kLeastDispersion = 6;

/// Nothing when no interval began with a backlog, when the few that did (under kLeastDispersion)
/// have less than half of the binds' time, or when extenders made most binds.
std::optional<BindDispersion> MeasureBindDispersion(const Histograms& histograms,
                                                    std::span<const Target> targets,
                                                    const WindowIncreases& window,
                                                    const TimeBreakdown& breakdown);

enum class Throttling { kNo, kYes, kCannotTell };

/// A token bucket lets binds go at exactly its rate as long as a backlog stands: their dispersion
/// falls far below one and below the arrivals'. Unlimited parallel binds of a slow server leave it
/// near the arrivals' (M/G/infinity). Where arrivals are that even too, or the intervals are few,
/// the dispersion cannot tell.
Throttling JudgeDispersion(const std::optional<BindDispersion>& dispersion);

/// What the client's rate limiter says, where it is exposed (1.22 and later).
struct LimiterSplit {
  double low = 0, value = 0, high = 0;  ///< seconds of EP{Bind} spent waiting for the limiter
  double mean_wait = 0;                 ///< seconds a POST
};
std::optional<LimiterSplit> SplitByLimiter(const Facts& facts, const TimeBreakdown& breakdown);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_BIND_REGIME_H_
