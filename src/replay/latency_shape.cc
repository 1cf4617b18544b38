#include "kube/metrics.h"
#include "replay/fit.h"

namespace schedlens {
namespace {

using kube::ControlPlaneMetric;
using sim::Distribution;

/// Finer buckets for each measured one.
constexpr int kPieces = 4;

/// Counts of bound pods and of their attempts that differ by less are of the same ones.
constexpr double kSamePods = 0.02;

double Total(const FineBuckets& buckets) {
  double total = 0;
  for (const auto& [bound, n] : buckets) total += n;
  return total;
}

/// The cubic of Hermite on [0, 1] from 0 to `rise`, with slopes in units of the interval.
double Hermite(double t, double rise, double from, double to) {
  const double t2 = t * t, t3 = t2 * t;
  return rise * (3 * t2 - 2 * t3) + from * (t3 - 2 * t2 + t) + to * (t3 - t2);
}

/// Observations at or below `x`.
double CumulativeAt(const FineBuckets& buckets, double x) {
  double lower = 0, below = 0;
  for (const auto& [bound, n] : buckets) {
    if (x < bound) {
      const double share = lower > 0 ? std::log(x / lower) / std::log(bound / lower) : x / bound;
      return below + n * std::clamp(share, 0.0, 1.0);
    }
    lower = bound;
    below += n;
  }
  return below;
}

double MeanOf(const FineBuckets& fine) {
  return fine.empty() ? 0 : Distribution::Empirical(fine).Mean();
}

/// Every value times a factor.
FineBuckets Stretched(FineBuckets fine, double factor) {
  for (auto& [bound, n] : fine) bound *= factor;
  return fine;
}

/// Values above `lower` bent (a power of how far they are above it) until their mean is `mean`.
FineBuckets Bent(const FineBuckets& tail, double lower, double mean) {
  const auto bend = [&](double power) {
    FineBuckets out = tail;
    for (auto& [bound, n] : out) bound = lower * std::pow(bound / lower, power);
    return out;
  };
  double low = 1e-6, high = 16;
  for (int i = 0; i < 50; ++i) {
    const double middle = std::sqrt(low * high);
    (MeanOf(bend(middle)) < mean ? low : high) = middle;
  }
  return bend(low);
}

/// Where the open observations lie: the part of `whole` above `lower`, as counts.
FineBuckets TailFrom(const LatencyShape& whole, double lower) {
  FineBuckets tail;
  double above = 0;
  for (const auto& [bound, n] : whole.buckets) {
    if (bound <= lower * 1.0001) continue;
    tail.emplace_back(bound, n);
    above += n;
  }
  if (whole.open > 0 && !whole.buckets.empty()) {
    double closed = 0, last = 0;
    for (const auto& [bound, n] : whole.buckets) {
      closed += n * (last + bound) / 2;
      last = bound;
    }
    const double mean = std::max(last * 1.05, (whole.seconds - closed) / whole.open);
    tail.emplace_back(std::max(last * 1.1, 2 * mean - last), whole.open);
    above += whole.open;
  }
  if (above <= 0) return {};
  // An empty bucket that ends where the tail begins, so that nothing is drawn below it.
  tail.insert(tail.begin(), {lower, 0});
  return tail;
}

/// Drawn of each distribution.
constexpr std::size_t kRankDraws = 4000;

Distribution OfRanks(const std::vector<double>& ascending) {
  std::vector<std::pair<double, double>> buckets;
  for (const double drawn : ascending) {
    const double value = std::max(1e-9, drawn);
    const double last = buckets.empty() ? 0 : buckets.back().first;
    // A draw is itself: nothing lies between it and the one before.
    if (const double just_below = value * (1 - 1e-6); just_below > last) {
      buckets.emplace_back(just_below, 0);
      buckets.emplace_back(value, 1);
    } else {
      buckets.back().second += 1;
    }
  }
  return Distribution::Empirical(buckets);
}

/// What requests take, in parts of their mean: up to how much of it, and how many of them.
constexpr std::pair<double, double> kAroundMean[] = {
    {0.6, 0.4}, {1.3, 0.4}, {2.8, 0.15}, {4.5, 0.05}};

template <typename Combine>
Distribution RankByRank(const Distribution& a, const Distribution& b, const Combine& combine) {
  std::vector<double> values = Ranked(a);
  const std::vector<double> other = Ranked(b);
  std::transform(values.begin(), values.end(), other.begin(), values.begin(), combine);
  return OfRanks(values);
}

}  // namespace

LatencyShape ShapeOf(const std::vector<const ScrapeIncreases*>& children) {
  std::map<double, double> at;
  LatencyShape shape;
  for (const ScrapeIncreases* child : children) {
    const auto total = TotalBuckets(*child);
    for (std::size_t b = 0; b < total.size(); ++b) at[child->bounds[b]] += total[b];
    shape.count += TotalCount(*child);
    const double seconds = TotalSum(*child);
    if (std::isfinite(seconds)) shape.seconds += seconds;
  }
  for (const auto& [bound, n] : at) {
    if (std::isinf(bound)) {
      shape.open = n;
    } else if (bound > 0) {
      shape.buckets.emplace_back(bound, n);
    }
  }
  return shape;
}

LatencyShape ShapeOf(const std::vector<ScrapeIncreases>& cells) {
  return ShapeOf(Select(cells, "", ""));
}

LatencyShape ShapeAt(const Measurement& window, kube::ExtensionPoint point) {
  return ShapeOf(SelectPoint(window.cells.extension_point, point));
}
LatencyShape ScheduledShape(const Measurement& window) {
  LatencyShape shape =
      ShapeOf(Select(window.cells.attempt, "result", ToString(kube::AttemptResult::kScheduled)));
  const LatencyShape pods = ShapeOf(window.cells.pod_scheduling);
  if (std::abs(pods.count - shape.count) > kSamePods * shape.count) return shape;
  // Counted from the top: a few pods more or fewer in all must not look like quick ones.
  double below = 0, lower = 0, pods_below = shape.count - pods.count;
  auto pod = pods.buckets.begin();
  for (std::size_t i = 0; i < shape.buckets.size(); ++i) {
    const auto [upper, n] = shape.buckets[i];
    for (; pod != pods.buckets.end() && pod->first < upper; ++pod) {
      pods_below += pod->second;
      const double part = std::log(pod->first / std::max(lower, upper / 2)) / std::log(2);
      if (pod->first <= lower || pods_below - below <= part * n) continue;
      const double quicker = std::min(n, pods_below - below);
      shape.buckets[i].second = n - quicker;
      shape.buckets.insert(shape.buckets.begin() + static_cast<std::ptrdiff_t>(i++),
                           {pod->first, quicker});
      ++pod;
      break;
    }
    below += n;
    lower = upper;
  }
  return shape;
}

FineBuckets Refined(const FineBuckets& buckets) {
  const std::size_t n = buckets.size();
  if (n < 2) return buckets;
  // Chords between neighbouring bounds; the first bucket has no lower bound and stays as it is.
  std::vector<double> width(n, 0), chord(n, 0), slope(n, 0);
  for (std::size_t i = 1; i < n; ++i) {
    width[i] = std::log(buckets[i].first / buckets[i - 1].first);
    chord[i] = buckets[i].second / width[i];
  }
  // At a knot between two chords (Fritsch and Carlson): their mean, held to three times the lower
  // one, so that the curve never falls.
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double left = chord[i], right = chord[i + 1];
    slope[i] = std::min((left + right) / 2, 3 * std::min(left, right));
  }
  slope[0] = buckets[0].second > 0 ? chord[1] : 0;
  FineBuckets out = {buckets[0]};
  for (std::size_t i = 1; i < n; ++i) {
    double before = 0;
    for (int piece = 1; piece <= kPieces; ++piece) {
      const double t = static_cast<double>(piece) / kPieces;
      const double rise =
          Hermite(t, buckets[i].second, slope[i - 1] * width[i], slope[i] * width[i]);
      const double bound =
          piece == kPieces ? buckets[i].first : buckets[i - 1].first * std::exp(width[i] * t);
      out.emplace_back(bound, std::max(0.0, rise - before));
      before = std::max(before, rise);
    }
  }
  return out;
}

FineBuckets FineOf(const LatencyShape& shape, const LatencyShape& whole) {
  const double closed = Total(shape.buckets);
  if (closed + shape.open <= 0 || !(shape.mean() > 0)) return {};
  FineBuckets fine = closed > 0 ? Refined(shape.buckets) : FineBuckets();
  const double body = MeanOf(fine);
  if (shape.open <= 0) return Stretched(fine, shape.mean() / body);
  const double lower = shape.buckets.empty() ? 1e-3 : shape.buckets.back().first;
  const double mean = std::max(lower * 1.001, (shape.seconds - closed * body) / shape.open);
  FineBuckets tail = TailFrom(whole, lower);
  if (tail.empty()) tail = {{lower, 0}, {std::max(lower * 1.01, 2 * mean - lower), 1}};
  tail = Bent(Refined(tail), lower, mean);
  const double share = shape.open / Total(tail);
  for (const auto& [bound, n] : tail) {
    if (fine.empty() || bound > fine.back().first) fine.emplace_back(bound, n * share);
  }
  return fine;
}

FineBuckets SliceOf(const FineBuckets& fine, double from, double to) {
  const double total = Total(fine), first = from * total, last = to * total;
  FineBuckets out;
  double lower = 0, below = 0;
  for (const auto& [bound, n] : fine) {
    const auto at = [&, bound = bound, n = n](double rank) {
      const double share = std::clamp((rank - below) / n, 0.0, 1.0);
      return lower > 0 ? lower * std::pow(bound / lower, share) : bound * share;
    };
    if (n > 0 && below + n > first && below < last) {
      const double begin = std::max(first, below), end = std::min(last, below + n);
      if (out.empty() && at(begin) > 0) out.emplace_back(at(begin), 0);
      if (out.empty() || at(end) > out.back().first) out.emplace_back(at(end), end - begin);
    } else if (!out.empty() && below < last && bound > out.back().first) {
      out.emplace_back(bound, 0);
    }
    lower = bound;
    below += n;
  }
  return out;
}

Distribution DistributionOf(const FineBuckets& fine) {
  return Total(fine) > 0 ? Distribution::Empirical(fine) : Distribution();
}

Distribution DistributionOf(const LatencyShape& shape, const LatencyShape& whole) {
  return DistributionOf(FineOf(shape, whole));
}

FineBuckets ScaledTo(const LatencyShape& shape, double mean) {
  const FineBuckets form = FineOf(shape, shape);
  if (!(mean > 0) || form.empty()) return {};
  return Stretched(form, mean / MeanOf(form));
}

LatencyShape Without(const LatencyShape& whole, const LatencyShape& part, double count,
                     double seconds) {
  LatencyShape left;
  left.count = count;
  left.seconds = seconds;
  const FineBuckets fine = Refined(part.buckets);
  const double part_total = Total(fine) + part.open;
  // From the top down, where the part has nothing: in the body a small error of its interpolation
  // would be many observations of what is left.
  double above = whole.open, reached = std::min(count, std::max(0.0, whole.open - part.open));
  left.open = reached;
  for (std::size_t i = whole.buckets.size(); i-- > 0;) {
    const double lower = i > 0 ? whole.buckets[i - 1].first : 0;
    above += whole.buckets[i].second;
    const double now = std::clamp(above - (part_total - CumulativeAt(fine, lower)), reached,
                                  std::max(reached, count));
    left.buckets.emplace_back(whole.buckets[i].first, i == 0 ? count - reached : now - reached);
    reached = now;
  }
  std::ranges::reverse(left.buckets);
  return left;
}

FineBuckets Mirrored(const LatencyShape& shape) {
  FineBuckets half = SliceOf(FineOf(shape, shape), 0, 0.5);
  if (half.empty()) return {};
  const double median = half.back().first;
  // What lies below the bound of an entry lies above its mirror image.
  for (std::size_t i = half.size(); i-- > 1;) {
    const double lower = half[i - 1].first;
    if (lower <= 0 || half[i].second <= 0) continue;
    half.emplace_back(median * median / lower, half[i].second);
  }
  return half;
}

std::optional<Distribution> WholeSeconds(const FineBuckets& fine, double lower, double work,
                                         double before) {
  FineBuckets quick, waits;  // of a wait its likely value
  double last = lower, seconds = 0;
  for (const auto& [bound, n] : fine) {
    if (bound <= lower * 1.0001) {
      quick.emplace_back(bound, n);
    } else if (n > 0) {
      waits.emplace_back(std::sqrt(last * bound), n);
      seconds += n * MeanOf({{last, 0}, {bound, n}});
    }
    last = std::max(lower, bound);
  }
  const double count = Total(waits), mean = seconds / count;
  if (count <= 0 || mean < 1) return std::nullopt;
  // The form's seconds hold the work too, and that of others: it is moved until the mean fits.
  const auto counted = [&](double moved) {
    std::map<double, double> at;
    for (const auto& [value, n] : waits) at[std::max(1.0, std::floor(value + moved))] += n;
    return FineBuckets(at.begin(), at.end());
  };
  const auto over = [&](const FineBuckets& whole) {
    double left = mean;
    for (const auto& [second, n] : whole) left -= second * n / count;
    return left;
  };
  double low = -waits.back().first, high = 1;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (over(counted(middle)) < std::min(work, mean - 1) ? high : low) = middle;
  }
  const FineBuckets whole = counted(low);
  std::vector<std::pair<double, Distribution>> parts = {{Total(quick), DistributionOf(quick)}};
  const double more = std::max(1e-6, over(whole) + before);
  for (const auto& [second, n] : whole) {
    FineBuckets part = {{second, 0}};
    for (const auto& [of_mean, share] : kAroundMean) {
      part.emplace_back(second + of_mean * more, share * n);
    }
    parts.emplace_back(n, DistributionOf(part));
  }
  return Distribution::Mixture(parts);
}

std::vector<double> Ranked(const Distribution& distribution) {
  sim::Random random(1);
  std::vector<double> draws(kRankDraws);
  for (double& draw : draws) draw = distribution.Sample(random);
  std::ranges::sort(draws);
  return draws;
}

Distribution Partway(const Distribution& from, const Distribution& to, double part) {
  return RankByRank(from, to,
                    [&](double value, double end) { return value + part * (end - value); });
}

double TakeQuietAbove(double least, double most, const Distribution& quiet, Distribution* now) {
  std::vector<double> values = Ranked(*now);
  const std::vector<double> calm = Ranked(quiet);
  const auto from = std::ranges::lower_bound(values, least);
  const auto first = std::ranges::lower_bound(calm, least);
  const auto count = static_cast<double>(values.end() - from);
  const double step = static_cast<double>(calm.end() - first) / std::max(1.0, count);
  double all = 0;
  std::vector<double> slower;  // by so many seconds than in the quiet period
  for (auto it = from; it != values.end() && first != calm.end(); ++it) {
    const double rank = (static_cast<double>(it - from) + 0.5) * step;
    slower.push_back(std::max(0.0, *it - *(first + static_cast<std::ptrdiff_t>(rank))));
    all += slower.back();
  }
  const double part = all > most * count ? most * count / all : 1;
  auto value = from;
  for (const double more : slower) *value++ -= part * more;
  *now = OfRanks(values);
  return part * all / static_cast<double>(values.size());
}

Distribution Slower(const Distribution& a, const Distribution& b) {
  return RankByRank(a, b, [](double x, double y) { return std::max(x, y); });
}

bool GrewEvenly(const Distribution& now, const Distribution& quiet) {
  const double middle = Ranked(now)[kRankDraws / 2] - Ranked(quiet)[kRankDraws / 2];
  return middle > 0.5 * (now.Mean() - quiet.Mean());
}

LatencyShape ServerBinds(const Investigation& investigation, const TimeRange& window) {
  const ControlPlaneFacts& facts = investigation.control_plane;
  LatencyShape shape;
  const Meter count =
      MeterOf(facts, "bindings", CountOf(ControlPlaneMetric::kApiserverRequestDuration));
  if (count.empty()) return shape;
  shape.count = count.Increase(window).value;
  shape.seconds = RequestSeconds(facts, "bindings").Increase(window).value;
  double reached = 0;
  for (const auto& [bound, meter] :
       MetersBelow(facts, "bindings", BucketOf(ControlPlaneMetric::kApiserverRequestDuration))) {
    if (!std::isfinite(bound) || !meter.Covers(count)) continue;
    const double now = std::clamp(meter.Increase(window).value, reached, shape.count);
    shape.buckets.emplace_back(bound, now - reached);
    reached = now;
  }
  shape.open = shape.count - reached;
  return shape;
}

}  // namespace schedlens
