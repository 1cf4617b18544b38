#pragma once

// A scheduler in miniature for tests: attempts with known stages go in, scraped samples and the
// facts made of them come out. Metrics as kube-scheduler 1.20 has them, unless a test says
// otherwise.

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "base/text.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/collect/facts.h"

namespace schedlens::test {

/// One attempt; seconds of each stage. e2e is their sum.
struct Attempt {
  std::string result = "scheduled";
  double prefilter = 1e-5, filter = 1e-4, prescore = 3e-5, score = 2e-4;
  double unmeasured = 5e-5;  ///< inside the algorithm
  double postfilter = 0, prebind = 1e-6, permit_wait = 0;
  double bind = 0.005;       ///< by the Bind plugins
  double extender_bind = 0;  ///< > 0: an extender binds instead
  double rest = 1e-4;        ///< after the algorithm, in no histogram
  std::string profile = "default-scheduler";
  double algorithm() const { return prefilter + filter + prescore + score + unmeasured; }
  double e2e() const {
    return algorithm() + postfilter + (result == "scheduled" ? AfterAlgorithm() : 0);
  }
  double AfterAlgorithm() const {
    return prebind + permit_wait + (extender_bind > 0 ? extender_bind : bind) + rest;
  }
};

class Recorder {
 public:
  bool with_binding = true;              ///< binding_duration, up to 1.20
  bool algorithm_with_failures = false;  ///< 1.30 and later
  std::string instance = "10.0.0.1:10259";

  void Run(const Attempt& a) {
    RunAlgorithm(a);
    if (a.result == "scheduled") {
      RunPermitWait(a);
      RunPreBind(a);
    }
    End(a);
  }

  /// The four steps of Run, for attempts that are scraped between them. The last one of a failed
  /// attempt follows the first.
  void RunAlgorithm(const Attempt& a) {
    Point("PreFilter", a.prefilter);
    Point("Filter", a.filter);
    if (a.result != "scheduled") {
      if (a.postfilter > 0) Point("PostFilter", a.postfilter);
      if (algorithm_with_failures) Observe(kAlgorithm, {}, a.algorithm() + a.postfilter);
      return;
    }
    Point("PreScore", a.prescore);
    Point("Score", a.score);
    Observe(kAlgorithm, {}, a.algorithm());
    Point("Reserve", 1e-6);
    Point("Permit", 1e-6);
  }
  void RunPermitWait(const Attempt& a) {
    if (a.permit_wait <= 0) return;
    Observe("scheduler_permit_wait_duration_seconds", {{"result", "Success"}}, a.permit_wait);
  }
  void RunPreBind(const Attempt& a) { Point("PreBind", a.prebind); }
  void End(const Attempt& a) {
    if (a.result == "scheduled") {
      if (a.extender_bind <= 0) Point("Bind", a.bind);
      if (with_binding) {
        Observe("scheduler_binding_duration_seconds", {},
                a.extender_bind > 0 ? a.extender_bind : a.bind);
      }
      Point("PostBind", 1e-6);
    }
    Observe(kAttempt, {{"result", a.result}, {"profile", a.profile}}, a.e2e());
  }

  void Observe(const std::string& family, std::vector<Labels::Pair> labels, double seconds) {
    labels.emplace_back("instance", instance);
    labels.emplace_back("job", "kube-scheduler");
    Child& child = children_[{family, Labels(labels)}];
    child.counts.resize(Ladder(family).size() + 1);
    const auto& ladder = Ladder(family);
    const auto at = std::lower_bound(ladder.begin(), ladder.end(), seconds) - ladder.begin();
    child.counts[static_cast<std::size_t>(at)] += 1;
    child.sum += seconds;
  }

  void Point(const std::string& point, double seconds, const std::string& status = "Success") {
    Observe("scheduler_framework_extension_point_duration_seconds",
            {{"extension_point", point}, {"status", status}, {"profile", "default-scheduler"}},
            seconds);
  }

  void Set(const std::string& name, std::vector<Labels::Pair> labels, double value) {
    labels.emplace_back("instance", instance);
    labels.emplace_back("job", "kube-scheduler");
    labels.emplace_back("__name__", name);
    gauges_[Labels(labels)] = value;
  }
  void Add(const std::string& name, std::vector<Labels::Pair> labels, double value) {
    labels.emplace_back("instance", instance);
    labels.emplace_back("job", "kube-scheduler");
    labels.emplace_back("__name__", name);
    gauges_[Labels(labels)] += value;
  }

  /// The process starts anew: every counter is gone.
  void Restart(TimeMs t) {
    children_.clear();
    gauges_.clear();
    Set("process_start_time_seconds", {}, static_cast<double>(t) / 1000);
  }

  void Scrape(TimeMs t) {
    for (const auto& [key, child] : children_) {
      const auto& ladder = Ladder(key.first);
      double cumulative = 0;
      for (std::size_t b = 0; b < child.counts.size(); ++b) {
        cumulative += child.counts[b];
        const double bound = b < ladder.size() ? ladder[b] : INFINITY;
        Put(key.second.With("__name__", key.first + "_bucket").With("le", FormatNumber(bound)), t,
            cumulative);
      }
      Put(key.second.With("__name__", key.first + "_sum"), t, child.sum);
      Put(key.second.With("__name__", key.first + "_count"), t, cumulative);
    }
    for (const auto& [labels, value] : gauges_) Put(labels, t, value);
  }

  std::vector<Series> series() const {
    std::vector<Series> out;
    for (const auto& [labels, samples] : series_) out.push_back({labels, samples, {}});
    return out;
  }

 private:
  static constexpr const char* kAttempt = "scheduler_e2e_scheduling_duration_seconds";
  static constexpr const char* kAlgorithm = "scheduler_scheduling_algorithm_duration_seconds";

  struct Child {
    std::vector<double> counts;
    double sum = 0;
  };

  static const std::vector<double>& Ladder(const std::string& family) {
    static const std::vector<double> ms15 = Powers(0.001, 15), ep12 = Powers(0.0001, 12);
    return family.find("extension_point") != std::string::npos ? ep12 : ms15;
  }
  static std::vector<double> Powers(double first, int n) {
    std::vector<double> bounds;
    for (int i = 0; i < n; ++i, first *= 2) bounds.push_back(first);
    return bounds;
  }
  void Put(const Labels& labels, TimeMs t, double value) { series_[labels].push_back({t, value}); }

  std::map<std::pair<std::string, Labels>, Child> children_;
  std::map<Labels, double> gauges_;
  std::map<Labels, std::vector<Sample>> series_;
};

/// Answers raw selectors `NAME{...}[w]` and `{__name__=~"..."}[w]` out of given series, of all
/// matchers heeding extension_point alone, and the release question by presence; no other PromQL.
class SelectorSource : public Source {
 public:
  explicit SelectorSource(std::vector<Series> series) : series_(std::move(series)) {
    for (const Series& s : series_) {
      for (const Sample& sample : s.samples) {
        extent_.start = extent_.end == 0 ? sample.t : std::min(extent_.start, sample.t);
        extent_.end = std::max(extent_.end, sample.t);
      }
    }
  }

  Answer Ask(const Query& query) override {
    Answer answer;
    asked.push_back(query.promql);
    std::string names, window;
    if (!RE2::PartialMatch(query.promql, "__name__=~\"([^\"]*)\"", &names)) {
      RE2::PartialMatch(query.promql, "^([a-z_]+)", &names);
    }
    const bool presence = query.promql.starts_with("count by");
    if (!presence && !RE2::PartialMatch(query.promql, "\\[([^\\]]*)\\]$", &window)) return answer;
    std::string point;
    RE2::PartialMatch(query.promql, "extension_point=\"([^\"]*)\"", &point);
    const TimeMs from = presence ? 0 : query.end - ParseDuration(window).value_or(0);
    const RE2 pattern(names);
    for (const Series& s : series_) {
      const std::string name(s.labels.Get("__name__"));
      if (!RE2::FullMatch(name, pattern)) continue;
      if (!point.empty() && s.labels.Get("extension_point") != point) continue;
      Series out{presence ? Labels({{"__name__", name}}) : s.labels, {}, {}};
      for (const Sample& sample : s.samples) {
        if (sample.t >= from && sample.t <= query.end) out.samples.push_back(sample);
      }
      if (!out.samples.empty()) answer.series.push_back(std::move(out));
    }
    return answer;
  }

  SourceInfo Describe() override {
    SourceInfo info;
    info.kind = "capture";
    info.name = "test";
    if (extent_.end > 0) info.extent = extent_;
    return info;
  }

  std::vector<std::string> asked;

 private:
  std::vector<Series> series_;
  TimeRange extent_;
};

/// The facts of a recorder's series over everything it scraped.
inline Facts FactsOf(const Recorder& recorder) {
  SelectorSource source(recorder.series());
  const TimeRange extent = source.Describe().extent.value_or(TimeRange{});
  return Collect(source, QuerySet::Embedded(), "", {extent.start - 1, extent.end});
}

}  // namespace schedlens::test
