#include "reference/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kube/stage.h"
#include "model/nearest.h"
#include "model/text.h"
#include "reference/cluster_size.h"
#include "reference/configuration_change.h"
#include "reference/roll_out.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::Cost;

/// What a key stands for, and the values that make sense for it.
struct KeyRow {
  std::string_view key{};
  std::vector<Cost> costs{};                 ///< of a stage
  double sim::Scenario::*setting = nullptr;  ///< of the API client
  double least = 0, most = 3600;             ///< of KEY=VALUE
  std::string_view unit = "seconds";
  std::string_view meaning{};
};

const std::vector<KeyRow>& Rows() {
  static const std::vector<KeyRow> rows = {
      {.key = ToString(kube::Stage::kAlgorithm),
       .costs = {Cost::kPreFilter, Cost::kFilter, Cost::kPreScore, Cost::kScore, Cost::kSnapshot},
       .meaning = "every part of the algorithm, seconds an attempt each"},
      {.key = ToString(kube::Stage::kPreFilter),
       .costs = {Cost::kPreFilter},
       .meaning = "PreFilter, seconds an attempt"},
      {.key = ToString(kube::Stage::kFilter),
       .costs = {Cost::kFilter},
       .meaning = "Filter, seconds an attempt"},
      {.key = ToString(kube::Stage::kPreScore),
       .costs = {Cost::kPreScore},
       .meaning = "PreScore, seconds an attempt"},
      {.key = ToString(kube::Stage::kScore),
       .costs = {Cost::kScore},
       .meaning = "Score, seconds an attempt"},
      {.key = ToString(kube::Stage::kAlgorithmUnmeasured),
       .costs = {Cost::kSnapshot},
       .meaning = "the algorithm outside its extension points (extenders), seconds an attempt"},
      {.key = ToString(kube::Stage::kReserve),
       .costs = {Cost::kReserveWait},
       .meaning = "Reserve, seconds an attempt"},
      {.key = ToString(kube::Stage::kPermitWait),
       .costs = {Cost::kPermitWait},
       .meaning = "waiting on Permit, seconds an attempt"},
      {.key = ToString(kube::Stage::kPreBind),
       .costs = {Cost::kPreBind, Cost::kPreBindWait},
       .meaning = "PreBind, seconds an attempt"},
      {.key = ToString(kube::Stage::kBindRequest),
       .costs = {Cost::kBindApi},
       .meaning = "the API server's part of a bind, seconds"},
      {.key = "bind.extender", .costs = {Cost::kExtBind}, .meaning = "an extender's bind, seconds"},
      {.key = "client.qps",
       .setting = &sim::Scenario::qps,
       .least = 0.01,
       .most = 1e5,
       .unit = "requests a second",
       .meaning = "clientConnection.qps, requests a second"},
      {.key = "client.burst",
       .setting = &sim::Scenario::client_burst,
       .least = 1,
       .most = 1e6,
       .unit = "requests",
       .meaning = "clientConnection.burst, requests"},
      {.key = "rate",
       .least = 0.001,
       .most = 1e4,
       .unit = "pods a second",
       .meaning = "pods a second"},
      {.key = "nodes", .least = 1, .most = 100'000, .unit = "nodes", .meaning = "cluster size"},
      {.key = "config", .meaning = "a KubeSchedulerConfiguration in a file"},
  };
  return rows;
}

constexpr double kMostFactor = 1000;

const KeyRow* RowOf(const std::string& key) {
  for (const KeyRow& row : Rows()) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

/// Changes what a step costs in the window, for every class of attempts.
void SetCost(const Change& change, Cost cost, Fitted* fitted) {
  sim::Conditions& now = fitted->scenario.segments.back().conditions;
  const sim::Conditions& before = fitted->scenario.segments.front().conditions;
  const auto changed = [&](const sim::StepCost& step, const sim::StepCost& quiet) {
    sim::StepCost out;
    out.wall = change.kind == ChangeKind::kBaseline   ? quiet.wall
               : change.kind == ChangeKind::kMultiply ? step.wall.Scaled(change.value)
                                                      : sim::Distribution::Constant(change.value);
    return out;
  };
  now.costs[cost] = changed(now.costs[cost], before.costs[cost]);
  for (sim::CostOverrides& overrides : now.template_costs) {
    for (auto& [which, step] : overrides) {
      if (which == cost) step = changed(step, before.costs[cost]);
    }
  }
}

void ApplyToStage(const Change& change, const KeyRow& row, Changed* changed) {
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    for (const Cost cost : row.costs) SetCost(change, cost, fitted);
  }
  if (change.key == "bind.extender" && changed->likely.scenario.extenders.empty()) {
    changed->assumptions.emplace_back("whatif.no_extender");
  }
}

void ApplyToRate(const Change& change, Changed* changed) {
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    double& rate = fitted->scenario.segments.back().conditions.rate;
    rate = change.kind == ChangeKind::kBaseline   ? fitted->rates.front()
           : change.kind == ChangeKind::kMultiply ? rate * change.value
                                                  : change.value;
  }
  changed->assumptions.emplace_back("whatif.rate");
}

void ApplyToSetting(const Change& change, const KeyRow& row, const Investigation& investigation,
                    Changed* changed) {
  const bool limited = changed->likely.limited;
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) {
    double& setting = fitted->scenario.*row.setting;
    setting = change.kind == ChangeKind::kMultiply ? setting * change.value : change.value;
  }
  changed->assumptions.push_back(
      limited ? Message("whatif.limit",
                        {{"rate", arg::Number(investigation.evidence->dispersion->rate)}})
              : Message("whatif.limit.none"));
  if (FollowRollOut(investigation, changed)) return;
  changed->assumptions.emplace_back("whatif.limit.arrivals");
}

}  // namespace

std::vector<ChangeKey> ChangeKeys() {
  std::vector<ChangeKey> keys;
  for (const KeyRow& row : Rows()) keys.push_back({std::string(row.key), std::string(row.meaning)});
  return keys;
}

Change ParseChange(const std::string& text) {
  const auto fail = [&](const std::string& why) {
    return Error(ErrorKind::kUsage, fmt::format("--set {}: {}", text, why));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw fail("expected KEY=VALUE or KEY*=FACTOR");
  Change change;
  change.key = text.substr(0, equals);
  if (change.key.ends_with('*')) {
    change.kind = ChangeKind::kMultiply;
    change.key.pop_back();
  }
  const KeyRow* row = RowOf(change.key);
  if (row == nullptr) {
    std::vector<std::string> known;
    for (const KeyRow& other : Rows()) known.emplace_back(other.key);
    throw fail(fmt::format("unknown key; did you mean {}?", Nearest(change.key, known)));
  }
  const std::string value = text.substr(equals + 1);
  const bool multiply = change.kind == ChangeKind::kMultiply;
  if (change.key == "config") {
    if (multiply || value.empty()) throw fail("expected config=FILE");
    change.kind = ChangeKind::kFile;
    change.file = value;
    return change;
  }
  if (!multiply && value == "baseline") {
    if (row->costs.empty() && change.key != "rate") throw fail("only stages and rate have one");
    change.kind = ChangeKind::kBaseline;
    return change;
  }
  const auto number = ParseNumber(value);
  if (!number || !std::isfinite(*number) || *number < 0) throw fail("the value is no number >= 0");
  change.value = *number;
  if (multiply && change.value > kMostFactor) {
    throw fail(fmt::format("a factor over {} is no question", kMostFactor));
  }
  if (multiply && change.value == 0 && row->costs.empty()) throw fail("must be over 0");
  if (!multiply && (change.value < row->least || change.value > row->most)) {
    throw fail(fmt::format("must lie in {} to {} {}", FormatNumber(row->least),
                           FormatNumber(row->most), row->unit));
  }
  if (!multiply && change.key == "nodes" && change.value != std::floor(change.value)) {
    throw fail("is no whole number of nodes");
  }
  return change;
}

void Changed::Scale(const std::vector<Cost>& costs, double likely_factor, double extreme_factor) {
  for (const Cost cost : costs) {
    SetCost({"", ChangeKind::kMultiply, likely_factor, "", ""}, cost, &likely);
    SetCost({"", ChangeKind::kMultiply, extreme_factor, "", ""}, cost, &extreme);
  }
  differ = differ || likely_factor != extreme_factor;
}

void Apply(const Change& change, const Investigation& investigation, Changed* changed) {
  if (change.kind == ChangeKind::kBaseline && !changed->likely.has_baseline) {
    throw Error(ErrorKind::kInsufficientData,
                fmt::format("--set {}=baseline: there is no baseline; give one with --baseline",
                            change.key));
  }
  const KeyRow& row = *RowOf(change.key);
  if (!row.costs.empty()) {
    ApplyToStage(change, row, changed);
  } else if (row.setting != nullptr) {
    ApplyToSetting(change, row, investigation, changed);
  } else if (change.key == "rate") {
    ApplyToRate(change, changed);
  } else if (change.key == "nodes") {
    ApplyClusterSize(change, investigation, changed);
  } else {
    ApplyConfiguration(change, investigation, changed);
  }
}

}  // namespace schedlens
