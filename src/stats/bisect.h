#ifndef SCHEDLENS_STATS_BISECT_H_
#define SCHEDLENS_STATS_BISECT_H_

// Bisection that keeps a bracket instead of a root: the caller picks the outer end, so that a proof
// stays a proof whatever the rounding.

namespace schedlens {

struct Bracket {
  double below = 0;  ///< the condition is false here (or this is the start)
  double above = 0;  ///< the condition is true here (or this is the start)
};

/// Narrows [below, above], where `holds(x)` is false up to some point and true from it on, to a
/// relative width of 1e-12 (the sums' own slack is wider). `holds` is never asked at the ends.
template <typename Condition>
Bracket Bisect(double below, double above, Condition holds) {
  constexpr int kEnough = 100;  // 1e-12 from any double's span takes fewer
  for (int i = 0; i < kEnough && above - below > 1e-12 * above; ++i) {
    const double middle = below + (above - below) / 2;
    (holds(middle) ? above : below) = middle;
  }
  return {below, above};
}

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_BISECT_H_
