#include "diagnose/control_plane/changes.h"
#include "diagnose/explain/glossary.h"
#include "kube/metrics.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

using kube::Metric;

bool Inside(double seconds, const TimeRange& range) {
  const double ms = seconds * 1000 + 500;  // a rounded time stands for the middle of its second
  return ms > static_cast<double>(range.start) && ms <= static_cast<double>(range.end);
}

TimeRange Common(const TimeRange& a, const TimeRange& b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

/// Two whole seconds apart are more than one.
bool Waited(const SeenPod& pod) { return !pod.scheduled || *pod.scheduled - pod.created >= 2; }

constexpr std::size_t kMostLoads = 5;
/// Bursts that are less of the load than this are not what the scheduler is busy with.
constexpr double kLeastInBursts = 0.3;

double AtLeastZero(double x) { return std::max(0.0, x); }

/// What a workload's growth is of all that grew: it may have had all that was missed before, or all
/// that was missed now; and so may the others.
class Growths {
 public:
  explicit Growths(const CreatedPods& created)
      : created_(created), scale_(created.now.seconds() / created.before.seconds()) {
    for (const auto& [workload, pods] : created.workloads) all_ = all_ + Of(pods);
    // What was missed can be given away once only.
    all_.high -=
        created_.missed_now * AtLeastZero(static_cast<double>(created.workloads.size()) - 1);
  }

  BoundedValue Of(const Created& pods) const {
    const double usual = pods.before * scale_, grown = AtLeastZero(pods.now - usual);
    return {AtLeastZero(pods.now - usual - created_.missed_before * scale_), grown,
            grown + created_.missed_now};
  }

  BoundedValue PartOf(const Created& pods) const {
    const BoundedValue one = Of(pods);
    const auto part = [](double own, double others) {
      return own > 0 ? own / (own + AtLeastZero(others)) : 0;
    };
    return {part(one.low, all_.high - one.value), part(one.value, all_.value - one.value),
            part(one.high, all_.low - one.low)};
  }

 private:
  const CreatedPods& created_;
  double scale_;
  BoundedValue all_ = BoundedValue::Exactly(0);
};

CauseBehind Write(const WorkloadKey& workload, const char* title, const BoundedValue& part,
                  Message seen) {
  const std::string object = workload.name_space + "/" + workload.name;
  CauseBehind behind = CauseOf("load.workload", object, Message(title, {{"object", object}}),
                               Bounded(part.low, part.value, part.high, "1", BasisKind::kGrowth),
                               part.value >= kLikelyWeight);
  behind.evidence.push_back({std::move(seen)});
  return behind;
}

std::vector<CauseBehind> WhoGrew(const CreatedPods& created) {
  const Growths growths(created);
  std::vector<CauseBehind> found;
  for (const auto& [workload, pods] : created.workloads) {
    const Counted seen{pods.now, pods.before + created.missed_before, created.now.seconds(),
                       created.before.seconds()};
    const BoundedValue part = growths.PartOf(pods);
    if (workload.name.empty() || part.value < kLeastWeight) continue;
    if (!HasGrown(seen, created.workloads.size())) continue;
    found.push_back(Write(workload, "behind.load.workload", part,
                          Message("evidence.behind.load",
                                  {{"now", arg::Number(pods.now / created.now.seconds())},
                                   {"before", arg::Number(pods.before / created.before.seconds())},
                                   {"least", arg::Share(part.low)}})));
  }
  return found;
}

using PerWorkload = std::map<WorkloadKey, double>;

double Sum(const PerWorkload& pods) {
  double sum = 0;
  for (const auto& [workload, n] : pods) sum += n;
  return sum;
}

/// The chance that the `busiest` seconds of both windows all fall into the later one.
double ChanceOfAll(std::size_t busiest, double seconds_now, double seconds_before) {
  double chance = 1;
  for (std::size_t i = 0; i < busiest && chance > 0; ++i) {
    const double left = seconds_now - static_cast<double>(i);
    chance *= AtLeastZero(left / (left + seconds_before));
  }
  return chance;
}

/// By the seconds of the window that are busier than any of the baseline's.
std::vector<CauseBehind> WhoComesInBursts(const CreatedPods& created) {
  std::size_t seconds = 0;
  double all = 0, in_bursts = 0, most = 0, most_before = 0;
  PerWorkload by_workload;
  for (const auto& [second, pods] : created.seconds_before) {
    most_before = std::max(most_before, Sum(pods));
  }
  for (const auto& [second, pods] : created.seconds_now) {
    const double n = Sum(pods);
    all += n;
    if (n < kLeastGrowth * (most_before + 1)) continue;
    ++seconds;
    in_bursts += n;
    most = std::max(most, n);
    for (const auto& [workload, own] : pods) by_workload[workload] += own;
  }
  const double chance = ChanceOfAll(seconds, created.now.seconds(), created.before.seconds());
  if (seconds == 0 || chance > kSignificant || in_bursts < kLeastInBursts * all) return {};
  std::vector<CauseBehind> found;
  for (const auto& [workload, pods] : by_workload) {
    const double whole = in_bursts + created.missed_now;
    const BoundedValue part{pods / whole, pods / in_bursts, (pods + created.missed_now) / whole};
    if (workload.name.empty() || part.value < kLeastWeight) continue;
    found.push_back(
        Write(workload, "behind.load.workload.bursts", part,
              Message("evidence.behind.bursts", {{"pods", arg::Count(pods)},
                                                 {"seconds", arg::Count(seconds)},
                                                 {"most", arg::Count(most)},
                                                 {"before", arg::Count(most_before)}})));
  }
  return found;
}

/// Of the growth of all requests; less of it is no load to speak of.
constexpr double kLeastOfAll = 0.1;
/// A database grows by steps of 16 MiB.
constexpr double kLeastBytes = 64 * 1024.0 * 1024.0;

std::string Short(double x) {
  return x < 1000 ? fmt::format("{:.3g}", x) : fmt::format("{:.0f}", x);
}

class LoadChanges {
 public:
  LoadChanges(const ControlPlaneFacts& facts, const LoadWindows& windows, TimeMs onset)
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
    changes_.push_back(ChangeBetween(what, std::move(object), windows_.before.end, windows_.now.end,
                                     source, Short(before), Short(after)));
    changes_.back().at = onset_;
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
          NameOf(Metric::kKubePodCreated));
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
    std::ranges::sort(all);
    const double median = all[all.size() / 2], least = all.front();
    const auto upper = [&](const std::vector<double>& rates) {
      const auto n = std::ranges::count_if(
          rates, [&](double rate) { return rate > median || (rate == median && median > least); });
      return Fraction{static_cast<double>(n), static_cast<double>(rates.size())};
    };
    return FisherAtLeast(upper(now), upper(before));
  }

  void FlowSchemas() {
    const std::string_view metric = NameOf(Metric::kApiserverFlowcontrolDispatchedRequests);
    std::map<std::string, Meter> schemas;
    TimeMs step = 0;
    for (const Series& series : facts_.Of("load")) {
      if (series.labels.Get(kMetricName) != metric) continue;
      const std::string schema(series.labels.Get("flow_schema"));
      schemas.try_emplace(schema, facts_).first->second.Add(series);
      const std::vector<TimeMs>* scrapes = facts_.ScrapesOf(series.labels);
      if (scrapes != nullptr) step = std::max(step, ScrapeInterval(*scrapes));
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
    std::string_view metric;
  };

  std::optional<Level> LevelOf(const Series& series, std::string_view metric) const {
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
    return Level{last->v, last->v + fastest * since, sum / n, metric};
  }

  static bool IsDatabase(std::string_view metric) {
    return metric == NameOf(Metric::kApiserverStorageSizeBytes) ||
           metric == NameOf(Metric::kEtcdMvccDbTotalSizeInBytes);
  }

  static bool IsObjects(std::string_view metric) {
    return metric == NameOf(Metric::kApiserverStorageObjects) ||
           metric == NameOf(Metric::kApiserverResourceObjects) ||
           metric == NameOf(Metric::kEtcdObjectCounts);
  }

  /// Every API server shows the objects of all: the one that shows most of them speaks.
  void Levels() {
    std::map<std::string, Level> resources;
    for (const Series& series : facts_.Of("load")) {
      const std::string_view metric = series.labels.Get(kMetricName);
      if (!IsDatabase(metric) && !IsObjects(metric)) continue;
      const auto level = LevelOf(series, metric);
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
      Level& most = resources.try_emplace(resource, *level).first->second;
      if (level->now > most.now) most = *level;
    }
    for (const auto& [resource, level] : resources) {
      if (!HasGrown({level.now, level.expected, 1, 1}, resources.size())) continue;
      Add("change.load.objects", resource, level.before, level.now, level.metric);
    }
  }

  const ControlPlaneFacts& facts_;
  const LoadWindows& windows_;
  TimeMs onset_;
  std::vector<ClusterChange> changes_;
};

/// A plugin that holds this part of what another holds may hold the same pods.
constexpr double kTied = 0.5;

struct Held {
  std::string plugin;
  double now = 0, before = 0;
  double growth() const { return AtLeastZero(now - before); }
};

std::vector<Held> HeldPods(const Facts& facts, const TimeRange& window,
                           const std::optional<TimeRange>& baseline) {
  std::map<std::string, Held> plugins;
  for (const Series& series : facts.Of("unschedulable_pods")) {
    std::string plugin(series.labels.Get("plugin"));
    Held& held = plugins[plugin];
    held.plugin = std::move(plugin);
    // A plugin without a series rejected nobody yet: its scheduler was scraped.
    held.now += MeanIn(series, window).value_or(0);
    if (baseline) held.before += MeanIn(series, *baseline).value_or(0);
  }
  std::vector<Held> all;
  for (auto& [plugin, held] : plugins) {
    if (held.growth() > 0) all.push_back(std::move(held));
  }
  std::ranges::stable_sort(all, std::greater(), &Held::growth);
  return all;
}

std::string QueryOf(const Facts& facts) {
  const auto metric = NameOf(Metric::kUnschedulablePods);
  if (facts.selector.empty()) return fmt::format("sum by (plugin) ({})", metric);
  return fmt::format("sum by (plugin) ({}{{{}}})", metric, facts.selector);
}

}  // namespace

std::optional<LoadWindows> LoadWindowsOf(const WindowEvidence& evidence) {
  if (!evidence.baseline) return std::nullopt;
  const TimeBreakdown& now = evidence.now.breakdown;
  const TimeBreakdown& before = evidence.baseline->breakdown;
  return LoadWindows{now.window, before.window, now.scheduled(), before.scheduled()};
}

std::optional<CreatedPods> CountCreatedPods(const ControlPlaneFacts& facts,
                                            const LoadWindows& windows, WhichPods which) {
  // Outside of its scrapes kube-state-metrics cannot have seen what was created.
  const TimeRange scrapes = PodScrapes(facts);
  CreatedPods out;
  out.now = Common(windows.now, scrapes);
  out.before = Common(windows.before, scrapes);
  if (out.now.end <= out.now.start || out.before.end <= out.before.start) return std::nullopt;
  double seen_before = 0;
  for (const SeenPod& pod : PodsOf(facts)) {
    if (pod.scheduled && Inside(*pod.scheduled, windows.now)) out.seen_now += 1;
    if (pod.scheduled && Inside(*pod.scheduled, windows.before)) seen_before += 1;
    if (which == WhichPods::kThatWaited && !Waited(pod)) continue;
    Created& created = out.workloads[pod.workload];
    if (Inside(pod.created, out.now)) {
      created.now += 1;
      out.seconds_now[pod.created][pod.workload] += 1;
    }
    if (Inside(pod.created, out.before)) {
      created.before += 1;
      out.seconds_before[pod.created][pod.workload] += 1;
    }
  }
  out.missed_now = std::max(0.0, windows.scheduled_now - out.seen_now);
  out.missed_before = std::max(0.0, windows.scheduled_before - seen_before);
  return out;
}

std::vector<CauseBehind> WhoCreatesPods(const CreatedPods& created) {
  std::vector<CauseBehind> found = WhoGrew(created);
  if (found.empty()) found = WhoComesInBursts(created);
  SortByShare(&found);
  if (found.size() > kMostLoads) found.resize(kMostLoads);
  const Message coverage("evidence.behind.coverage",
                         {{"seen", arg::Count(created.seen_now)},
                          {"all", arg::Count(created.seen_now + created.missed_now)}});
  for (CauseBehind& one : found) one.evidence.push_back({coverage});
  return found;
}

std::vector<ClusterChange> FindLoadChanges(const ControlPlaneFacts& facts,
                                           const LoadWindows& windows, TimeMs onset) {
  return LoadChanges(facts, windows, onset).Run();
}

bool HasGrown(const Counted& counted, std::size_t tried) {
  if (!(counted.seconds_now > 0) || !(counted.seconds_before > 0)) return false;
  const double now = std::floor(counted.now), before = std::ceil(counted.before);
  if (now / counted.seconds_now < kLeastGrowth * (before + 0.5) / counted.seconds_before)
    return false;
  const double part = counted.seconds_now / (counted.seconds_now + counted.seconds_before);
  return BinomialAtLeast(now + before, part, now) * static_cast<double>(tried) <= kSignificant;
}

std::vector<CauseBehind> WhoRejectsPods(const Facts& facts, const TimeRange& window,
                                        const std::optional<TimeRange>& baseline) {
  const std::vector<Held> plugins = HeldPods(facts, window, baseline);
  if (plugins.empty()) return {};
  double sum = 0;
  for (const Held& held : plugins) sum += held.growth();
  const double most = plugins.front().growth();
  const bool tied = plugins.size() > 1 && plugins[1].growth() >= kTied * most;
  std::vector<CauseBehind> found;
  for (const Held& held : plugins) {
    const double least = held.growth() / sum;
    if (least < kLeastWeight) break;
    const bool grown = HasGrown({held.now, held.before, 1, 1}, plugins.size());
    const bool lone = !tied && held.growth() == most;
    CauseBehind behind = CauseOf(
        "unschedulable.plugin", held.plugin,
        Message("behind.unschedulable.plugin", {{"object", held.plugin}}),
        Bounded(least, least, held.growth() / most, "1", BasisKind::kGrowth), grown && lone);
    behind.evidence.push_back(
        {Message("evidence.behind.held",
                 {{"now", arg::Number(held.now)}, {"before", arg::Number(held.before)}}),
         QueryOf(facts)});
    if (tied && held.growth() >= kTied * most) {
      behind.evidence.push_back({Message("evidence.behind.held.tied")});
    }
    found.push_back(std::move(behind));
  }
  return found;
}

}  // namespace schedlens
