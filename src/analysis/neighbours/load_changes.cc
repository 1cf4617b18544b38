#include "analysis/neighbours/load_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/causes/slowness.h"
#include "analysis/neighbours/change_log.h"
#include "analysis/neighbours/growth.h"
#include "analysis/neighbours/meter.h"
#include "kube/metrics.h"
#include "kube/neighbour_metrics.h"
#include "stats/exact_test.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Of the growth of all requests; less of it is no load to speak of.
constexpr double kLeastOfAll = 0.1;
/// A database grows by steps of 16 MiB.
constexpr double kLeastBytes = 64 * 1024.0 * 1024.0;

std::string Short(double x) {
  return x < 1000 ? fmt::format("{:.3g}", x) : fmt::format("{:.0f}", x);
}

class LoadChanges {
 public:
  LoadChanges(const NeighbourFacts& facts, const LoadWindows& windows, TimeMs onset)
      : facts_(facts), windows_(windows), onset_(onset) {}

  std::vector<ClusterChange> Run() {
    if (const auto pods = CountCreatedPods(facts_, windows_)) Namespaces(*pods);
    FlowSchemas();
    Levels();
    return std::move(changes_);
  }

 private:
  void Add(const char* what, std::string object, double before, double after,
           std::string_view source) {
    ClusterChange change;
    change.what = Message(what);
    change.object = std::move(object);
    change.at = onset_;
    change.earliest = windows_.before.end;
    change.latest = windows_.now.end;
    change.before = Short(before);
    change.after = Short(after);
    change.source = source;
    changes_.push_back(std::move(change));
  }

  void Namespaces(const CreatedPods& pods) {
    std::map<std::string, Created> spaces;
    for (const auto& [workload, created] : pods.workloads) {
      spaces[workload.name_space].now += created.now;
      spaces[workload.name_space].before += created.before;
    }
    const double now = pods.now.seconds(), before = pods.before.seconds();
    for (const auto& [name, created] : spaces) {
      const double most_before = created.before + pods.missed_before;
      if (!HasGrown({created.now, most_before, now, before}, spaces.size())) continue;
      Add("change.load", name, created.before / before, created.now / now,
          NameOf(Neighbour::kKubePodCreated));
    }
  }

  /// Requests a second, scrape by scrape.
  static std::vector<double> Rates(const Meter& meter, const TimeRange& window, TimeMs step) {
    std::vector<double> rates;
    for (TimeMs t = window.start; step > 0 && t + step <= window.end; t += step) {
      const TimeRange slice{t, t + step};
      rates.push_back(meter.Increase(slice).value / slice.seconds());
    }
    return rates;
  }

  /// The chance that so many of the later scrapes are in the upper half of all.
  static double MedianTest(const std::vector<double>& now, const std::vector<double>& before) {
    std::vector<double> all = now;
    all.insert(all.end(), before.begin(), before.end());
    if (all.empty()) return 1;
    std::sort(all.begin(), all.end());
    const double median = all[all.size() / 2], least = all.front();
    const auto upper = [&](const std::vector<double>& rates) {
      const auto n = std::count_if(rates.begin(), rates.end(), [&](double rate) {
        return rate > median || (rate == median && median > least);
      });
      return Fraction{static_cast<double>(n), static_cast<double>(rates.size())};
    };
    return FisherAtLeast(upper(now), upper(before));
  }

  void FlowSchemas() {
    const std::string_view metric = NameOf(Neighbour::kApiserverFlowcontrolDispatchedRequests);
    std::map<std::string, Meter> schemas;
    TimeMs step = 0;
    for (const Series& series : facts_.Of("load")) {
      if (series.labels.Get(kMetricName) != metric) continue;
      const std::string schema(series.labels.Get("flow_schema"));
      schemas.try_emplace(schema, facts_).first->second.Add(series);
      const auto scrapes = facts_.scrapes.find(ProcessLabels(series.labels));
      if (scrapes != facts_.scrapes.end()) step = std::max(step, ScrapeInterval(scrapes->second));
    }
    const double now_s = windows_.now.seconds(), before_s = windows_.before.seconds();
    double all = 0;
    std::map<std::string, std::pair<double, double>> means;
    for (const auto& [schema, meter] : schemas) {
      const double now = meter.Increase(windows_.now).value / now_s;
      const double before = meter.Increase(windows_.before).value / before_s;
      means[schema] = {before, now};
      all += std::max(0.0, now - before);
    }
    for (const auto& [schema, meter] : schemas) {
      const auto& [before, now] = means[schema];
      if (now < kLeastGrowth * before || !(now - before >= kLeastOfAll * all) || !(all > 0))
        continue;
      const double chance =
          MedianTest(Rates(meter, windows_.now, step), Rates(meter, windows_.before, step));
      if (chance * static_cast<double>(schemas.size()) > kSignificant) continue;
      Add("change.load.flow_schema", schema, before, now, metric);
    }
  }

  /// A gauge's mean now, and the most that its growth in the baseline lets expect.
  struct Level {
    double before = 0, expected = 0, now = 0;
  };

  std::optional<Level> LevelOf(const Series& series) const {
    const Sample* last = nullptr;
    double fastest = 0, sum = 0, n = 0;
    for (const Sample& sample : series.samples) {
      if (sample.t >= windows_.before.start && sample.t <= windows_.before.end) {
        if (last != nullptr) {
          const double seconds = static_cast<double>(sample.t - last->t) / 1000;
          fastest = std::max(fastest, (sample.v - last->v) / seconds);
        }
        last = &sample;
      }
      if (sample.t < windows_.now.start || sample.t > windows_.now.end) continue;
      sum += sample.v;
      ++n;
    }
    if (last == nullptr || n < 1) return std::nullopt;
    const double middle = static_cast<double>(windows_.now.start + windows_.now.end) / 2;
    const double since = std::max(0.0, middle - static_cast<double>(last->t)) / 1000;
    return Level{last->v, last->v + fastest * since, sum / n};
  }

  static bool IsDatabase(std::string_view metric) {
    return metric == NameOf(Neighbour::kApiserverStorageSizeBytes) ||
           metric == NameOf(Neighbour::kEtcdMvccDbTotalSizeInBytes);
  }

  static bool IsObjects(std::string_view metric) {
    return metric == NameOf(Neighbour::kApiserverStorageObjects) ||
           metric == NameOf(Neighbour::kApiserverResourceObjects) ||
           metric == NameOf(Neighbour::kEtcdObjectCounts);
  }

  /// Every API server shows the objects of all: the one that shows most of them speaks.
  void Levels() {
    struct Shown {
      Level level;
      std::string_view metric;
    };
    std::map<std::string, Shown> resources;
    for (const Series& series : facts_.Of("load")) {
      const std::string_view metric = series.labels.Get(kMetricName);
      if (!IsDatabase(metric) && !IsObjects(metric)) continue;
      const auto level = LevelOf(series);
      if (!level) continue;
      if (IsDatabase(metric)) {
        const double expected =
            std::max(kLeastGrowth * level->expected, level->before + kLeastBytes);
        if (level->now < expected) continue;
        Add("change.load.database", ProcessLabels(series.labels).ToString(), level->before,
            level->now, metric);
        continue;
      }
      const std::string resource(series.labels.Get("resource"));
      const auto [at, fresh] = resources.try_emplace(resource, Shown{*level, metric});
      if (!fresh && level->now > at->second.level.now) at->second = {*level, metric};
    }
    for (const auto& [resource, shown] : resources) {
      const Level& level = shown.level;
      if (!HasGrown({level.now, level.expected, 1, 1}, resources.size())) continue;
      Add("change.load.objects", resource, level.before, level.now, shown.metric);
    }
  }

  const NeighbourFacts& facts_;
  const LoadWindows& windows_;
  TimeMs onset_;
  std::vector<ClusterChange> changes_;
};

}  // namespace

std::vector<ClusterChange> FindLoadChanges(const NeighbourFacts& facts, const LoadWindows& windows,
                                           TimeMs onset) {
  return LoadChanges(facts, windows, onset).Run();
}

}  // namespace schedlens
