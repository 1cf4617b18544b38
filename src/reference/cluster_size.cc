#include "reference/cluster_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/seconds.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr double kWorthSaying = 0.05;

Error UnknownSize(const char* key) {
  return Error(ErrorKind::kInsufficientData,
               fmt::format("--set {}: the window does not say how many nodes there are now "
                           "(scheduler_scheduler_cache_size{{type=\"nodes\"}})",
                           key));
}

/// Says what the work is computed of, once.
void SayWork(const LoopFit& loop, Changed* changed) {
  const auto said = [](const Message& message) { return message.id == "whatif.work"; };
  const auto& assumptions = changed->assumptions;
  const auto machine = loop.machine();
  if (!machine || std::any_of(assumptions.begin(), assumptions.end(), said)) return;
  changed->assumptions.push_back(Message("whatif.work", {{"release", std::string(loop.measured())},
                                                         {"factor", arg::Number(machine->likely)},
                                                         {"low", arg::Number(machine->low)},
                                                         {"high", arg::Number(machine->high)}}));
}

}  // namespace

std::optional<int> NodesOf(const Investigation& investigation) {
  const auto nodes = CacheSizeOf(investigation, "nodes");
  if (!nodes) return std::nullopt;
  return CutTo<int>(*nodes);
}

void MoveLoop(const LoopSetting& to, Changed* changed) {
  const LoopFit& loop = changed->likely.loop;
  if (!loop.known()) {
    changed->assumptions.emplace_back("whatif.work.unknown");
    return;
  }
  SayWork(loop, changed);
  for (const PointFit& fit : loop.points()) {
    const Growth growth = loop.Of(fit.point, to);
    if (fit.seconds <= 0) continue;
    changed->Scale({fit.point}, changed->cheapest ? growth.least : growth.likely, growth.most);
    changed->cheaper = changed->cheaper || growth.least < growth.likely;
    const auto same = [](double times) { return std::abs(times - 1) < kWorthSaying; };
    if (same(growth.likely) && same(growth.most) && same(growth.least)) continue;
    changed->assumptions.push_back(
        Message("whatif.work.point", {{"point", std::string(ToString(fit.name))},
                                      {"likely", arg::Number(growth.likely)},
                                      {"least", arg::Number(growth.least)},
                                      {"most", arg::Number(growth.most)}}));
  }
  for (Fitted* fitted : {&changed->likely, &changed->extreme}) fitted->loop.Move(to);
}

void ApplyClusterSize(const Change& change, Changed* changed) {
  const LoopFit& loop = changed->likely.loop;
  if (!loop.known()) throw UnknownSize("nodes");
  LoopSetting to = loop.setting();
  const int now = to.nodes;
  const double wanted = change.kind == ChangeKind::kMultiply ? now * change.value : change.value;
  to.nodes = static_cast<int>(std::clamp(std::round(wanted), 1.0, 1e6));
  to.pods *= static_cast<double>(to.nodes) / now;
  changed->assumptions.push_back(
      Message("whatif.nodes", {{"nodes", arg::Count(to.nodes)},
                               {"now", arg::Count(now)},
                               {"after", arg::Count(NodesLookedAt(to))},
                               {"before", arg::Count(NodesLookedAt(loop.setting()))}}));
  MoveLoop(to, changed);
}

void ApplyRunning(double factor, Changed* changed) {
  if (!changed->likely.loop.known()) throw UnknownSize("running");
  LoopSetting to = changed->likely.loop.setting();
  to.pods *= factor;
  MoveLoop(to, changed);
}

}  // namespace schedlens
