#include <cmath>

#include "diagnose/collect/facts.h"

namespace schedlens {
namespace {

/// A counter as a histogram of one bucket: births, resets and window edges are treated alike.
HistogramSeries AsHistogram(const Series& series) {
  HistogramSeries out;
  out.labels = series.labels;
  out.bounds = {INFINITY};
  for (const Sample& sample : series.samples) {
    if (std::isnan(sample.v)) continue;
    out.times.push_back(sample.t);
    out.cumulative.push_back(sample.v);
    out.sums.push_back(sample.v);
    out.counts.push_back(sample.v);
  }
  return out;
}

/// Children of a family that has no buckets, only `_sum` and `_count`: all of their observations
/// are in the one bucket that ends at +Inf. Sums still add up.
std::vector<HistogramSeries> WithoutBuckets(const std::vector<Series>& answer,
                                            const std::string& family) {
  const std::string sum = family + "_sum", count = family + "_count";
  std::map<Labels, std::map<TimeMs, double>> sums;
  for (const Series& series : answer) {
    if (series.labels.Get(kMetricName) != sum) continue;
    auto& values = sums[series.labels.Without(kMetricName)];
    for (const Sample& sample : series.samples) values[sample.t] = sample.v;
  }
  std::vector<HistogramSeries> out;
  for (const Series& series : answer) {
    if (series.labels.Get(kMetricName) != count) continue;
    HistogramSeries child = AsHistogram(series);
    child.labels = series.labels.Without(kMetricName);
    const auto& values = sums[child.labels];
    for (std::size_t i = 0; i < child.times.size(); ++i) {
      const auto at = values.find(child.times[i]);
      child.sums[i] = at == values.end() ? NAN : at->second;
    }
    out.push_back(std::move(child));
  }
  return out;
}

/// When one replica's attempts end where another's begin, they overlap by two scrapes at most.
bool Follows(const WorkOfTarget& before, const WorkOfTarget& after, const Facts& facts) {
  TimeMs widest = 0;
  for (const std::size_t target : {before.target, after.target}) {
    const std::vector<TimeMs>& scrapes = facts.targets[target].scrapes;
    for (std::size_t i = 1; i < scrapes.size(); ++i) {
      widest = std::max(widest, scrapes[i] - scrapes[i - 1]);
    }
  }
  return after.first + 2 * widest >= before.last;
}

void AddElections(const Facts& facts, const TimeRange& window, std::vector<Message>* notes) {
  for (const Series& series : facts.Of("leader")) {
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const Sample& sample = series.samples[i];
      const bool inside = sample.t > window.start && sample.t <= window.end;
      if (!inside || (sample.v > 0) == (series.samples[i - 1].v > 0)) continue;
      notes->push_back(
          Message(sample.v > 0 ? "leader.became" : "leader.stopped",
                  {{"target", NameLabels(series.labels).ToString()}, {"at", arg::Time(sample.t)}}));
    }
  }
}

}  // namespace

HistogramFacts GroupByTarget(const std::vector<Series>& series, std::span<const Target> targets) {
  HistogramFacts out;
  const TargetIndex index(targets);
  std::set<std::string> families;
  for (const Series& one : series) {
    std::string family = FamilyOf(one.labels.Get(kMetricName));
    if (out.family.empty()) out.family = family;
    families.insert(std::move(family));
  }
  for (const std::string& family : families) {
    GroupedHistograms grouped = GroupHistograms(series, family);
    std::move(grouped.warnings.begin(), grouped.warnings.end(), std::back_inserter(out.warnings));
    if (grouped.children.empty()) grouped.children = WithoutBuckets(series, family);
    for (HistogramSeries& child : grouped.children) {
      const auto target = index.Find(child.labels);
      if (!target) continue;
      child.target = *target;
      out.Add(std::move(child));
    }
  }
  return out;
}

void HistogramFacts::Add(HistogramSeries child) {
  if (of_target.size() <= child.target) of_target.resize(child.target + 1);
  of_target[child.target].push_back(children.size());
  children.push_back(std::move(child));
}

std::span<const std::size_t> HistogramFacts::Of(std::size_t target) const {
  if (target >= of_target.size()) return {};
  return of_target[target];
}

HistogramFacts HistogramOf(const Facts& facts, std::string_view question) {
  return GroupByTarget(facts.Of(question), facts.targets);
}

ScrapeIncreases IncreasesIn(const HistogramSeries& child, const Target& target,
                            const TimeRange& window) {
  return IncreasesBetweenScrapes(child, target.scrapes, window, target.starts);
}

std::vector<ScrapeIncreases> CellsOf(const HistogramFacts& histogram,
                                     std::span<const Target> targets, const TimeRange& window) {
  std::vector<ScrapeIncreases> out;
  for (const HistogramSeries& child : histogram.children) {
    ScrapeIncreases cells = IncreasesIn(child, targets[child.target], window);
    if (cells.cells() > 0) out.push_back(std::move(cells));
  }
  return out;
}

std::vector<CounterIncrease> IncreasesOf(const Facts& facts, std::string_view question,
                                         const TimeRange& window, const WantedLabels& want) {
  const TargetIndex index(facts.targets);
  std::vector<CounterIncrease> out;
  for (const Series& series : facts.Of(question)) {
    if (!want(series.labels)) continue;
    const auto target = index.Find(series.labels);
    if (!target) continue;
    out.push_back({series.labels,
                   TotalSum(IncreasesIn(AsHistogram(series), facts.targets[*target], window))});
  }
  return out;
}

std::optional<double> TotalIncrease(const Facts& facts, std::string_view question,
                                    const TimeRange& window, const WantedLabels& want) {
  std::optional<double> total;
  for (const CounterIncrease& one : IncreasesOf(facts, question, window, want)) {
    total = total.value_or(0) + one.increase;
  }
  return total;
}

std::vector<TimeMs> ColumnEdges(const Facts& facts, const std::vector<ScrapeIncreases>& attempt,
                                const TimeRange& range, std::size_t most) {
  if (facts.targets.empty()) return {};
  std::vector<double> attempts(facts.targets.size(), 0.0);
  for (const ScrapeIncreases& c : attempt) attempts[c.target] += TotalCount(c);
  const auto busiest = std::ranges::max_element(attempts) - attempts.begin();
  std::vector<TimeMs> scrapes;
  for (const TimeMs t : facts.targets[static_cast<std::size_t>(busiest)].scrapes) {
    if (t >= range.start && t <= range.end) scrapes.push_back(t);
  }
  if (scrapes.empty()) return {};
  const std::size_t step = (scrapes.size() + most - 1) / most;
  std::vector<TimeMs> edges;
  for (std::size_t i = 0; i < scrapes.size(); i += step) edges.push_back(scrapes[i]);
  if (edges.back() != scrapes.back()) edges.push_back(scrapes.back());
  return edges;
}

std::size_t ColumnOf(const std::vector<TimeMs>& edges, TimeMs end) {
  const auto it = std::ranges::lower_bound(edges, end);
  const auto i = std::clamp<std::ptrdiff_t>(it - edges.begin(), 1,
                                            static_cast<std::ptrdiff_t>(edges.size()) - 1);
  return static_cast<std::size_t>(i) - 1;
}

std::vector<WorkOfTarget> WorkOfTargets(const std::vector<ScrapeIncreases>& attempt) {
  std::map<std::size_t, WorkOfTarget> works;
  for (const ScrapeIncreases& child : attempt) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const double count = child.Count(i);
      if (!(count > 0)) continue;
      WorkOfTarget& work = works
                               .try_emplace(child.target, WorkOfTarget{child.target, child.edges[i],
                                                                       child.edges[i + 1]})
                               .first->second;
      work.first = std::min(work.first, child.edges[i]);
      work.last = std::max(work.last, child.edges[i + 1]);
      work.attempts += count;
    }
  }
  std::vector<WorkOfTarget> ordered;
  for (const auto& [target, work] : works) ordered.push_back(work);
  std::ranges::stable_sort(ordered, {}, &WorkOfTarget::first);
  return ordered;
}

std::vector<Message> LeadershipNotes(const Facts& facts,
                                     const std::vector<ScrapeIncreases>& attempt,
                                     const TimeRange& window) {
  std::vector<Message> notes;
  const std::vector<WorkOfTarget> shifts = WorkOfTargets(attempt);
  for (std::size_t i = 1; i < shifts.size(); ++i) {
    const WorkOfTarget& before = shifts[i - 1];
    const WorkOfTarget& after = shifts[i];
    if (Follows(before, after, facts)) {
      notes.push_back(
          Message("leader.changed", {{"before", facts.targets[before.target].id.ToString()},
                                     {"until", arg::Time(before.last)},
                                     {"after", facts.targets[after.target].id.ToString()},
                                     {"from", arg::Time(after.first)}}));
    } else {
      notes.push_back(
          Message("leader.two", {{"one", facts.targets[before.target].id.ToString()},
                                 {"other", facts.targets[after.target].id.ToString()}}));
    }
  }
  AddElections(facts, window, &notes);
  return notes;
}

}  // namespace schedlens
