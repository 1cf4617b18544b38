#ifndef SCHEDLENS_TEST_ANALYSIS_TAIL_TRUTH_H_
#define SCHEDLENS_TEST_ANALYSIS_TAIL_TRUTH_H_

// Attempts recorded over equal scrape intervals of 5 s, and what their slowest 1 % truly spent.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/recorder.h"

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
  }
  for (auto& [id, s] : seconds) s /= all;
  return seconds;
}

}  // namespace schedlens::test

#endif  // SCHEDLENS_TEST_ANALYSIS_TAIL_TRUTH_H_
