#include "stats/scrape_increases.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "base/not_finite.h"
#include "base/text.h"
#include "base/work_budget.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// The samples of one label set while it is being put together, ascending in time.
struct Parts {
  std::map<double, std::vector<Sample>> buckets;
  std::map<double, std::string> texts;  // of the bounds, as first seen
  std::vector<Sample> sums, counts;
};

/// Adds samples to those of the same place; of two at the same time the sum, or the later one. NaN
/// is no sample.
void AddSamples(const std::vector<Sample>& samples, bool sum, std::vector<Sample>* to) {
  to->reserve(to->size() + samples.size());
  for (const Sample& sample : samples) {
    if (!std::isnan(sample.v)) to->push_back(sample);
  }
  const auto not_after = [](const Sample& a, const Sample& b) { return a.t >= b.t; };
  if (std::ranges::adjacent_find(*to, not_after) == to->end()) return;
  std::ranges::stable_sort(*to, {}, &Sample::t);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < to->size(); ++i) {
    Sample& last = (*to)[kept];
    const Sample& next = (*to)[i];
    if (next.t == last.t) {
      last.v = sum ? last.v + next.v : next.v;
    } else {
      (*to)[++kept] = next;
    }
  }
  to->resize(kept + 1);
}

/// Reads the values of ascending samples at times that ascend from call to call.
class Cursor {
 public:
  explicit Cursor(const std::vector<Sample>& samples) : at_(samples.begin()), end_(samples.end()) {}

  double At(TimeMs t) {
    while (at_ != end_ && at_->t < t) ++at_;
    return at_ != end_ && at_->t == t ? at_->v : kNaN;
  }

 private:
  std::vector<Sample>::const_iterator at_, end_;
};

/// Leaves out the bounds that came or went with another release, unless that are all, and returns
/// when the first did. A scrape at either end of `times` that lacks buckets may just be torn.
std::optional<TimeMs> KeepCommonBounds(const std::vector<TimeMs>& times,
                                       std::map<double, std::vector<Sample>>* buckets) {
  if (times.size() < 4) return std::nullopt;
  const auto came = [&](const std::vector<Sample>& samples) {
    return !samples.empty() && samples.front().t > times[1];
  };
  const auto went = [&](const std::vector<Sample>& samples) {
    return !samples.empty() && samples.back().t < times[times.size() - 2];
  };
  std::optional<TimeMs> changed;
  std::size_t common = buckets->size();
  for (const auto& [bound, samples] : *buckets) {
    if (!came(samples) && !went(samples)) continue;
    const TimeMs at = came(samples)
                          ? samples.front().t
                          : *std::upper_bound(times.begin(), times.end(), samples.back().t);
    changed = std::min(at, changed.value_or(at));
    --common;
  }
  if (!changed || common == 0) return std::nullopt;
  std::erase_if(*buckets, [&](const auto& one) { return came(one.second) || went(one.second); });
  return changed;
}

HistogramSeries Assemble(const Labels& labels, Parts parts, std::string_view family,
                         std::vector<Message>* warnings) {
  HistogramSeries out;
  out.labels = labels;
  out.family = family;
  const std::string name = std::string(family) + labels.ToString();
  std::vector<TimeMs> times;  // at which some bucket has a sample
  for (const auto& [bound, samples] : parts.buckets) MergeTimes(samples, &times);
  if (const auto changed = KeepCommonBounds(times, &parts.buckets)) {
    warnings->push_back(
        Message("samples.bounds_changed", {{"series", name},
                                           {"at", arg::Time(*changed)},
                                           {"count", arg::Count(parts.buckets.size())}}));
  }
  std::vector<Cursor> cursors;
  for (const auto& [bound, samples] : parts.buckets) {
    out.bounds.push_back(bound);
    cursors.emplace_back(samples);
  }
  Cursor sums(parts.sums), counts(parts.counts);
  out.times.reserve(times.size());
  out.sums.reserve(times.size());
  out.counts.reserve(times.size());
  out.cumulative.reserve(times.size() * out.bounds.size());
  std::size_t torn = 0;
  for (const TimeMs t : times) {
    const std::size_t before = out.cumulative.size();
    for (Cursor& cursor : cursors) {
      const double v = cursor.At(t);
      if (!std::isnan(v)) out.cumulative.push_back(v);
    }
    if (out.cumulative.size() - before < cursors.size()) {
      out.cumulative.resize(before);
      ++torn;
      continue;
    }
    out.times.push_back(t);
    out.sums.push_back(sums.At(t));
    out.counts.push_back(counts.At(t));
  }
  if (torn > 0) {
    warnings->push_back(
        Message("samples.incomplete", {{"series", name}, {"count", arg::Count(torn)}}));
  }
  return out;
}

/// One scrape of a child, or the zero it started from.
struct Row {
  TimeMs t;
  std::span<const double> cumulative;
  double sum;
};

/// `zero` is as long as a row, and outlives the rows.
std::vector<Row> RowsWithBirth(const HistogramSeries& series, std::span<const TimeMs> scrapes,
                               std::span<const double> zero) {
  std::vector<Row> rows;
  if (series.times.empty()) return rows;
  rows.reserve(series.times.size() + 1);
  const auto first = std::lower_bound(scrapes.begin(), scrapes.end(), series.times.front());
  if (first != scrapes.begin()) rows.push_back({*(first - 1), zero, 0.0});
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    rows.push_back({series.times[i], series.Row(i), series.sums[i]});
  }
  return rows;
}

/// Whether every bucket holds at least as many observations as before, but for rounding.
bool GrewEverywhere(const Row& from, const Row& to) {
  const double slack = to.cumulative.empty() ? 0 : 1e-12 * to.cumulative.back();
  double upto = 0;
  for (std::size_t b = 0; b < to.cumulative.size(); ++b) {
    const double increase = to.cumulative[b] - from.cumulative[b];
    if (increase < upto - slack) return false;
    upto = increase;
  }
  return true;
}

/// Per bound, the increase between two scrapes as a server's increase() adds it up: each bucket a
/// counter of its own, the last value less the first and what resets lost. No number is too large
/// for a server, so an infinite count stays one.
std::vector<double> RawIncreases(const std::vector<Row>& rows, TimeMs first, TimeMs last) {
  std::vector<double> increases(rows.front().cumulative.size(), 0.0);
  std::span<const double> before;
  for (const Row& row : rows) {
    if (row.t < first || row.t > last) continue;
    for (std::size_t b = 0; b < increases.size(); ++b) {
      if (before.empty()) {
        increases[b] = -row.cumulative[b];
      } else if (row.cumulative[b] < before[b]) {
        increases[b] += before[b];
      }
    }
    before = row.cumulative;
  }
  for (std::size_t b = 0; b < increases.size(); ++b) increases[b] += before[b];
  return increases;
}

/// A counter that falls tells of a new process, and so does the total; where the starts of
/// processes are known and none lies between, one bucket alone that falls is a torn scrape.
bool ResetBetween(const Row& from, const Row& to, std::span<const TimeMs> restarts) {
  const auto between = [&](TimeMs t) { return t > from.t && t <= to.t; };
  if (std::ranges::any_of(restarts, between)) return true;
  if (to.cumulative.back() < from.cumulative.back()) return true;
  if (!restarts.empty()) return false;
  for (std::size_t b = 0; b < to.cumulative.size(); ++b) {
    if (to.cumulative[b] < from.cumulative[b]) return true;
  }
  return false;
}

/// Whether row `i` falls behind `before` and one of the next two does not, with no process that
/// started in between.
bool StepsBack(const std::vector<Row>& rows, std::size_t i, const Row& before,
               std::span<const TimeMs> restarts) {
  constexpr std::size_t kMostInARow = 2;
  if (restarts.empty() || rows[i].cumulative.back() >= before.cumulative.back()) return false;
  const auto started = std::ranges::upper_bound(restarts, before.t);
  for (std::size_t k = i + 1; k < std::min(rows.size(), i + 1 + kMostInARow); ++k) {
    if (started != restarts.end() && *started <= rows[k].t) return false;
    if (WholeRow(rows[k].cumulative) && GrewEverywhere(before, rows[k])) return true;
  }
  return false;
}

/// `raised` holds the new rows' counts. What cannot be a count is passed over.
std::vector<Row> RaisedToRunningMaximum(std::vector<Row> rows, std::vector<double>* raised) {
  const std::size_t width = rows.empty() ? 0 : rows.front().cumulative.size();
  raised->resize(rows.size() * width);
  double* counts = raised->data();
  for (Row& row : rows) {
    double most = 0;
    for (std::size_t b = 0; b < width; ++b) {
      if (row.cumulative[b] < kMostCounted) most = std::max(most, row.cumulative[b]);
      counts[b] = most;
    }
    row.cumulative = {counts, width};
    counts += width;
  }
  return rows;
}

/// Index of the last row at or before `t`; the first row where all are later.
std::size_t LastAtOrBefore(const std::vector<Row>& rows, TimeMs t) {
  const auto it = std::ranges::upper_bound(rows, t, {}, &Row::t);
  return it == rows.begin() ? 0 : static_cast<std::size_t>(it - rows.begin()) - 1;
}

ScrapeIncreases CellsOfRows(const HistogramSeries& series, const std::vector<Row>& rows,
                            const TimeRange& window, std::span<const TimeMs> restarts) {
  ScrapeIncreases out;
  out.labels = series.labels;
  out.family = series.family;
  out.target = series.target;
  out.bounds = series.bounds;
  if (rows.empty() || rows.front().t > window.end) return out;
  const std::size_t first = LastAtOrBefore(rows, window.start);
  const std::size_t last = LastAtOrBefore(rows, window.end);
  const auto add_edge = [&](const Row& row) {
    out.edges.push_back(row.t);
    out.count_at.push_back(row.cumulative.back());
    out.sum_at.push_back(row.sum);
  };
  for (std::size_t i = first; i < last; ++i) {
    const Row &from = rows[i], &to = rows[i + 1];
    const bool reset = ResetBetween(from, to, restarts);
    if (i == first) add_edge(from);
    add_edge(to);
    const double sum = reset ? to.sum : to.sum - from.sum;
    double below = 0;
    for (std::size_t b = 0; b < out.bounds.size(); ++b) {
      const double upto = reset ? to.cumulative[b] : to.cumulative[b] - from.cumulative[b];
      const double monotone = std::max(upto, below);
      out.buckets.push_back(monotone - below);
      below = monotone;
    }
    out.sums.push_back(std::abs(sum) <= kMostCounted ? sum : kNaN);
    out.reset.push_back(reset);
  }
  return out;
}

/// The finite bounds that all have.
std::vector<double> CommonBounds(std::span<const ScrapeIncreases* const> children) {
  std::vector<double> common = children.front()->bounds;
  for (const ScrapeIncreases* child : children.subspan(1)) {
    if (child->bounds == common) continue;
    std::vector<double> both;
    std::set_intersection(common.begin(), common.end(), child->bounds.begin(), child->bounds.end(),
                          std::back_inserter(both));
    common = std::move(both);
  }
  std::erase_if(common, [](double bound) { return std::isinf(bound); });
  return common;
}

}  // namespace

bool WholeRow(std::span<const double> cumulative) {
  double upto = 0;
  for (const double count : cumulative) {
    if (!(count >= upto && count < kMostCounted)) return false;
    upto = count;
  }
  return true;
}

GroupedHistograms GroupHistograms(std::span<const Series> series, std::string_view family) {
  GroupedHistograms out;
  std::map<Labels, Parts> groups;
  const std::string bucket = fmt::format("{}_bucket", family);
  const std::string sum = fmt::format("{}_sum", family);
  const std::string count = fmt::format("{}_count", family);
  for (const Series& s : series) {
    const std::string_view name = s.labels.Get(kMetricName);
    if (name == bucket) {
      const std::string_view le = s.labels.Get("le");
      const auto bound = ParseNumber(le);
      if (!bound || std::isnan(*bound) || *bound == -kInfinity) {
        out.warnings.push_back(Message("samples.no_bound", {{"series", s.labels.ToString()}}));
        continue;
      }
      const Labels child = s.labels.Without({std::string(kMetricName), "le"});
      Parts& parts = groups[child];
      const auto [text, fresh] = parts.texts.emplace(*bound, le);
      if (!fresh && text->second != le) {
        out.warnings.push_back(
            Message("samples.same_bound", {{"series", std::string(family) + child.ToString()},
                                           {"one", text->second},
                                           {"other", le}}));
      }
      AddSamples(s.samples, true, &parts.buckets[*bound]);
    } else if (name == sum || name == count) {
      Parts& parts = groups[s.labels.Without(kMetricName)];
      AddSamples(s.samples, false, name == sum ? &parts.sums : &parts.counts);
    }
  }
  for (auto& [labels, parts] : groups) {
    if (parts.buckets.empty()) continue;
    out.children.push_back(Assemble(labels, std::move(parts), family, &out.warnings));
  }
  return out;
}

double ScrapeIncreases::Count(std::size_t i) const {
  const auto row = Buckets(i);
  return std::accumulate(row.begin(), row.end(), 0.0);
}

ScrapeIncreases IncreasesBetweenScrapes(const HistogramSeries& series,
                                        std::span<const TimeMs> scrapes, const TimeRange& window,
                                        std::span<const TimeMs> restarts) {
  CheckBudget();
  const std::vector<double> zero(series.bounds.size(), 0.0);
  const std::vector<Row> rows = RowsWithBirth(series, scrapes, zero);
  // Those that can be scrapes of one histogram, each after the one before it.
  std::vector<Row> whole;
  double counted_twice = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (!WholeRow(row.cumulative)) continue;
    if (!whole.empty() && StepsBack(rows, i, whole.back(), restarts)) {
      const Row& last = rows[i - 1];
      const double counted = last.cumulative.back();
      const bool inside = last.t >= window.start && row.t <= window.end;
      const bool falls = row.cumulative.back() < counted && counted < kMostCounted;
      if (inside && falls) counted_twice += counted;
      continue;
    }
    if (whole.empty() || ResetBetween(whole.back(), row, restarts) ||
        GrewEverywhere(whole.back(), row)) {
      whole.push_back(row);
    }
  }
  const auto inside = [&](const std::vector<Row>& all) {
    return static_cast<std::size_t>(std::ranges::count_if(
        all, [&](const Row& row) { return row.t >= window.start && row.t <= window.end; }));
  };
  ScrapeIncreases out = CellsOfRows(series, whole, window, restarts);
  out.left_out = inside(rows) - inside(whole);
  out.counted_twice = counted_twice;
  if (out.cells() > 0 || out.left_out == 0) return out;
  std::vector<double> raised;
  out = CellsOfRows(series, RaisedToRunningMaximum(rows, &raised), window, restarts);
  out.left_out = inside(rows);
  out.torn = out.cells() > 0;
  if (out.torn) out.raw_upto = RawIncreases(rows, out.edges.front(), out.edges.back());
  return out;
}

ScrapeIncreases CellsInside(const ScrapeIncreases& cells, const TimeRange& range) {
  ScrapeIncreases out;
  out.labels = cells.labels;
  out.family = cells.family;
  out.target = cells.target;
  out.bounds = cells.bounds;
  out.torn = cells.torn;
  for (std::size_t i = 0; i < cells.cells(); ++i) {
    if (cells.edges[i] < range.start || cells.edges[i + 1] > range.end) continue;
    for (const std::size_t edge : {i, i + 1}) {
      if (edge == i && !out.edges.empty()) continue;
      out.edges.push_back(cells.edges[edge]);
      if (!cells.count_at.empty()) out.count_at.push_back(cells.count_at[edge]);
      if (!cells.sum_at.empty()) out.sum_at.push_back(cells.sum_at[edge]);
    }
    const auto row = cells.Buckets(i);
    out.buckets.insert(out.buckets.end(), row.begin(), row.end());
    out.sums.push_back(cells.sums[i]);
    out.reset.push_back(cells.reset[i]);
  }
  return out;
}

std::vector<double> TotalBuckets(const ScrapeIncreases& cells) {
  std::vector<double> total(cells.bounds.size(), 0.0);
  for (std::size_t i = 0; i < cells.cells(); ++i) {
    const auto row = cells.Buckets(i);
    for (std::size_t b = 0; b < row.size(); ++b) total[b] += row[b];
  }
  return total;
}

double TotalCount(const ScrapeIncreases& cells) {
  return std::accumulate(cells.buckets.begin(), cells.buckets.end(), 0.0);
}

double TotalCount(std::span<const ScrapeIncreases> children) {
  double total = 0;
  for (const ScrapeIncreases& child : children) total += TotalCount(child);
  return total;
}

double TotalSum(const ScrapeIncreases& cells) {
  return std::accumulate(cells.sums.begin(), cells.sums.end(), 0.0);
}

PooledBuckets PoolBuckets(std::span<const ScrapeIncreases* const> children) {
  PooledBuckets out;
  if (children.empty()) return out;
  out.bounds = CommonBounds(children);
  out.bounds.push_back(kInfinity);
  std::vector<double> inside(out.bounds.size(), 0.0);
  for (const ScrapeIncreases* child : children) {
    const std::vector<double> total = TotalBuckets(*child);
    std::size_t to = 0;
    for (std::size_t b = 0; b < total.size(); ++b) {
      while (out.bounds[to] < child->bounds[b]) ++to;
      inside[to] += total[b];
    }
  }
  double below = 0;
  for (const double n : inside) out.cumulative.push_back(below += n);
  return out;
}

PooledBuckets PoolBuckets(std::span<const ScrapeIncreases> children) {
  std::vector<const ScrapeIncreases*> pointers;
  for (const ScrapeIncreases& child : children) pointers.push_back(&child);
  return PoolBuckets(pointers);
}

std::size_t PooledBuckets::BucketOf(double q) const {
  const auto it = std::lower_bound(cumulative.begin(), cumulative.end(), RankOf(q, count()));
  return std::min(static_cast<std::size_t>(it - cumulative.begin()), bounds.size() - 1);
}

double PooledBuckets::Interpolate(double q) const {
  if (!(count() > 0)) return kNaN;
  const std::size_t b = BucketOf(q);
  const double lower = LowerEdge(b);
  if (std::isinf(bounds[b])) return lower;
  const double below = b == 0 ? 0 : cumulative[b - 1];
  return lower + (bounds[b] - lower) * (q * count() - below) / (cumulative[b] - below);
}

}  // namespace schedlens
