#ifndef SCHEDLENS_ANALYSIS_CAUSES_BIND_REGIME_H_
#define SCHEDLENS_ANALYSIS_CAUSES_BIND_REGIME_H_

// Is a slow bind the API server's time, or a wait for the client's own rate limiter? Where the
// limiter has no metric, the dispersion of the binds tells.

#include <optional>

#include "analysis/breakdown/time_breakdown.h"

namespace schedlens {

/// Binds per scrape interval, against their load and the attempts that arrived.
struct BindDispersion {
  std::size_t cells = 0;      ///< intervals with a backlog at both ends
  double rate = 0;            ///< binds per second in them; without any the largest of an interval
  double rate_deviation = 0;  ///< standard deviation of it
  double arrival_rate = 0;    ///< attempts that found a node, per second
  double arrival_deviation = 0;
  double dispersion = 1;          ///< variance of the binds per interval over their mean
  double arrival_dispersion = 1;  ///< likewise of the arrivals
  double evenness = 1;  ///< chance that random binds are as even; 1 with fewer than two cells
  double arrival_evenness = 1;  ///< likewise of the arrivals
  /// Rank correlation, interval by interval, of the mean Bind with its load: arrivals and binds
  /// running at its start, the larger of this interval's and the one's before.
  double follows_load = 0;
  std::size_t intervals = 0;  ///< with binds, that it rests on
  double backlog_start = 0;   ///< running binding cycles at the start of the first cell and ...
  double backlog_end = 0;     ///< ... at the end of the last
  double backlog_most = 0;    ///< at any scrape
};

/// Nothing without binds, or when extenders made most of them.
std::optional<BindDispersion> MeasureBindDispersion(const Histograms& histograms,
                                                    std::span<const Target> targets,
                                                    const WindowIncreases& window,
                                                    const TimeBreakdown& breakdown);

enum class Throttling { kNo, kYes, kCannotTell };

/// A token bucket lets binds go at exactly its rate as long as a backlog stands: they leave more
/// evenly than chance allows (lower tail of chi-square), and than they arrive. Unlimited parallel
/// binds of a slow server leave as they arrive (M/G/infinity). Where no backlog lasts for two
/// intervals, the mean Bind tells: behind a limiter it follows the load, a slow server is as slow
/// for few as for many. Neither speaks with fewer than four intervals.
Throttling JudgeDispersion(const std::optional<BindDispersion>& dispersion);

/// Whether binds leave more evenly than chance allows.
bool IsPaced(const BindDispersion& dispersion);

/// Of two that cannot be told apart: whether the limiter is the more plausible one.
bool LooksThrottled(const BindDispersion& dispersion);

/// What the client's rate limiter says, where it is exposed (1.22 and later).
struct LimiterSplit {
  double low = 0, value = 0, high = 0;  ///< seconds of EP{Bind} spent waiting for the limiter
  double mean_wait = 0;                 ///< seconds a POST
};
std::optional<LimiterSplit> SplitByLimiter(const Facts& facts, const TimeBreakdown& breakdown);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_BIND_REGIME_H_
