#pragma once

// Histograms of the same attempts narrow each other. Where every attempt's value in `b` is at least
// its value in `a` (pod >= e2e >= binding >= Bind), and an interval holds the same attempts in
// both:
//   N(b > x) >= N(a > x)
//   N(b > x) <= N(a > y) + floor(W / (x - y))   for y < x,   W = sum(b) - sum(a)
// since an attempt with a <= y and b > x adds more than x - y to W. Read from the other side the
// same two bound `a` by `b`. A histogram with other bounds so becomes a second, offset bucket
// layout.
//
// The premise is checked for every scrape interval by itself: the counts since process start are
// equal at both of its edges (which makes the attempts the same ones), no reset lies in it, and the
// sums are ordered. Where it fails the interval keeps the bounds of its own buckets and sums.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/commands.h"
#include "contract/diagnosis.h"
#include "stats/proven_interval.h"

namespace schedlens {

/// Another histogram of the attempts, in one process.
struct Link {
  std::string name;                       ///< as a basis names it: "pod_scheduling_duration"
  bool above = false;                     ///< each attempt's value there is >= the target's
  std::vector<ScrapeIncreases> children;  ///< all of it that the target's attempts are in
};

/// One process: the children whose quantile is asked, and what they may be linked to.
struct LinkedProcess {
  std::vector<ScrapeIncreases> children;
  std::vector<Link> links;
};

/// The quantiles of some processes together; what is the same for every quantile is done once.
class LinkedQuantiles {
 public:
  /// `processes` must outlive this object.
  explicit LinkedQuantiles(std::span<const LinkedProcess> processes);
  ~LinkedQuantiles();

  /// ProveQuantile over all children, narrowed by the links whose premise holds; the basis names
  /// the ones that narrowed it. Never wider than ProveQuantile's.
  ProvenQuantile Prove(double q) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

/// Bounds of the number of observations above x, links included.
CountBounds CountAboveLinked(std::span<const LinkedProcess> processes, double x);

/// Is the true quantile above an alert's threshold? Easier than the quantile itself: at a bound it
/// is a matter of counting. `comparison` is the alert's (">", ">=", "<", "<="), used only for
/// can_never_fire.
ThresholdVerdict JudgeThreshold(std::span<const LinkedProcess> processes, double q,
                                double threshold, std::string_view comparison);

}  // namespace schedlens
