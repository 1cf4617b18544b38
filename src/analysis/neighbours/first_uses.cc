#include "analysis/neighbours/first_uses.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;
using ByName = std::map<std::string, const Series*>;  ///< the series that was there first

constexpr double kPassedBy = 20;

void NoteEarliest(std::string name, const Series& series, ByName* first) {
  if (series.samples.empty() || name.empty()) return;
  const auto [at, fresh] = first->try_emplace(std::move(name), &series);
  if (!fresh && series.samples.front().t < at->second->samples.front().t) at->second = &series;
}

/// What counters had counted by then, since each one's first sample.
double CountedBy(const std::vector<Series>& counters, std::string_view suffix, TimeMs t) {
  double sum = 0;
  for (const Series& series : counters) {
    if (!series.labels.Get(kMetricName).ends_with(suffix)) continue;
    const auto after = std::partition_point(series.samples.begin(), series.samples.end(),
                                            [t](const Sample& sample) { return sample.t <= t; });
    if (after == series.samples.begin()) continue;
    sum += std::max(0.0, std::prev(after)->v - series.samples.front().v);
  }
  return sum;
}

/// What appeared between two scrapes of who shows it, after enough had passed by.
class Watch {
 public:
  using Scrapes = std::function<const std::vector<TimeMs>*(const Series&)>;

  Watch(const std::vector<Series>& passing, std::string suffix, Scrapes scrapes, ChangeLog* log)
      : passing_(passing), suffix_(std::move(suffix)), scrapes_(std::move(scrapes)), log_(log) {}

  void Note(const char* what, const ByName& first) const {
    for (const auto& [name, series] : first) {
      const std::vector<TimeMs>* scrapes = scrapes_(*series);
      if (scrapes == nullptr) continue;
      const TimeMs seen = series->samples.front().t;
      const auto at = std::lower_bound(scrapes->begin(), scrapes->end(), seen);
      if (at == scrapes->begin()) continue;
      ClusterChange change;
      change.what = Message(what);
      change.object = name;
      change.earliest = *std::prev(at);
      change.latest = seen;
      change.source = series->labels.Get(kMetricName);
      if (CountedBy(passing_, suffix_, change.earliest) < kPassedBy) continue;
      log_->Note(std::move(change), ScrapeInterval(*scrapes));
    }
  }

 private:
  const std::vector<Series>& passing_;
  std::string suffix_;
  Scrapes scrapes_;
  ChangeLog* log_;
};

void NoteWebhooks(const NeighbourFacts& facts, ChangeLog* log) {
  const std::string calls = CountOf(Neighbour::kApiserverAdmissionWebhookAdmissionDuration);
  ByName first;
  for (const Series& series : facts.Of("admission")) {
    if (series.labels.Get(kMetricName) != calls) continue;
    NoteEarliest(std::string(series.labels.Get("name")), series, &first);
  }
  const auto scrapes = [&](const Series& series) {
    const auto at = facts.scrapes.find(ProcessLabels(series.labels));
    return at == facts.scrapes.end() ? nullptr : &at->second;
  };
  const std::string requests = CountOf(Neighbour::kApiserverRequestDuration);
  Watch(facts.Of("bindings"), requests, scrapes, log).Note("change.webhook.called", first);
}

void NoteProfiles(const Facts& facts, ChangeLog* log) {
  ByName first;
  for (const Series& series : facts.Of("attempt")) {
    if (!series.labels.Get(kMetricName).ends_with("_count")) continue;
    NoteEarliest(std::string(series.labels.Get("profile")), series, &first);
  }
  const TargetIndex index(facts.targets);
  const auto scrapes = [&](const Series& series) {
    const auto target = index.Find(series.labels);
    return target ? &facts.targets[*target].scrapes : nullptr;
  };
  Watch(facts.Of("attempt"), "_count", scrapes, log).Note("change.profile.used", first);
}

}  // namespace

void NoteFirstUses(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log) {
  NoteWebhooks(neighbours, log);
  NoteProfiles(facts, log);
}

}  // namespace schedlens
