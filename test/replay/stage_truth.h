#pragma once

// What the attempts of a window truly spent, stage by stage in the diagnosis's own ids: from the
// simulator's records, or from the truth kept beside a recording.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "replay/readings.h"
#include "scheduler/engine/simulation.h"

namespace schedlens::test {

/// Seconds by stage id, and those that no stage has alone; `throttle` is part of `bind`.
struct StageSeconds {
  std::map<std::string, double> by_stage;
  double extender_bind = 0, finish = 0, throttle = 0, all = 0;

  void Add(const sim::AttemptRecord& a) {
    const auto s = [&](sim::AttemptStage stage) { return sim::ToSeconds(a[stage]); };
    by_stage["algorithm"] += sim::ToSeconds(a.algorithm);
    by_stage["algorithm.prefilter"] += s(sim::AttemptStage::kPreFilter);
    by_stage["algorithm.filter"] += s(sim::AttemptStage::kFilter);
    by_stage["algorithm.prescore"] += s(sim::AttemptStage::kPreScore);
    by_stage["algorithm.score"] += s(sim::AttemptStage::kScore);
    by_stage["postfilter"] += s(sim::AttemptStage::kPostFilter);
    by_stage["reserve"] += s(sim::AttemptStage::kReserve);
    by_stage["permit"] += s(sim::AttemptStage::kPermit);
    by_stage["permit-wait"] += s(sim::AttemptStage::kPermitWait);
    by_stage["prebind"] += s(sim::AttemptStage::kPreBind);
    by_stage["bind"] += s(sim::AttemptStage::kBind);
    extender_bind += s(sim::AttemptStage::kExtBind);
    finish += s(sim::AttemptStage::kFinish);
    throttle += sim::ToSeconds(a.throttle);
    all += sim::ToSeconds(a.e2e);
  }

  /// Shares of the whole. `separate`: binding_duration (<= 1.20) tells FinishBinding from the rest;
  /// else there is one remainder, which is bind's where extenders bind.
  std::map<std::string, double> Shares(bool separate, bool remainder_is_bind) const {
    std::map<std::string, double> shares = by_stage;
    double rest = all - extender_bind - finish;
    for (const char* id :
         {"algorithm", "postfilter", "reserve", "permit", "permit-wait", "prebind", "bind"}) {
      rest -= by_stage.at(id);
    }
    const bool whole_is_bind = !separate && remainder_is_bind;
    if (separate || whole_is_bind) shares["bind"] += extender_bind + finish;
    if (whole_is_bind) shares["bind"] += rest;
    if (separate) shares["unmeasured"] = rest;
    if (!separate && !whole_is_bind) shares["unmeasured"] = rest + extender_bind + finish;
    for (auto& [id, share] : shares) share /= all;
    return shares;
  }
};

struct WindowTruth {
  StageSeconds all, slowest;           ///< every attempt; the slowest 1 %, at least one
  std::vector<double> scheduled;       ///< e2e seconds, ascending; empty for a recording
  std::map<double, double> quantiles;  ///< of e2e{scheduled}, by q
};

inline constexpr double kTruthQuantiles[] = {0.5, 0.9, 0.99, 0.999};

/// Of the attempts that ended in the window and not in `lost` (wall-clock, ends inclusive): what a
/// process counted after its last scrape dies with it.
inline WindowTruth TruthOf(const sim::SimulationResult& run, const TimeRange& window,
                           const std::vector<TimeRange>& lost = {}) {
  WindowTruth truth;
  std::vector<const sim::AttemptRecord*> inside;
  for (const sim::AttemptRecord& a : run.attempts) {
    const double end = static_cast<double>(run.start_time) + 1e3 * sim::ToSeconds(a.start + a.e2e);
    const auto holds = [&](const TimeRange& range) {
      return end > static_cast<double>(range.start) && end <= static_cast<double>(range.end);
    };
    if (!holds(window) || std::any_of(lost.begin(), lost.end(), holds)) continue;
    inside.push_back(&a);
    truth.all.Add(a);
    if (a.result == sim::AttemptResult::kScheduled) {
      truth.scheduled.push_back(sim::ToSeconds(a.e2e));
    }
  }
  std::sort(
      inside.begin(), inside.end(),
      [](const sim::AttemptRecord* a, const sim::AttemptRecord* b) { return a->e2e > b->e2e; });
  inside.resize((inside.size() + 99) / 100);
  for (const sim::AttemptRecord* a : inside) truth.slowest.Add(*a);
  std::sort(truth.scheduled.begin(), truth.scheduled.end());
  if (!truth.scheduled.empty()) {
    for (const double q : kTruthQuantiles) truth.quantiles[q] = NearestRank(truth.scheduled, q);
  }
  return truth;
}

/// One row of `stages` of a recording's truth.
inline StageSeconds RecordedSeconds(const nlohmann::json& row) {
  StageSeconds seconds;
  const nlohmann::json& s = row.at("seconds");
  for (const char* id :
       {"algorithm", "algorithm.prefilter", "algorithm.filter", "algorithm.prescore",
        "algorithm.score", "postfilter", "reserve", "permit", "prebind"}) {
    seconds.by_stage[id] = s.at(id);
  }
  seconds.by_stage["permit-wait"] = s.at("wait_on_permit");
  seconds.extender_bind = s.at("bind.extender");
  seconds.by_stage["bind"] = s.at("bind").get<double>() - seconds.extender_bind;
  seconds.all = row.at("e2e_seconds");
  return seconds;
}

/// Of the incident of a recording: `truth` is its file, `quantiles` the rows of
/// exact_quantiles.json.
inline WindowTruth RecordedTruth(const std::string& name, const nlohmann::json& truth,
                                 const nlohmann::json& quantiles) {
  WindowTruth window;
  window.all = RecordedSeconds(truth.at("stages").at("all"));
  window.slowest = RecordedSeconds(truth.at("stages").at("slowest_1pct"));
  for (const nlohmann::json& row : quantiles) {
    const std::string metric = row.at("metric");
    if (row.at("recording") != name || row.at("selector") != "result=\"scheduled\"" ||
        row.at("end") != truth.at("window").at("incident_scrapes").at(1)) {
      continue;
    }
    window.quantiles = {
        {0.5, row.at("p50")}, {0.9, row.at("p90")}, {0.99, row.at("p99")}, {0.999, row.at("p999")}};
  }
  return window;
}

}  // namespace schedlens::test
