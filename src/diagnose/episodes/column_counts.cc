#include "diagnose/episodes/column_counts.h"

#include <numeric>

#include "base/not_finite.h"
#include "base/text.h"
#include "diagnose/collect/elections.h"

namespace schedlens {
namespace {

constexpr TimeMs kMostColumns = 6000;  // a day at 15 s has 5760
/// Children of many layouts may have more bounds between them; neighbouring ones are counted as
/// one.
constexpr std::size_t kMostBounds = 256;

/// The scrapes of a target in the range.
std::span<const TimeMs> ScrapesIn(const Target& target, const TimeRange& range) {
  const auto& all = target.scrapes;
  const auto first = std::lower_bound(all.begin(), all.end(), range.start);
  return {first, std::upper_bound(first, all.end(), range.end)};
}

/// Scrapes of the target with the most of them; before and after these those of others, three
/// quarters of an interval apart.
std::vector<TimeMs> AxisOf(const Facts& facts, const TimeRange& range) {
  std::span<const TimeMs> most;
  for (const Target& target : facts.targets) {
    const auto scrapes = ScrapesIn(target, range);
    if (scrapes.size() > most.size()) most = scrapes;
  }
  std::vector<TimeMs> after(most.begin(), most.end()), before, others;
  if (most.size() < 2) return after;
  for (const Target& target : facts.targets) {
    CheckBudget();
    for (const TimeMs t : ScrapesIn(target, range)) {
      if (t < most.front() || t > most.back()) others.push_back(t);
    }
  }
  std::ranges::sort(others);
  const TimeMs apart = ScrapeInterval(after) * 3 / 4;
  for (const TimeMs t : others) {
    if (t - after.back() >= apart) after.push_back(t);
  }
  for (auto t = others.rbegin(); t != others.rend(); ++t) {
    const TimeMs first = before.empty() ? most.front() : before.back();
    if (first - *t >= apart) before.push_back(*t);
  }
  after.insert(after.begin(), before.rbegin(), before.rend());
  return after;
}

/// The axis, and edges at the usual interval where scrapes miss, on to the end of a silence.
void PlaceEdges(const Facts& facts, const TimeRange& range, ColumnCounts* out) {
  const std::vector<TimeMs> scrapes = AxisOf(facts, range);
  if (scrapes.size() < 2) return;
  const TimeMs period = std::max<TimeMs>(1, ScrapeInterval(scrapes));
  out->period = MsToSeconds(period);
  const TimeMs shortest = (scrapes.back() - scrapes.front()) / kMostColumns + 1;
  const TimeMs usual = std::max(period, shortest), least = std::max(period / 2, shortest);
  out->edges.push_back(scrapes.front());
  for (std::size_t i = 1; i < scrapes.size(); ++i) {
    while (scrapes[i] - out->edges.back() > usual + usual / 2) {
      out->edges.push_back(out->edges.back() + usual);
    }
    const TimeMs apart = scrapes[i] - out->edges.back();
    const bool last = i + 1 == scrapes.size();
    if (apart >= least || (last && apart > 0)) out->edges.push_back(scrapes[i]);
  }
  if (!facts.silence) return;
  const TimeMs end = std::min(range.end, facts.silence->until);
  while (end - out->edges.back() >= usual) out->edges.push_back(out->edges.back() + usual);
  if (end > out->edges.back() && out->edges.back() > scrapes.back()) out->edges.back() = end;
}

/// Where the interval (from, to] mostly lies; after a gap its end.
std::optional<std::size_t> ColumnOfInterval(const ColumnCounts& c, TimeMs from, TimeMs to) {
  const bool gap = MsToSeconds(to - from) > 1.5 * c.period;
  const TimeMs at = gap ? to - 1 : from + (to - from) / 2;
  const auto edge = std::lower_bound(c.edges.begin(), c.edges.end(), at);
  if (edge == c.edges.begin() || edge == c.edges.end()) return std::nullopt;
  return static_cast<std::size_t>(edge - c.edges.begin()) - 1;
}

/// All bounds of the children, or of too many the upper one of each few.
std::vector<double> BoundsOf(const std::vector<ScrapeIncreases>& children) {
  std::set<double> all;
  for (const ScrapeIncreases& child : children) {
    CheckBudget();
    all.insert(child.bounds.begin(), child.bounds.end());
  }
  std::vector<double> bounds;
  const std::size_t few = (all.size() + kMostBounds - 1) / kMostBounds;
  std::size_t left = all.size();
  for (const double bound : all) {
    if (--left % few == 0) bounds.push_back(bound);
  }
  return bounds;
}

/// Bounds for what has none of its own.
std::vector<double> UsualBounds() {
  std::vector<double> bounds;
  for (double bound = 0.001; bound < 1000; bound *= 2) bounds.push_back(bound);
  bounds.push_back(kInfinity);
  return bounds;
}

void AddObservations(const ColumnCounts& c, const std::vector<double>& bounds,
                     const ScrapeIncreases& child, bool at_mean, CountTable* table) {
  const auto kind_of = [&](double seconds) {
    const auto at = std::lower_bound(bounds.begin(), bounds.end(), seconds);
    return static_cast<std::size_t>(std::min(at, std::prev(bounds.end())) - bounds.begin());
  };
  std::vector<std::size_t> kinds;
  for (const double bound : child.bounds) kinds.push_back(kind_of(bound));
  for (std::size_t i = 0; i < child.cells(); ++i) {
    CheckBudget();
    const auto column = ColumnOfInterval(c, child.edges[i], child.edges[i + 1]);
    if (!column) continue;
    const auto row = child.Buckets(i);
    const double n = child.Count(i);
    if (at_mean) {
      if (n > 0 && std::isfinite(child.sums[i])) {
        table->Add(*column, kind_of(child.sums[i] / n), n);
      }
      continue;
    }
    for (std::size_t b = 0; b < row.size(); ++b) table->Add(*column, kinds[b], row[b]);
  }
}

void AddAttempts(const std::vector<ScrapeIncreases>& attempt, ColumnCounts* c) {
  const bool at_mean = !HasBuckets(attempt);
  c->attempt_bounds = at_mean ? UsualBounds() : BoundsOf(attempt);
  if (c->attempt_bounds.empty()) return;
  c->attempts = CountTable(c->columns(), c->attempt_bounds.size());
  for (const ScrapeIncreases& child : attempt) {
    CheckBudget();
    const auto result = kube::ResultOf(child.labels);
    const bool scheduled = kube::IsScheduled(child.labels);
    const std::size_t kind =
        scheduled ? 0 : (result == kube::AttemptResult::kUnschedulable ? 1 : 2);
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const auto column = ColumnOfInterval(*c, child.edges[i], child.edges[i + 1]);
      if (column) c->results.Add(*column, kind, child.Count(i));
    }
    if (scheduled) AddObservations(*c, c->attempt_bounds, child, at_mean, &c->attempts);
  }
}

/// Which target's queue counts in each column: the leader's, or without the election's metric that
/// of who finished most attempts since. A standby's queue fills, too, and says nothing.
class QueueOwners {
 public:
  QueueOwners(const Facts& facts, const std::vector<ScrapeIncreases>& attempt,
              const ColumnCounts& c)
      : index_(facts.targets), elections_(facts, index_), busiest_(c.columns()) {
    std::vector<std::map<std::size_t, double>> done(c.columns());
    for (const ScrapeIncreases& child : attempt) {
      CheckBudget();
      for (std::size_t i = 0; i < child.cells(); ++i) {
        const auto column = ColumnOfInterval(c, child.edges[i], child.edges[i + 1]);
        if (column) done[*column][child.target] += child.Count(i);
      }
    }
    std::optional<std::size_t> last;
    for (std::size_t column = 0; column < done.size(); ++column) {
      double most = 0;
      for (const auto& [target, n] : done[column]) {
        if (n > most) most = n, last = target;
      }
      busiest_[column] = last;
    }
  }
  const Elections& elections() const { return elections_; }
  bool Counts(std::size_t target, std::size_t column, TimeMs at) const {
    if (elections_.known()) return elections_.Leads(target, at);
    return !busiest_[column] || *busiest_[column] == target;
  }
  std::optional<std::size_t> Find(const Labels& labels) const { return index_.Find(labels); }

 private:
  TargetIndex index_;
  Elections elections_;
  std::vector<std::optional<std::size_t>> busiest_;
};

std::optional<std::size_t> ColumnOfScrape(const ColumnCounts& c, TimeMs at) {
  return ColumnOfInterval(c, at - 1, at - 1);
}

void AddWaiting(const Facts& facts, const QueueOwners& owners, ColumnCounts* c) {
  constexpr kube::QueueName kQueues[] = {kube::QueueName::kActive, kube::QueueName::kBackoff,
                                         kube::QueueName::kUnschedulable};
  std::vector<bool> seen(c->columns());
  for (const Series& series : facts.Of("pending_pods")) {
    CheckBudget();
    const auto target = owners.Find(series.labels);
    const auto queue = std::find_if(
        std::begin(kQueues), std::end(kQueues),
        [&](kube::QueueName name) { return series.labels.Get("queue") == ToString(name); });
    if (!target || queue == std::end(kQueues)) continue;
    for (const Sample& sample : series.samples) {
      const auto column = ColumnOfScrape(*c, sample.t);
      if (!column || !owners.Counts(*target, *column, sample.t)) continue;
      c->waiting.Set(*column, static_cast<std::size_t>(queue - kQueues), sample.v);
      seen[*column] = true;
    }
  }
  for (std::size_t column = 1; column < seen.size(); ++column) {
    for (std::size_t k = 0; k < std::size(kQueues) && !seen[column]; ++k) {
      c->waiting.Set(column, k, c->waiting.Row(column - 1)[k]);
    }
  }
}

/// Somebody is there in the columns of each scrape, and between two that follow at the usual
/// interval: those of several targets fall anywhere in a column.
void FindNobody(const Facts& facts, const QueueOwners& owners, ColumnCounts* c) {
  c->nobody_here.assign(c->columns(), true);
  for (std::size_t target = 0; target < facts.targets.size(); ++target) {
    CheckBudget();
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t last = kNone;
    TimeMs before = 0;
    const std::vector<TimeMs>& scrapes = facts.targets[target].scrapes;
    const TimeMs usual = std::max(static_cast<TimeMs>(1000 * c->period), ScrapeInterval(scrapes));
    const TimeMs between = usual + usual / 2;
    for (const TimeMs t : scrapes) {
      if (owners.elections().known() && !owners.elections().Leads(target, t)) {
        last = kNone;
        continue;
      }
      const bool goes_on = last != kNone && t - before <= between;
      const auto column = ColumnOfScrape(*c, t);
      const bool ends = t > c->edges.back();
      // A scrape outside of all columns tells of those up to one inside.
      const std::size_t here = column.value_or(ends ? c->columns() - 1 : 0);
      if (column || (ends && goes_on)) {
        for (std::size_t i = goes_on ? last : here; i <= here; ++i) c->nobody_here[i] = false;
      }
      last = here;
      before = t;
      if (ends) break;
    }
  }
}

}  // namespace

void CountTable::Add(std::size_t column, std::size_t kind, double count) {
  if (!(count > 0) || !(count < kMostCounted)) return;
  double& cell = counts_[column * kinds_ + kind];
  cell = std::min(cell + count, kMostCounted);
}

void CountTable::Set(std::size_t column, std::size_t kind, double count) {
  counts_[column * kinds_ + kind] = count > 0 && count < kMostCounted ? count : 0;
}

std::vector<double> CountTable::Sum(std::size_t first, std::size_t last) const {
  std::vector<double> sum(kinds_);
  for (std::size_t i = first; i < last && i < columns(); ++i) {
    const auto row = Row(i);
    for (std::size_t k = 0; k < kinds_; ++k) sum[k] += row[k];
  }
  return sum;
}

double CountTable::Total() const { return std::accumulate(counts_.begin(), counts_.end(), 0.0); }

ColumnCounts CountColumns(const Facts& facts, const Histograms& histograms,
                          const TimeRange& range) {
  ColumnCounts c;
  PlaceEdges(facts, range, &c);
  if (c.columns() == 0) return c;
  c.results = c.waiting = CountTable(c.columns(), 3);
  const auto attempt = CellsOf(histograms.attempt, facts.targets, range);
  const auto pods = CellsOf(histograms.pod_scheduling, facts.targets, range);
  AddAttempts(attempt, &c);
  if (HasBuckets(pods)) {
    c.pod_bounds = BoundsOf(pods);
    c.pods = CountTable(c.columns(), c.pod_bounds.size());
    for (const ScrapeIncreases& child : pods) {
      AddObservations(c, c.pod_bounds, child, false, &c.pods);
    }
    c.has_pods = c.pods.Total() > 0;
  }
  const QueueOwners owners(facts, attempt, c);
  AddWaiting(facts, owners, &c);
  FindNobody(facts, owners, &c);
  for (const Target& target : facts.targets) {
    c.starts.insert(c.starts.end(), target.starts.begin(), target.starts.end());
  }
  std::ranges::sort(c.starts);
  return c;
}

ColumnCounts SliceColumns(const ColumnCounts& all, std::size_t first, std::size_t last) {
  ColumnCounts c;
  c.period = all.period;
  c.starts = all.starts;
  c.pod_bounds = all.pod_bounds;
  c.attempt_bounds = all.attempt_bounds;
  last = std::min(last, all.columns());
  if (first >= last) return c;
  const auto part = [&](const CountTable& table) {
    if (table.kinds() == 0) return CountTable();
    CountTable out(last - first, table.kinds());
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t k = 0; k < table.kinds(); ++k) out.Set(i - first, k, table.Row(i)[k]);
    }
    return out;
  };
  const auto at = [](const auto& from, std::size_t i) {
    return from.begin() + static_cast<std::ptrdiff_t>(i);
  };
  c.edges.assign(at(all.edges, first), at(all.edges, last + 1));
  c.nobody_here.assign(at(all.nobody_here, first), at(all.nobody_here, last));
  c.pods = part(all.pods);
  c.has_pods = c.pods.Total() > 0;
  c.attempts = part(all.attempts);
  c.results = part(all.results);
  c.waiting = part(all.waiting);
  return c;
}

std::size_t EdgeAt(const ColumnCounts& counts, TimeMs at) {
  constexpr TimeMs kHair = 500;
  const auto edge = std::lower_bound(counts.edges.begin(), counts.edges.end(), at - kHair);
  if (edge == counts.edges.end()) return counts.columns();
  return static_cast<std::size_t>(edge - counts.edges.begin());
}

}  // namespace schedlens
