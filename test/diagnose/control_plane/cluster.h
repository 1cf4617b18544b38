#pragma once

// What API servers and etcd measured, counter by counter: for tests of what is made of it.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/control_plane/control_plane_facts.h"

namespace schedlens::test {

inline constexpr TimeRange kBefore = {100'000, 200'000};
inline constexpr TimeRange kNow = {300'000, 400'000};

/// Counters that grow evenly: by `before` in kBefore and by `now` in kNow, scraped every 10 s, five
/// seconds beside the windows' edges.
class Cluster {
 public:
  void Add(const std::string& question, const std::string& name,
           std::vector<std::pair<std::string, std::string>> labels, double before, double now,
           const std::string& job = "apiserver", const std::string& instance = "10.0.0.1:6443") {
    labels.emplace_back("__name__", name);
    labels.emplace_back("job", job);
    labels.emplace_back("instance", instance);
    Series series{Labels(std::move(labels)), {}, {}};
    std::vector<TimeMs> times;
    for (TimeMs t = 5'000; t <= 500'000; t += 10'000) {
      series.samples.push_back({t, Grown(kBefore, before, t) + Grown(kNow, now, t)});
      times.push_back(t);
    }
    facts_.scrapes[ProcessLabels(series.labels)] = times;
    facts_.answers[question].push_back(std::move(series));
  }
  /// A histogram's sum and count: of `before` and `now` seconds a call.
  void AddCalls(const std::string& question, const std::string& name,
                const std::vector<std::pair<std::string, std::string>>& labels, double calls,
                double before, double now, const std::string& job = "apiserver",
                const std::string& instance = "10.0.0.1:6443") {
    Add(question, name + "_sum", labels, calls * before, calls * now, job, instance);
    Add(question, name + "_count", labels, calls, calls, job, instance);
  }
  const ControlPlaneFacts& facts() const { return facts_; }

 private:
  static double Grown(const TimeRange& range, double by, TimeMs t) {
    const double part =
        static_cast<double>(t - range.start) / static_cast<double>(range.end - range.start);
    return by * std::clamp(part, 0.0, 1.0);
  }

  ControlPlaneFacts facts_;
};

}  // namespace schedlens::test
