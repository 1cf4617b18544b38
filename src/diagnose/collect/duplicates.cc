#include "diagnose/collect/duplicates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace schedlens {
namespace {

/// A scrape reads its counters some time after its timestamp.
constexpr TimeMs kReadingMs = 500;
/// Values that a count must have had for two processes not to agree by chance.
constexpr std::size_t kLeastValues = 4;

/// A count's samples, by what it counts.
using Counts = std::map<Labels, std::vector<Sample>>;

/// Of each target the counts of attempts; restarts of a process follow each other in one list.
std::vector<Counts> CountsOfTargets(const Facts& facts) {
  const TargetIndex index(facts.targets);
  std::vector<Counts> all(facts.targets.size());
  for (const std::string_view question : kOwnQuestions) {
    for (const Series& series : facts.Of(question)) {
      if (!CountsAll(series.labels)) continue;
      const auto target = index.Find(series.labels);
      if (!target) continue;
      std::vector<Sample>& samples = all[*target][series.labels.Only(MeasurementLabels())];
      samples.insert(samples.end(), series.samples.begin(), series.samples.end());
    }
  }
  for (Counts& counts : all) {
    for (auto& [what, samples] : counts) {
      std::stable_sort(samples.begin(), samples.end(),
                       [](const Sample& a, const Sample& b) { return a.t < b.t; });
    }
  }
  return all;
}

/// Whether every sample lies between the other's samples before and after it. Around a restart of
/// the other nothing is said.
bool LieBetween(const std::vector<Sample>& samples, const std::vector<Sample>& other) {
  for (const Sample& sample : samples) {
    const auto after = std::lower_bound(other.begin(), other.end(), sample.t + kReadingMs,
                                        [](const Sample& s, TimeMs t) { return s.t < t; });
    const auto until = std::upper_bound(other.begin(), other.end(), sample.t - kReadingMs,
                                        [](TimeMs t, const Sample& s) { return t < s.t; });
    const bool has_before = until != other.begin(), has_after = after != other.end();
    if (has_before && has_after && after->v < std::prev(until)->v) continue;
    if (has_before && sample.v < std::prev(until)->v) return false;
    if (has_after && sample.v > after->v) return false;
  }
  return true;
}

/// How many values the samples have within the range.
std::size_t DifferentValues(const std::vector<Sample>& samples, const TimeRange& range) {
  std::set<double> values;
  for (const Sample& sample : samples) {
    if (sample.t >= range.start && sample.t <= range.end) values.insert(sample.v);
  }
  return values.size();
}

/// How many values both had while both were scraped: 0 when one follows the other.
std::size_t ValuesOfBoth(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  if (a.empty() || b.empty()) return 0;
  const TimeRange both{std::max(a.front().t, b.front().t), std::min(a.back().t, b.back().t)};
  return std::min(DifferentValues(a, both), DifferentValues(b, both));
}

/// How many values the counts had that both have, if these agree; nothing where they do not.
std::optional<std::size_t> Agreeing(const Counts& a, const Counts& b) {
  std::size_t values = 0;
  for (const auto& [what, samples] : a) {
    const auto other = b.find(what);
    if (other == b.end()) continue;
    if (!LieBetween(samples, other->second) || !LieBetween(other->second, samples)) {
      return std::nullopt;
    }
    values = std::max(values, ValuesOfBoth(samples, other->second));
  }
  return values;
}

/// What a target is called, looked up once: each is held against many.
struct Name {
  explicit Name(const Labels& id)
      : cluster(id.Get("cluster")),
        pod(id.Get("pod")),
        job(id.Get("job")),
        instance(id.Get("instance")) {}
  std::string_view cluster, pod, job, instance;
};

/// A process has one cluster and one pod, and within a job one instance.
bool NamedApart(const Name& a, const Name& b) {
  const auto differ = [](std::string_view one, std::string_view other) {
    return !one.empty() && !other.empty() && one != other;
  };
  return differ(a.cluster, b.cluster) || differ(a.pod, b.pod) ||
         (!differ(a.job, b.job) && differ(a.instance, b.instance));
}

bool IsSameProcess(const Target& a, const Target& b, const Counts& of_a, const Counts& of_b) {
  std::vector<TimeMs> common;
  std::set_intersection(a.starts.begin(), a.starts.end(), b.starts.begin(), b.starts.end(),
                        std::back_inserter(common));
  const bool known = !a.starts.empty() && !b.starts.empty();
  if (known && common.empty()) return false;
  const auto values = Agreeing(of_a, of_b);
  return values && *values >= (known ? 1 : kLeastValues);
}

}  // namespace

std::vector<Duplicate> FindDuplicates(const Facts& facts) {
  const std::vector<Target>& targets = facts.targets;
  if (targets.size() < 2) return {};
  const std::vector<Counts> counts = CountsOfTargets(facts);
  std::vector<std::size_t> order(targets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return targets[a].scrapes.size() > targets[b].scrapes.size();
  });
  std::vector<Name> names;
  for (const Target& target : targets) names.emplace_back(target.id);
  std::vector<std::size_t> kept;
  std::vector<Duplicate> found;
  for (const std::size_t i : order) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](std::size_t k) {
      return !NamedApart(names[k], names[i]) &&
             IsSameProcess(targets[k], targets[i], counts[k], counts[i]);
    });
    if (same == kept.end()) {
      kept.push_back(i);
    } else {
      found.push_back({i, *same});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Duplicate& a, const Duplicate& b) { return a.dropped < b.dropped; });
  return found;
}

void DropDuplicates(Facts* facts) {
  const std::vector<Duplicate> duplicates = FindDuplicates(*facts);
  if (duplicates.empty()) return;
  std::set<std::size_t> dropped;
  for (const Duplicate& one : duplicates) {
    dropped.insert(one.dropped);
    facts->warnings.push_back(
        Message("target.duplicate", {{"dropped", facts->targets[one.dropped].id.ToString()},
                                     {"kept", facts->targets[one.kept].id.ToString()}}));
  }
  const TargetIndex index(facts->targets);
  const auto is_dropped = [&](const Series& series) {
    const auto target = index.Find(series.labels);
    return target && dropped.contains(*target);
  };
  for (auto& [question, series] : facts->answers) std::erase_if(series, is_dropped);
  std::erase_if(facts->superseded, is_dropped);
  std::vector<Target> left;
  for (std::size_t i = 0; i < facts->targets.size(); ++i) {
    if (!dropped.contains(i)) left.push_back(std::move(facts->targets[i]));
  }
  facts->targets = std::move(left);
}

}  // namespace schedlens
