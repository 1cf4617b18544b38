#pragma once

// A kube-state-metrics written down: objects that are shown from one time to another, scraped every
// thirty seconds from 0 to 600. Seconds count from kStart.

#include <string>
#include <utility>
#include <vector>

#include "diagnose/control_plane/control_plane_facts.h"

namespace schedlens::testing_support {

inline constexpr double kStart = 1'700'000'000;
inline TimeMs At(double seconds) { return static_cast<TimeMs>((kStart + seconds) * 1000); }
inline TimeRange Range(double start, double end) { return {At(start), At(end)}; }

class StateMetrics {
 public:
  /// With `exported` the scrape has labels of the object's names, and the object's are renamed.
  explicit StateMetrics(bool exported = false, std::string instance = "ksm:8080")
      : exported_(exported), instance_(std::move(instance)) {
    for (int t = 0; t <= 600; t += 30) scrapes_.push_back(t);
  }

  /// A value of an object that is shown from `from` to `to`.
  void Show(const std::string& question, const std::string& metric,
            const std::vector<Labels::Pair>& labels, double value, double from = 0,
            double to = 600) {
    Series series{LabelsOf(metric, labels), {}, {}};
    for (const int t : scrapes_) {
      if (t >= from && t <= to) series.samples.push_back({At(t), value});
    }
    if (!series.samples.empty()) Add(question, std::move(series));
  }

  /// A value that changes.
  void Step(const std::string& metric, const std::vector<Labels::Pair>& labels, double before,
            double after, double at) {
    Series series{LabelsOf(metric, labels), {}, {}};
    for (const int t : scrapes_) series.samples.push_back({At(t), t < at ? before : after});
    Add("objects", std::move(series));
  }

  /// A pod of a ReplicaSet, scheduled `wait` seconds after its creation; negative: never.
  void Pod(const std::string& name_space, const std::string& name, const std::string& replicaset,
           double created, double wait, double gone = 600) {
    const std::vector<Labels::Pair> pod = {{"namespace", name_space}, {"pod", name}};
    Show("pods", "kube_pod_created", pod, kStart + created, created, gone);
    if (wait >= 0) {
      Show("pods", "kube_pod_status_scheduled_time", pod, kStart + created + wait, created + wait,
           gone);
    }
    if (replicaset.empty()) return;
    std::vector<Labels::Pair> owned = pod;
    owned.insert(owned.end(), {{"owner_kind", "ReplicaSet"},
                               {"owner_name", replicaset},
                               {"owner_is_controller", "true"}});
    Show("pods", "kube_pod_owner", owned, 1, created, gone);
  }

  void OwnReplicaSet(const std::string& name_space, const std::string& name,
                     const std::string& deployment) {
    Show("pods", "kube_replicaset_owner",
         {{"namespace", name_space},
          {"replicaset", name},
          {"owner_kind", "Deployment"},
          {"owner_name", deployment}},
         1);
  }

  ControlPlaneFacts Facts() const {
    ControlPlaneFacts facts = facts_;
    std::vector<TimeMs>& times = facts.scrapes[ProcessLabels(LabelsOf("up", {}))];
    for (const int t : scrapes_) times.push_back(At(t));
    return facts;
  }

 private:
  Labels LabelsOf(const std::string& metric, const std::vector<Labels::Pair>& object) const {
    std::vector<Labels::Pair> all = {
        {"__name__", metric}, {"job", "kube-state-metrics"}, {"instance", instance_}};
    const std::vector<Labels::Pair> scrape = {{"namespace", "monitoring"}, {"pod", "ksm-0"}};
    for (const auto& [name, value] : object) {
      const bool renamed = exported_ && (name == "namespace" || name == "pod");
      all.emplace_back(renamed ? "exported_" + name : name, value);
    }
    if (exported_) all.insert(all.end(), scrape.begin(), scrape.end());
    return Labels(all);
  }

  void Add(const std::string& question, Series series) {
    facts_.answers[question].push_back(std::move(series));
  }

  bool exported_;
  std::string instance_;
  std::vector<int> scrapes_;
  ControlPlaneFacts facts_;
};

}  // namespace schedlens::testing_support
