#pragma once

// What was measured of each stage, and how slow that is.

#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {

// What is measured on one window, before it is compared with another.

/// Fewer attempts have no tail to speak of.
inline constexpr double kLeastAttempts = 10;

/// CPU seconds of the scheduler's processes.
struct CpuUse {
  double seconds = 0;
  double cores = 0;  ///< seconds per second of the window
};

/// How slow the attempts of one result are: the bucket of their 99th percentile. Where attempts
/// have no buckets also "algorithm", "binding", "Bind" and "PreBind".
struct ResultTail {
  std::string result;
  double count = 0, mean = 0;
  double p99_low = 0, p99_high = 0;  ///< high may be infinite
  PooledBuckets buckets = {};
};

/// One window with everything measured on it.
struct Measurement {
  WindowIncreases cells;
  TimeBreakdown breakdown;
  std::optional<CpuUse> cpu;
  std::vector<ResultTail> tails;  ///< results with at least one attempt
  double preemption_attempts = 0;
  std::optional<double> pending_active;  ///< mean of the active queue, where it was scraped
  /// Execution seconds of dispatched binds; nothing where binds are not dispatched.
  std::optional<double> dispatched_bind_seconds;
  std::optional<ResultTail> Tail(std::string_view result) const;
};
/// True when the 99th percentile of some result is proven to be half a second or more, whatever a
/// baseline says, and be it of one attempt. False without attempts.
bool PlainlySlow(const Measurement& m);
Measurement Measure(const Facts& facts, const Histograms& histograms, const TimeRange& window);

// Are attempts slower than in the baseline? By exact tests of the fractions over each bucket bound,
// not by the bucket that a quantile happens to fall into.

/// A p-value at most this is significant, corrected for the bounds tried.
inline constexpr double kSignificant = 0.01;
/// An incident makes the 99th percentile at least this many times the baseline's.
inline constexpr double kLeastGrowth = 1.5;

/// A cause must explain this much of what grew; below it, it is noise next to the real one.
inline constexpr double kLeastWeight = 0.1;
/// From this much on it is called likely.
inline constexpr double kLikelyWeight = 0.3;

/// One result's attempts now against the same in the baseline.
struct TailTest {
  /// Smallest p-value of Fisher's one-sided test over the bounds from 0.1 s on that both have,
  /// times the number of different tests among them; at most 1.
  double p_value = 1;
  double growth = 0;  ///< of the interpolated 99th percentile, as a ratio (or of the mean where it
                      ///< is in the open bucket and that is larger); 0 where unknown
};
TailTest TestTail(const ResultTail& now, const ResultTail& before);

/// The same of any two populations, over the bounds from `least` seconds on.
double SmallestPValue(const PooledBuckets& now, const PooledBuckets& before, double least);

/// The same of the calls of a stage, by its own histogram: over all bounds, or over those from the
/// baseline's 99th percentile of attempts on, where a slow call makes an attempt slow. 1 for stages
/// without a histogram, and without a baseline.
double StagePValue(const Measurement& now, const std::optional<Measurement>& baseline,
                   kube::Stage stage, bool as_attempts);

struct Speed {
  bool slow = false;  ///< some result is significantly and clearly slower, or plainly slow
  /// Attempts that the window would need for a doubling of the slow fraction to be significant,
  /// where it has fewer.
  std::optional<double> attempts_needed;
};

/// Without a baseline only what is plainly slow counts: a 99th percentile proven to be 0.5 s or
/// more. `threshold` is the alert's, in seconds: proven above it is slow too.
Speed CompareSpeed(const Measurement& now, const std::optional<Measurement>& baseline,
                   std::optional<double> threshold);

// Whether the slow attempts are one profile's. Profiles share a process, its loop and its queue,
// but each has plugins of its own.

struct SlowProfile {
  std::string profile;  ///< the value of the label
  PooledBuckets own;    ///< its scheduled attempts
  PooledBuckets rest;   ///< those of all other profiles
};

/// The profile whose scheduled attempts are significantly slower than all others' by Fisher's test
/// over the bucket bounds, with a 99th percentile of at least twice theirs and a tenth of a second;
/// the slowest where several are. Nothing with one profile, and for one with under ten attempts.
std::optional<SlowProfile> FindSlowProfile(const WindowIncreases& window);

}  // namespace schedlens
