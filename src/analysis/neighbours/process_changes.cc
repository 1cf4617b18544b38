#include "analysis/neighbours/process_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/metrics.h"
#include "model/seconds.h"
#include "model/text.h"

namespace schedlens {
namespace {

using kube::Metric;
using kube::Neighbour;
using Scrapes = std::map<Labels, std::vector<TimeMs>>;

constexpr const char* kRestarted = "change.process.restarted";

ClusterChange ChangeBetween(const char* what, std::string object, TimeMs earliest, TimeMs latest,
                            std::string_view source) {
  ClusterChange change;
  change.what = Message(what);
  change.object = std::move(object);
  change.earliest = earliest;
  change.latest = latest;
  change.source = source;
  return change;
}

TimeMs IntervalOf(const Series& series) {
  std::vector<TimeMs> times;
  for (const Sample& sample : series.samples) times.push_back(sample.t);
  return ScrapeInterval(times);
}

/// Process starts are told to the hundredth of a second.
ClusterChange StartedAt(std::string object, TimeMs at) {
  return ChangeBetween(kRestarted, std::move(object), at, at, NameOf(Metric::kProcessStart));
}

void NoteSchedulers(const Facts& facts, ChangeLog* log) {
  for (const Target& target : facts.targets) {
    for (const TimeMs at : target.restarts()) {
      log->Note(StartedAt(target.id.ToString(), at), ScrapeInterval(target.scrapes));
    }
  }
  for (const Series& series : facts.Of("leader")) {
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const Sample& before = series.samples[i - 1];
      const Sample& after = series.samples[i];
      if (before.v > 0 || !(after.v > 0)) continue;
      log->Note(ChangeBetween("change.leader", NameLabels(series.labels).ToString(), before.t,
                              after.t, NameOf(Metric::kLeader)),
                IntervalOf(series));
    }
  }
}

void NoteStarts(const std::vector<Series>& processes, ChangeLog* log) {
  for (const Series& series : processes) {
    if (series.labels.Get(kMetricName) != NameOf(Metric::kProcessStart)) continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const auto start = TimeOfSeconds(series.samples[i].v);
      if (!start || !(series.samples[i].v > series.samples[i - 1].v)) continue;
      log->Note(StartedAt(ProcessLabels(series.labels).ToString(), *start), IntervalOf(series));
    }
  }
}

/// Another release is another series, that begins after the first has ended.
void NoteReleases(const std::vector<Series>& processes, ChangeLog* log) {
  std::map<Labels, const Series*> versions;  // by process, the release that was seen last
  for (const Series& series : processes) {
    const std::string_view metric = series.labels.Get(kMetricName);
    if (series.samples.empty() || metric != NameOf(Metric::kBuildInfo)) continue;
    const Labels process = ProcessLabels(series.labels);
    const auto [at, fresh] = versions.try_emplace(process, &series);
    if (fresh) continue;
    const Series* older = at->second;
    const Series* newer = &series;
    if (newer->samples.front().t < older->samples.front().t) std::swap(older, newer);
    at->second = newer;
    const TimeMs until = older->samples.back().t, from = newer->samples.front().t;
    if (until >= from || older->labels.Get("git_version") == newer->labels.Get("git_version"))
      continue;
    ClusterChange change = ChangeBetween("change.release", process.ToString(), until, from, metric);
    change.before = older->labels.Get("git_version");
    change.after = newer->labels.Get("git_version");
    log->Note(std::move(change), IntervalOf(*newer));
  }
}

/// A gate that is on where it was off, or the reverse; its stage may change with the release.
void NoteFeatureGates(const std::vector<Series>& processes, ChangeLog* log) {
  std::map<std::pair<Labels, std::string>, std::map<TimeMs, double>> gates;
  const std::string_view metric = NameOf(Neighbour::kKubernetesFeatureEnabled);
  for (const Series& series : processes) {
    if (series.labels.Get(kMetricName) != metric) continue;
    auto& gate = gates[{ProcessLabels(series.labels), std::string(series.labels.Get("name"))}];
    for (const Sample& sample : series.samples) gate[sample.t] = sample.v;
  }
  for (const auto& [gate, values] : gates) {
    for (auto after = values.begin(), before = after; after != values.end(); before = after++) {
      if (after->second == before->second) continue;
      ClusterChange change =
          ChangeBetween("change.feature", gate.second, before->first, after->first, metric);
      change.before = FormatNumber(before->second);
      change.after = FormatNumber(after->second);
      log->Note(std::move(change), after->first - before->first);
    }
  }
}

/// A counter that fell is a process that started again; its own start is in no metric asked for.
void NoteEtcd(const NeighbourFacts& facts, ChangeLog* log) {
  const std::string fsyncs = CountOf(Neighbour::kEtcdDiskWalFsyncDuration);
  for (const Series& series : facts.Of("etcd")) {
    const std::string_view metric = series.labels.Get(kMetricName);
    const bool leaders = metric == NameOf(Neighbour::kEtcdServerLeaderChangesSeen);
    if (!leaders && metric != fsyncs) continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const Sample& before = series.samples[i - 1];
      const Sample& after = series.samples[i];
      if (leaders ? after.v <= before.v : after.v >= before.v) continue;
      const char* what = leaders ? "change.etcd.leader" : kRestarted;
      const std::string object = leaders ? "etcd" : ProcessLabels(series.labels).ToString();
      log->Note(ChangeBetween(what, object, before.t, after.t, metric), IntervalOf(series));
    }
  }
}

Scrapes AllScrapes(const Facts& facts, const NeighbourFacts& neighbours) {
  Scrapes all = neighbours.scrapes;
  for (const Target& target : facts.targets) {
    // Also a neighbour where one process is both.
    std::vector<TimeMs>& scrapes = all[ProcessLabels(target.id)];
    scrapes.insert(scrapes.end(), target.scrapes.begin(), target.scrapes.end());
    std::sort(scrapes.begin(), scrapes.end());
  }
  return all;
}

/// Three scrapes and more without one of this process, while others were scraped. One that comes
/// back misses them because it is busy: from the onset on that is a consequence.
void NoteTargetsGone(const Scrapes& all, ChangeLog* log) {
  constexpr TimeMs kMissed = 3;
  std::vector<std::pair<TimeMs, const Labels*>> order;  // all scrapes
  for (const auto& [process, scrapes] : all) {
    for (const TimeMs t : scrapes) order.emplace_back(t, &process);
  }
  std::sort(order.begin(), order.end());
  const TimeMs end = order.empty() ? 0 : order.back().first;
  for (const auto& [process, scrapes] : all) {
    const TimeMs interval = ScrapeInterval(scrapes);
    if (interval == 0) continue;
    for (std::size_t i = 0; i < scrapes.size(); ++i) {
      const TimeMs next = i + 1 < scrapes.size() ? scrapes[i + 1] : end;
      if (next - scrapes[i] <= kMissed * interval) continue;
      const bool back = i + 1 < scrapes.size();
      if (back && scrapes[i] >= log->onset()) continue;
      const TimeMs missed = scrapes[i] + 2 * interval;
      auto seen = std::upper_bound(order.begin(), order.end(), std::pair(missed, &process),
                                   [](const auto& a, const auto& b) { return a.first < b.first; });
      while (seen != order.end() && seen->second == &process) ++seen;
      const bool others = seen != order.end() && seen->first < next + interval;
      if (!others) continue;
      log->Note(ChangeBetween("change.target.gone", process.ToString(), scrapes[i],
                              scrapes[i] + interval, "up"),
                interval);
    }
  }
}

}  // namespace

void NoteProcessChanges(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log) {
  NoteSchedulers(facts, log);
  NoteStarts(neighbours.Of("processes"), log);
  for (const auto* processes : {&facts.Of("process"), &neighbours.Of("processes")}) {
    NoteReleases(*processes, log);
    NoteFeatureGates(*processes, log);
  }
  NoteEtcd(neighbours, log);
  NoteTargetsGone(AllScrapes(facts, neighbours), log);
}

}  // namespace schedlens
