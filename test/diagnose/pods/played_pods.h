#pragma once

// Pods' timelines drawn by chance, what a scheduler and kube-state-metrics show of them at scrapes,
// and who held them in truth. Seconds count from kStart.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/control_plane/state_metrics.h"
#include "diagnose/pods/holders.h"
#include "diagnose/recorder.h"

namespace schedlens::test {

/// How pods come and what becomes of them, for ten minutes.
struct PlayedPods {
  double rate = 1;                      ///< pods a second
  double burst = 0;                     ///< pods that come at once, at 250 s
  double algorithm = 0.05, bind = 0.1;  ///< mean seconds
  double rejected = 0;                  ///< share of attempts that end without a node
  double postfilter = 0;                ///< mean seconds of those after the algorithm
  double gated = 0;                     ///< share of pods that are created behind a gate
  double down_from = 0, down_to = 0;    ///< nobody schedules, and nothing is scraped
  bool halted = false;                  ///< the same process goes on then; else it starts anew
};

class Playing {
 public:
  Playing(const PlayedPods& how, unsigned seed) : how_(how), random_(seed) {
    Arrive();
    while (!waiting_.empty()) {
      const Waiting next = waiting_.top();
      waiting_.pop();
      Attempt(next);
    }
  }

  /// Pod-seconds between two times.
  double Truth(Holder holder, double from, double to) const {
    double seconds = 0;
    for (const Held& one : held_) {
      if (one.holder != holder) continue;
      seconds += std::max(0.0, std::min(one.to, to) - std::max(one.from, from));
    }
    return seconds;
  }

  /// Of the queue's, while the loop ran the algorithm for some pod.
  double TruthOfLoop(double from, double to) const {
    double seconds = 0;
    for (const Held& one : held_) {
      if (one.holder != Holder::kQueue || !one.in_queue) continue;
      const double start = std::max(one.from, from), end = std::min(one.to, to);
      auto run = std::ranges::lower_bound(loop_, start, {}, &std::pair<double, double>::second);
      for (; run != loop_.end() && run->first < end; ++run) {
        seconds += std::max(0.0, std::min(run->second, end) - std::max(run->first, start));
      }
    }
    return seconds;
  }

  /// Scraped every so many seconds.
  Facts Record(double every) const {
    auto events = events_;
    if (how_.down_to > 0 && !how_.halted) {
      events.emplace_back(how_.down_to - 1e-6, [this](Recorder& r) {
        r.Restart(At(how_.down_to));
        Begin(r);
      });
    }
    std::ranges::stable_sort(events, {}, &Event::first);
    Recorder r;
    r.Set("process_start_time_seconds", {}, testing_support::kStart - 1000);
    Begin(r);
    auto next = events.begin();
    for (double t = 0; t <= kEnd; t += every) {
      for (; next != events.end() && next->first <= t; ++next) next->second(r);
      if (IsAway(t)) continue;
      for (const auto& [holder, name] : Gauges()) {
        r.Set("scheduler_pending_pods", {{"queue", name}}, Standing(holder, t));
      }
      r.Set("scheduler_goroutines", {{"operation", "binding"}}, Binding(t));
      r.Scrape(At(t));
    }
    return FactsOf(r);
  }

  /// Of kube-state-metrics, in whole seconds.
  ControlPlaneFacts Pods() const {
    testing_support::StateMetrics ksm;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const Pod& pod = pods_[i];
      const std::vector<Labels::Pair> name = {{"namespace", "shop"},
                                              {"pod", "pod-" + std::to_string(i)}};
      const auto show = [&](const char* metric, double at) {
        ksm.Show("pods", metric, name, testing_support::kStart + std::floor(at), at);
      };
      show("kube_pod_created", pod.created);
      if (pod.bound < kEnd) show("kube_pod_status_scheduled_time", pod.bound);
    }
    return ksm.Facts();
  }

 private:
  static constexpr double kEnd = 600;
  static TimeMs At(double seconds) { return testing_support::At(seconds); }

  struct Pod {
    double created = 0, entered = 0;
    double bound = std::numeric_limits<double>::infinity();
    int tries = 0;
  };
  struct Held {
    Holder holder;
    double from, to;
    bool in_queue;  ///< a queue's gauge counts it
  };
  struct Waiting {
    double since = 0;
    std::size_t pod = 0;
    bool operator<(const Waiting& other) const { return since > other.since; }
  };
  using Event = std::pair<double, std::function<void(Recorder&)>>;

  static std::array<std::pair<Holder, const char*>, 4> Gauges() {
    return {{{Holder::kQueue, "active"},
             {Holder::kBackoff, "backoff"},
             {Holder::kUnschedulable, "unschedulable"},
             {Holder::kGate, "gated"}}};
  }

  static void Count(Recorder& r, const char* queue, const char* event, double pods) {
    r.Add("scheduler_queue_incoming_pods_total", {{"queue", queue}, {"event", event}}, pods);
  }
  static void Begin(Recorder& r) {
    Count(r, "active", "PodAdd", 0);
    Count(r, "active", "BackoffComplete", 0);
    Count(r, "active", "NodeAdd", 0);
    Count(r, "unschedulable", "ScheduleAttemptFailure", 0);
    Count(r, "backoff", "NodeAdd", 0);
  }

  double Drawn(double mean) { return std::exponential_distribution<double>(1 / mean)(random_); }
  double Unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  void Arrive() {
    for (double t = Drawn(1 / how_.rate); t < kEnd; t += Drawn(1 / how_.rate)) Create(t);
    for (int i = 0; i < how_.burst; ++i) Create(250 + 0.01 * i);
  }

  void Create(double at) {
    const std::size_t number = pods_.size();
    Pod& pod = pods_.emplace_back();
    pod.created = at;
    pod.entered = at + 0.002 + 0.01 * Unit();
    if (how_.halted && IsAway(pod.entered)) {
      pod.entered = how_.down_to;
      Hold(Holder::kNobody, at, pod.entered, false);
    } else {
      Hold(Holder::kQueue, at, pod.entered, false);
    }
    if (Unit() < how_.gated) {
      const double until = pod.entered + 20 + Drawn(60);
      Hold(Holder::kGate, pod.entered, until);
      Enter("gated", "PodAdd", pod.entered);
      pod.entered = until;
      Enter("active", "UnschedulablePodUpdatePodSchedulingGatesEliminated", until);
    } else {
      Enter("active", "PodAdd", pod.entered);
    }
    waiting_.push({pod.entered, number});
  }

  void Hold(Holder holder, double from, double to, bool in_queue = true) {
    held_.push_back({holder, from, to, in_queue});
  }
  void Enter(const char* queue, const char* event, double at) {
    events_.emplace_back(at, [=](Recorder& r) { Count(r, queue, event, 1); });
  }

  /// The process ends while it has the pod: its next one finds it anew.
  void StayUntilBack(const Waiting& one, double since) {
    Hold(Holder::kNobody, std::max(since, how_.down_from), how_.down_to);
    Enter("active", "PodAdd", how_.down_to);
    pods_[one.pod].entered = how_.down_to;
    pods_[one.pod].tries = 0;
    waiting_.push({how_.down_to, one.pod});
  }

  bool IsAway(double at) const { return how_.down_from <= at && at < how_.down_to; }
  bool GoesDown(double from, double to) const {
    return how_.down_to > 0 && !how_.halted && from < how_.down_to && to >= how_.down_from;
  }

  void Attempt(const Waiting& one) {
    double start = std::max(one.since, free_);
    if (how_.halted && IsAway(start)) start = how_.down_to;
    if (GoesDown(one.since, start)) {
      if (one.since < how_.down_from) Hold(Holder::kQueue, one.since, how_.down_from);
      return StayUntilBack(one, one.since);
    }
    Hold(Holder::kQueue, one.since, start);
    double algorithm = Drawn(how_.algorithm), bind = Drawn(how_.bind);
    const bool fits = Unit() >= how_.rejected;
    if (!fits) bind = 0;
    const double postfilter = fits || how_.postfilter <= 0 ? 0 : Drawn(how_.postfilter);
    double held_until =
        start + algorithm + postfilter + 0.75 * bind;  // it is bound before that is heard
    if (how_.halted && start < how_.down_from &&
        start + algorithm + postfilter + bind > how_.down_from) {
      const double pause = how_.down_to - how_.down_from;
      if (held_until > how_.down_from) held_until += pause;
      (start + algorithm > how_.down_from ? algorithm : bind) += pause;
    }
    const double end = start + algorithm + postfilter + bind;
    free_ = start + algorithm + postfilter;
    loop_.emplace_back(start, start + algorithm);
    if (GoesDown(start, end)) {
      Hold(Holder::kAttempt, start, how_.down_from, false);
      free_ = how_.down_to;
      return StayUntilBack(one, how_.down_from);
    }
    Hold(Holder::kAttempt, start, held_until, false);
    Pod& pod = pods_[one.pod];
    ++pod.tries;
    if (!fits) return Reject(one, algorithm, postfilter, end);
    pod.bound = held_until;
    binding_.emplace_back(start + algorithm, end);
    const double waited = end - pod.entered;
    const std::string tries = pod.tries < 16 ? std::to_string(pod.tries) : "16+";
    events_.emplace_back(end, [=](Recorder& r) {
      r.Run({.prefilter = 0,
             .filter = algorithm,
             .prescore = 0,
             .score = 0,
             .unmeasured = 0,
             .prebind = 0,
             .bind = bind,
             .rest = 0});
      r.Observe("scheduler_pod_scheduling_sli_duration_seconds", {{"attempts", tries}}, waited);
    });
  }

  /// Until something happens in the cluster, and its back-off is over.
  void Reject(const Waiting& one, double algorithm, double postfilter, double at) {
    events_.emplace_back(at, [=](Recorder& r) {
      r.Run({.result = "unschedulable",
             .prefilter = 0,
             .filter = algorithm,
             .prescore = 0,
             .score = 0,
             .unmeasured = 0,
             .postfilter = postfilter});
    });
    const double woken = at + Drawn(12);
    const double ready = at + std::min(10.0, std::pow(2.0, pods_[one.pod].tries - 1));
    Hold(Holder::kUnschedulable, at, woken);
    Enter("unschedulable", "ScheduleAttemptFailure", at);
    if (woken < ready) {
      Hold(Holder::kBackoff, woken, ready);
      Enter("backoff", "NodeAdd", woken);
    }
    Enter("active", woken < ready ? "BackoffComplete" : "NodeAdd", std::max(woken, ready));
    waiting_.push({std::max(woken, ready), one.pod});
  }

  double Standing(Holder holder, double t) const {
    return static_cast<double>(std::ranges::count_if(held_, [&](const Held& one) {
      return one.in_queue && one.holder == holder && one.from <= t && t < one.to;
    }));
  }
  double Binding(double t) const {
    return static_cast<double>(std::ranges::count_if(
        binding_, [&](const auto& one) { return one.first <= t && t < one.second; }));
  }

  PlayedPods how_;
  std::mt19937 random_;
  std::vector<Pod> pods_;
  std::priority_queue<Waiting> waiting_;
  double free_ = 0;  ///< from when on the loop takes the next pod
  std::vector<Held> held_;
  std::vector<std::pair<double, double>> loop_;  ///< runs of the algorithm, in order
  std::vector<std::pair<double, double>> binding_;
  std::vector<Event> events_;
};

}  // namespace schedlens::test
