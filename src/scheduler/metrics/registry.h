#pragma once

// The metrics of one process: its GET /metrics, and the series that a Prometheus would make of it.

#include "base/exposition.h"
#include "kube/metrics.h"
#include "scheduler/base/release.h"

namespace schedlens::sim {

using kube::ControlPlaneMetric;
using kube::Metric;
using kube::MetricEra;
using kube::MetricKind;
using kube::MetricRow;

/// Feature gates that add metrics.
struct MetricGates {
  bool async_api = false, async_preemption = false, generic_workload = false;
  bool nothing = false;  ///< no metric at all
};

/// One label combination of one metric. Counters and gauges use `value`; histograms the rest,
/// with one count more than there are bounds (the last one is +Inf), not cumulative.
struct MetricChild {
  const MetricRow* row = nullptr;
  const MetricEra* era = nullptr;               ///< what the release makes of the row
  const std::vector<double>* bounds = nullptr;  ///< finite upper bounds, ascending
  std::vector<std::string> label_values;
  double value = 0, sum = 0;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> buckets;
  /// Where the scraper keeps this child's series; its own business.
  mutable std::int32_t slot = -1;

  MetricChild() = default;
  MetricChild(const MetricRow& of, const MetricEra& in, std::vector<std::string> labels);

  void Observe(double v);
  /// Observes `v` in a histogram, adds it to anything else.
  void Add(double v);
};

/// Children of metrics with labels appear with their first use, those without labels at zero.
/// A metric that the release does not show can still be used: it goes to a child nobody exports.
class MetricRegistry {
 public:
  MetricRegistry(const Release& release, const MetricGates& gates);
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  /// The child, created if need be; the reference stays good as long as the registry.
  MetricChild& Get(Metric metric, std::initializer_list<std::string_view> label_values);
  /// Whether the child exists already.
  bool Has(Metric metric, std::initializer_list<std::string_view> label_values) const;
  bool Shows(Metric metric) const { return families_[static_cast<std::size_t>(metric)].row; }
  /// Children in order of creation: metrics without labels first.
  const std::deque<MetricChild>& children() const { return children_; }

 protected:
  /// Orders label values, whichever kind of string they are in.
  struct ByText {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return std::lexicographical_compare(
          std::begin(a), std::end(a), std::begin(b), std::end(b),
          [](std::string_view x, std::string_view y) { return x < y; });
    }
  };
  struct Family {
    const MetricRow* row = nullptr;  // null: not shown
    const MetricEra* era = nullptr;
    std::map<std::vector<std::string>, MetricChild*, ByText> by_labels;
    MetricChild* last = nullptr;  ///< the one asked for last: mostly the next one too
  };
  MetricRegistry() : families_(static_cast<std::size_t>(Metric::kCount)) {}
  /// Of the metric's family, which is shown, with all its labels; created if need be.
  MetricChild& Child(Family& family, std::span<const std::string_view> values);

  std::vector<Family> families_;
  std::deque<MetricChild> children_;
  MetricChild unseen_;
};

/// The lossy buffer in front of plugin_execution_duration_seconds.
/// Holds at most 1000 samples; what comes while it is full is dropped without a trace. A flush,
/// once a second, moves everything into the histograms.
class PluginRecorder {
 public:
  static constexpr std::size_t kCapacity = 1000;

  std::size_t room() const { return kCapacity - samples_.size(); }
  /// False if the sample was dropped.
  bool Record(MetricChild* child, double seconds) {
    if (room() == 0) {
      ++dropped_;
      return false;
    }
    samples_.push_back({child, seconds});
    return true;
  }
  void Drop(std::uint64_t count) { dropped_ += count; }
  /// Moves the oldest samples, at most `count`, into their histograms. A flush takes some
  /// milliseconds, in which new samples find room: the caller flushes half, and the rest then.
  void Flush(std::size_t count) {
    count = std::min(count, samples_.size());
    for (std::size_t i = 0; i < count; ++i) samples_[i].child->Observe(samples_[i].seconds);
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Pending {
    MetricChild* child;
    double seconds;
  };
  std::vector<Pending> samples_;
  std::uint64_t dropped_ = 0;
};

/// A label by its newest spelling.
using NamedLabel = std::pair<std::string_view, std::string_view>;

/// What an API server, an etcd or a kube-state-metrics would answer. Children appear with their
/// first use, also those without labels.
class ControlPlaneRegistry : private MetricRegistry {
 public:
  /// A component of a cluster of Kubernetes 1.`minor`.
  ControlPlaneRegistry(kube::Component component, int minor);

  /// The child, created if need be; the reference stays good as long as the registry. Labels that
  /// the release lacks are left out, those that are not given are empty.
  MetricChild& Get(Metric metric, std::initializer_list<NamedLabel> labels);
  using MetricRegistry::Shows;
  /// Of gauges alone: those that are not set anew are not exported any more.
  void Forget() {
    for (MetricChild& child : children_) child.value = std::nan("");
  }
  using MetricRegistry::children;
};

/// An upper bound as Go prints it in `le`: `0.001`, `1e-05`, `16`, `+Inf`.
std::string FormatBound(double bound);

/// The Prometheus text page (format 0.0.4) of one process, with HELP and TYPE lines.
std::string WriteMetricsPage(const MetricRegistry& registry);

/// The series of one target. Survives restarts of the process behind it: the new process's
/// counters continue the old series, lower.
class Scraper {
 public:
  /// Labels that the scrape adds: job, instance, pod.
  Scraper(std::string job, std::string instance, std::string pod);

  /// A successful scrape: a sample for every exported value, and `up` 1.
  void Scrape(const std::deque<MetricChild>& children, TimeMs t);
  /// The target did not answer: `up` 0, nothing else.
  void Miss(TimeMs t) { Up(t, 0); }
  /// Moves the series out, in order of first appearance.
  void MoveInto(Exposition* out);

 private:
  std::size_t SlotOf(const MetricChild& child);
  void Up(TimeMs t, double value) { series_.front().samples.push_back({t, value}); }

  std::string job_, instance_, pod_;
  std::vector<Series> series_;
  std::map<std::pair<const MetricEra*, std::vector<std::string>>, std::size_t> slots_;
};

/// The scheduler's metric families and their types. Some only for their releases.
std::map<std::string, std::string> ExpositionTypes(const Release& release);

/// Metric families of the control plane and their types, as OpenMetrics names them.
std::map<std::string, std::string> ControlPlaneTypes();

}  // namespace schedlens::sim
