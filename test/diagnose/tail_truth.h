#pragma once

// Attempts recorded over equal scrape intervals of 5 s, and what their slowest 1 % truly spent.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/recorder.h"

namespace schedlens::test {

/// One attempt before the first scrape, then the attempts spread evenly over `scrapes` intervals.
inline void RecordEvenly(Recorder* r, const std::vector<Attempt>& attempts, int scrapes) {
  r->Run({});
  r->Scrape(0);
  const std::size_t each = attempts.size() / static_cast<std::size_t>(scrapes);
  for (int s = 0; s < scrapes; ++s) {
    for (std::size_t i = 0; i < each; ++i) r->Run(attempts[static_cast<std::size_t>(s) * each + i]);
    r->Scrape(5000 * (s + 1));
  }
}

/// An attempt and when it began, in seconds.
struct TimedAttempt {
  double start = 0;
  Attempt attempt;
  double end() const { return start + attempt.e2e(); }
};

/// The attempts as time goes by, scraped every 5 s from 0 to `until`: a scrape finds some of them
/// between two stages.
inline void RecordInTime(Recorder* r, const std::vector<TimedAttempt>& attempts, double until) {
  std::vector<std::pair<double, std::function<void()>>> events;
  for (const TimedAttempt& timed : attempts) {
    const Attempt& a = timed.attempt;
    const bool ends_early = a.result != "scheduled";
    double t = timed.start + a.algorithm() + a.postfilter;
    events.emplace_back(t, [r, &a] { r->RunAlgorithm(a); });
    if (!ends_early) {
      events.emplace_back(t += a.rest + a.permit_wait, [r, &a] { r->RunPermitWait(a); });
      events.emplace_back(t += a.prebind, [r, &a] { r->RunPreBind(a); });
    }
    events.emplace_back(timed.end(), [r, &a] { r->End(a); });
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  auto event = events.begin();
  for (double t = 0; t <= until; t += 5) {
    for (; event != events.end() && event->first <= t; ++event) event->second();
    r->Scrape(static_cast<TimeMs>(1000 * t));
  }
}

/// True shares of the slowest 1 %, by stage id.
inline std::map<std::string, double> TailTruth(std::vector<Attempt> attempts) {
  std::sort(attempts.begin(), attempts.end(),
            [](const Attempt& a, const Attempt& b) { return a.e2e() > b.e2e(); });
  attempts.resize((attempts.size() + 99) / 100);
  double all = 0;
  std::map<std::string, double> seconds;
  for (const Attempt& a : attempts) {
    all += a.e2e();
    seconds["algorithm"] += a.algorithm();
    seconds["algorithm.filter"] += a.filter;
    seconds["algorithm.unmeasured"] += a.unmeasured;
    seconds["postfilter"] += a.postfilter;
    if (a.result != "scheduled") continue;
    seconds["bind"] += a.extender_bind > 0 ? a.extender_bind : a.bind;
    seconds["prebind"] += a.prebind;
    seconds["permit-wait"] += a.permit_wait;
  }
  for (auto& [id, s] : seconds) s /= all;
  return seconds;
}

}  // namespace schedlens::test
