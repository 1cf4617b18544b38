#include "diagnose/episodes/incident_window.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "diagnose/collect/facts.h"

namespace schedlens {
namespace {

/// Attempts under this many seconds are never what an incident is about.
constexpr double kSlowestBoundOfInterest = 0.1;
/// The largest mean of a scrape interval that is looked for.
constexpr double kSlowestMean = 60;
/// Log-likelihood gain that a period must bring. 11 nats is odds of 60,000 to one; trying every
/// pair of change points at every bound rarely brings as much by chance, and what it does bring
/// must still matter (see Matters) and stand the exact test.
constexpr double kLeastGain = 11;
/// A period must have this many times the slow fraction of the rest ...
constexpr double kLeastRatio = 3;
/// ... and at least this fraction: an alert on p99 sees 1 %, and windows blur it.
constexpr double kLeastFraction = 0.004;
/// The search is quadratic in the number of columns; longer recordings are merged into this many.
constexpr std::size_t kMostColumns = 240;
/// Stretches that are joined at most; two were never needed on the recordings.
constexpr int kMostRounds = 3;

/// Successes out of trials in each column of time.
struct View {
  std::vector<double> hits, trials;
  explicit View(std::size_t columns) : hits(columns, 0), trials(columns, 0) {}
  /// Takes the columns [first, last) out of the comparison.
  void Forget(std::size_t first, std::size_t last) {
    std::fill(hits.begin() + static_cast<std::ptrdiff_t>(first),
              hits.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
    std::fill(trials.begin() + static_cast<std::ptrdiff_t>(first),
              trials.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
  }
};

/// Observations over each bound of interest, by kind and bound.
using SlowViews = std::map<std::pair<std::string, double>, View>;

void AddSlow(const std::vector<TimeMs>& edges, const ScrapeIncreases& c, const std::string& kind,
             SlowViews* views) {
  for (std::size_t i = 0; i < c.cells(); ++i) {
    const std::size_t column = ColumnOf(edges, c.edges[i + 1]);
    const auto row = c.Buckets(i);
    const double n = c.Count(i);
    double above = n;
    for (std::size_t b = 0; b + 1 < row.size(); ++b) {
      above -= row[b];
      if (c.bounds[b] < kSlowestBoundOfInterest) continue;
      View& view = views->try_emplace({kind, c.bounds[b]}, edges.size() - 1).first->second;
      view.hits[column] += above;
      view.trials[column] += n;
    }
  }
}

/// Without buckets a column has only its mean: the columns themselves are the trials.
void AddMeans(const std::vector<TimeMs>& edges, const WindowIncreases& all, SlowViews* views) {
  std::vector<Amount> columns(edges.size() - 1);
  for (const ScrapeIncreases& c : all.attempt) {
    for (std::size_t i = 0; i < c.cells(); ++i) {
      columns[ColumnOf(edges, c.edges[i + 1])] += {c.Count(i), c.sums[i]};
    }
  }
  for (double bound = kSlowestBoundOfInterest; bound < kSlowestMean; bound *= 2) {
    View& view = views->try_emplace({"mean", bound}, columns.size()).first->second;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].count <= 0 || std::isnan(columns[i].seconds)) continue;
      view.trials[i] = 1;
      view.hits[i] = columns[i].mean() > bound;
    }
  }
}

std::vector<View> MakeViews(const std::vector<TimeMs>& edges, const WindowIncreases& all) {
  SlowViews slow;
  View failed(edges.size() - 1);
  for (const ScrapeIncreases& c : all.attempt) {
    const bool is_failed = !kube::IsScheduled(c.labels);
    for (std::size_t i = 0; i < c.cells(); ++i) {
      const std::size_t column = ColumnOf(edges, c.edges[i + 1]);
      failed.trials[column] += c.Count(i);
      if (is_failed) failed.hits[column] += c.Count(i);
    }
    AddSlow(edges, c, is_failed ? "failed" : std::string(ToString(kube::AttemptResult::kScheduled)),
            &slow);
  }
  // Where something holds up the loop, the pods behind it wait: no attempt shows that.
  for (const ScrapeIncreases& c : all.pod_scheduling) AddSlow(edges, c, "pod", &slow);
  if (!HasBuckets(all.attempt)) {
    AddMeans(edges, all, &slow);
    for (const ScrapeIncreases& c : all.algorithm) AddSlow(edges, c, "algorithm", &slow);
    for (const ScrapeIncreases& c : all.binding) AddSlow(edges, c, "binding", &slow);
    for (const ScrapeIncreases& c : all.extension_point) {
      AddSlow(edges, c, std::string(c.labels.Get("extension_point")), &slow);
    }
  }
  std::vector<View> views;
  for (auto& [key, view] : slow) views.push_back(std::move(view));
  views.push_back(std::move(failed));
  return views;
}

double LogLikelihood(double hits, double trials) {
  if (hits <= 0 || hits >= trials) return 0;
  const double p = hits / trials;
  return hits * std::log(p) + (trials - hits) * std::log1p(-p);
}

struct Best {
  double gain = kLeastGain;
  std::size_t first = 0, last = 0;  // columns [first, last)
};

void SearchView(const View& view, Best* best) {
  const std::size_t columns = view.hits.size();
  std::vector<double> hits(columns + 1, 0), trials(columns + 1, 0);
  for (std::size_t i = 0; i < columns; ++i) {
    hits[i + 1] = hits[i] + view.hits[i];
    trials[i + 1] = trials[i] + view.trials[i];
  }
  const double together = LogLikelihood(hits[columns], trials[columns]);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = i + 1; j <= columns; ++j) {
      const double in = hits[j] - hits[i], in_n = trials[j] - trials[i];
      const double out = hits[columns] - in, out_n = trials[columns] - in_n;
      if (in_n <= 0 || out_n <= 0) continue;
      if (in < kLeastFraction * in_n || in / in_n < kLeastRatio * out / out_n) continue;
      const double gain = LogLikelihood(in, in_n) + LogLikelihood(out, out_n) - together;
      if (gain > best->gain) *best = {gain, i, j};
    }
  }
}

Best Search(const std::vector<View>& views) {
  Best best;
  for (const View& view : views) SearchView(view, &best);
  return best;
}

}  // namespace

std::optional<TimeRange> FindIncident(const Facts& facts, const WindowIncreases& all) {
  const std::vector<TimeMs> edges = ColumnEdges(facts, all.attempt, all.window, kMostColumns);
  if (edges.size() < 4) return std::nullopt;
  std::vector<View> views = MakeViews(edges, all);
  Best whole = Search(views);
  if (whole.last == 0) return std::nullopt;
  // A short, extreme period (a take-over's backlog) can outweigh the longer one it lies in: look
  // again without it, and take what it belongs to.
  for (int rounds = 0; rounds < kMostRounds; ++rounds) {
    for (View& view : views) view.Forget(whole.first, whole.last);
    const Best next = Search(views);
    if (next.last == 0 || next.last < whole.first || next.first > whole.last) break;
    whole.first = std::min(whole.first, next.first);
    whole.last = std::max(whole.last, next.last);
  }
  return TimeRange{edges[whole.first], edges[whole.last]};
}

std::optional<TimeRange> FindBaseline(const Facts& facts, const Histograms& histograms,
                                      const TimeRange& within, const TimeRange& incident) {
  for (const TimeRange& candidate :
       {TimeRange{within.start, incident.start}, TimeRange{incident.end, within.end}}) {
    std::size_t intervals = 0;
    TimeMs first = candidate.end, last = candidate.start;
    for (const Target& target : facts.targets) {
      std::size_t here = 0;
      for (const TimeMs t : target.scrapes) {
        if (t < candidate.start || t > candidate.end) continue;
        first = std::min(first, t);
        last = std::max(last, t);
        ++here;
      }
      intervals = std::max(intervals, here > 0 ? here - 1 : 0);
    }
    const TimeRange range{first, last};
    if (intervals < 3) continue;
    if (Total(CellsOf(histograms.attempt, facts.targets, range)).count >= 10) return range;
  }
  return std::nullopt;
}

}  // namespace schedlens
