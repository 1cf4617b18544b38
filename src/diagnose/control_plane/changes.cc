#include "diagnose/control_plane/changes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/control_plane/cluster_changes.h"
#include "diagnose/control_plane/loads.h"
#include "diagnose/control_plane/pods.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

TimeMs SchedulerInterval(const Facts& facts) {
  TimeMs widest = 0;
  for (const Target& target : facts.targets) {
    widest = std::max(widest, ScrapeInterval(target.scrapes));
  }
  return widest;
}

/// How far from the onset a change may be to be told with it.
constexpr TimeMs kReach = 120'000;
constexpr TimeMs kReachScrapes = 3;
/// More objects that changed alike are one line.
constexpr std::size_t kEach = 3;
constexpr std::size_t kMost = 20;

bool Nearer(const ClusterChange& a, const ClusterChange& b) {
  if (a.after_onset != b.after_onset) return b.after_onset;
  return std::abs(a.distance_seconds) < std::abs(b.distance_seconds);
}

/// The configurations that a webhook is written in.
std::set<std::string> ConfigurationsOf(const NeighbourFacts& facts, const std::string& webhook) {
  std::set<std::string> names;
  for (const Series& series : facts.Of("objects")) {
    const Labels& labels = series.labels;
    const std::string_view metric = labels.Get(kMetricName);
    const bool validating =
        metric == NameOf(Neighbour::kKubeValidatingwebhookconfigurationWebhookClientconfigService);
    const bool mutating =
        metric == NameOf(Neighbour::kKubeMutatingwebhookconfigurationWebhookClientconfigService);
    if ((!validating && !mutating) || labels.Get("webhook_name") != webhook) continue;
    names.emplace(ObjectLabel(
        labels, validating ? "validatingwebhookconfiguration" : "mutatingwebhookconfiguration"));
  }
  return names;
}

/// An object as changes call it: with its kind in front, if it has one.
bool Is(const std::string& changed, const std::string& name) {
  return !name.empty() && (changed == name || changed.ends_with(" " + name));
}

bool IsAbout(const ClusterChange& change, const CauseBehind& cause, const NeighbourFacts& facts) {
  if (cause.id == "etcd.leader") return change.what.id == "change.etcd.leader";
  if (Is(change.object, cause.object)) return true;
  if (cause.id != "apiserver.webhook") return false;
  const std::set<std::string> names = ConfigurationsOf(facts, cause.object);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return Is(change.object, name); });
}

Evidence Told(const ClusterChange& change) {
  const double s = change.distance_seconds;
  // Known to be before only where even the latest is; else the span that it lies in.
  const double latest = s + static_cast<double>(change.latest - change.at) / 1000;
  const double earliest = s + static_cast<double>(change.earliest - change.at) / 1000;
  const bool before = latest <= 0;
  const double distance = before ? -s : std::max(std::abs(earliest), latest);
  return {Message(before ? "evidence.behind.changed.before" : "evidence.behind.changed.after",
                  {{"what", change.what}, {"distance", arg::Duration(distance)}}),
          ""};
}

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

std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       TimeMs onset, const std::optional<LoadWindows>& loads) {
  ChangeLog log(onset, SchedulerInterval(facts));
  NoteProcessChanges(facts, neighbours, &log);
  NoteObjectChanges(neighbours, &log);
  NoteFirstUses(facts, neighbours, &log);
  std::vector<ClusterChange> changes = log.Changes();
  if (loads && loads->before.end <= onset + SchedulerInterval(facts)) {
    for (ClusterChange& change : FindLoadChanges(neighbours, *loads, onset)) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       const WindowEvidence& evidence) {
  const TimeRange& window = evidence.now.breakdown.window;
  return FindChanges(facts, neighbours, window.start, LoadWindowsOf(evidence));
}

TimeMs ScrapeInterval(const std::vector<TimeMs>& scrapes) {
  std::vector<TimeMs> gaps;
  for (std::size_t i = 1; i < scrapes.size(); ++i) gaps.push_back(scrapes[i] - scrapes[i - 1]);
  if (gaps.empty()) return 0;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

void ChangeLog::Note(ClusterChange change, TimeMs interval) {
  const TimeMs reach = std::max(kReach, kReachScrapes * std::max(interval, interval_));
  if (change.latest < onset_ - interval_ - reach || change.earliest > onset_ + reach) return;
  change.after_onset = change.earliest > onset_ + interval_;
  if (change.at == 0) change.at = change.earliest + (change.latest - change.earliest) / 2;
  change.distance_seconds = static_cast<double>(change.at - onset_) / 1000;
  const auto same = std::find_if(changes_.begin(), changes_.end(), [&](const ClusterChange& other) {
    return other.what == change.what && other.object == change.object &&
           other.after_onset == change.after_onset;
  });
  if (same == changes_.end()) {
    changes_.push_back(std::move(change));
  } else if (Nearer(change, *same)) {
    *same = std::move(change);
  }
}

std::vector<ClusterChange> ChangeLog::Changes() const {
  std::vector<ClusterChange> sorted = changes_;
  std::stable_sort(sorted.begin(), sorted.end(), Nearer);
  using Kind = std::pair<std::string, bool>;
  const auto kind = [](const ClusterChange& one) { return Kind(one.what.id, one.after_onset); };
  std::map<Kind, std::size_t> alike;
  for (const ClusterChange& change : sorted) ++alike[kind(change)];
  std::vector<ClusterChange> out;
  for (ClusterChange& change : sorted) {
    std::size_t& left = alike[kind(change)];
    const std::size_t n = left;
    if (n == 0 || out.size() == kMost) continue;
    if (n > kEach) {
      change.count = static_cast<double>(n);
      left = 0;
    }
    out.push_back(std::move(change));
  }
  return out;
}

void SayWhatChanged(const std::vector<ClusterChange>& changes, const NeighbourFacts& facts,
                    std::vector<Finding>* findings) {
  for (Finding& finding : *findings) {
    for (CauseBehind& cause : finding.behind) {
      const auto change =
          std::find_if(changes.begin(), changes.end(), [&](const ClusterChange& one) {
            const bool timed = !one.after_onset && !one.what.id.starts_with("change.load");
            return timed && IsAbout(one, cause, facts);
          });
      if (change != changes.end()) cause.evidence.push_back(Told(*change));
    }
  }
}

void NoteFirstUses(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log) {
  NoteWebhooks(neighbours, log);
  NoteProfiles(facts, log);
}

}  // namespace schedlens
