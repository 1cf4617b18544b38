#include "report/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "contract/diagnosis.h"
#include "kube/stage.h"
#include "kube/words.h"
#include "report/format.h"

namespace schedlens {
namespace {

StageLine LineOf(const Diagnosis& d, const StageTime& stage, int depth) {
  StageLine line{&stage, depth, StageName(d, stage), {}};
  const bool below = depth > 0 && !stage.parent.empty() && line.name.size() > stage.parent.size() &&
                     line.name.starts_with(stage.parent);
  line.label = below ? line.name.substr(stage.parent.size()) : line.name;
  return line;
}

/// Parts whose estimates do not add up to their whole are no picture of it.
constexpr double kAddsUp = 0.1;

/// Nothing where there are too few to divide by.
std::optional<double> ScheduledPods(const Diagnosis& d) {
  const double pods = CountOf(d, ToString(kube::AttemptResult::kScheduled));
  return pods > 1e-6 ? std::optional(pods) : std::nullopt;
}

/// What a second of the baseline is for the same number of scheduled pods: the excess of a stage is
/// its seconds less the baseline's times this.
std::optional<double> BaselineScale(const Diagnosis& d) {
  const StageTime* largest = nullptr;
  for (const StageTime& stage : d.stages) {
    if (!stage.excess || !stage.excess->value || !stage.seconds.value) continue;
    if (stage.baseline_seconds.value_or(0) < 1e-9) continue;
    if (!largest || *stage.baseline_seconds > *largest->baseline_seconds) largest = &stage;
  }
  if (!largest) return std::nullopt;
  return (*largest->seconds.value - *largest->excess->value) / *largest->baseline_seconds;
}

double Share(const StageTime& stage) { return stage.share.value.value_or(0); }

double Weight(const StageTime& stage) {
  return std::max(Share(stage), stage.baseline_share.value_or(0));
}

/// The parts that have a row of their own; empty where the stage is not to be taken apart.
std::vector<const StageTime*> PartsOf(const Diagnosis& d, const StageTime& whole) {
  std::vector<const StageTime*> parts;
  double sum = 0;
  for (const StageTime& stage : d.stages) {
    if (stage.parent != whole.id || IsPlugin(stage)) continue;
    sum += stage.seconds.value.value_or(0);
    if (Weight(stage) >= kWorthARow) parts.push_back(&stage);
  }
  const double seconds = whole.seconds.value.value_or(0);
  return std::abs(sum - seconds) > kAddsUp * seconds ? std::vector<const StageTime*>() : parts;
}

}  // namespace

std::string StageName(const Diagnosis& d, const StageTime& stage) {
  constexpr std::string_view kRemainder = ".unmeasured";
  if (stage.id != stage.parent + std::string(kRemainder)) return stage.id;
  const std::string named = stage.parent + ".extender";
  const bool found = std::any_of(d.findings.begin(), d.findings.end(), [&](const Finding& finding) {
    return finding.id == named && finding.confidence != Confidence::kPossible;
  });
  return found ? named : stage.id;
}

std::vector<StageLine> StageTree(const Diagnosis& d) {
  std::set<std::string> ids;
  for (const StageTime& stage : d.stages) ids.insert(stage.id);
  std::multimap<std::string, const StageTime*> children;
  std::vector<StageLine> pending;  // a stack: the next line is at its end
  for (const StageTime& stage : d.stages) {
    if (ids.count(stage.parent) > 0) {
      children.emplace(stage.parent, &stage);
    } else {
      pending.insert(pending.begin(), LineOf(d, stage, 0));
    }
  }
  std::vector<StageLine> lines;
  while (!pending.empty()) {
    lines.push_back(pending.back());
    pending.pop_back();
    const StageLine& line = lines.back();
    const auto [first, last] = children.equal_range(line.stage->id);
    for (auto it = last; it != first;) {
      --it;
      pending.push_back(LineOf(d, *it->second, line.depth + 1));
    }
  }
  return lines;
}

bool IsMinorPlugin(const StageTime& stage) {
  const bool plugin = stage.id.find('/') != std::string::npos;
  return plugin && stage.share.value.value_or(0) < 0.01 && stage.baseline_share.value_or(0) < 0.01;
}

bool IsIdle(const StageTime& stage) {
  const auto none = [](const std::optional<double>& seconds) { return !seconds || *seconds == 0; };
  return none(stage.seconds.value) && none(stage.baseline_seconds);
}

IdleStages IdleStagesOf(const Diagnosis& d) {
  IdleStages idle;
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    if (IsMinorPlugin(stage) || !IsIdle(stage)) continue;
    if (stage.seconds.value) {
      idle.without_time.push_back(stage.id);
    } else if (stage.id !=
               ToString(kube::Stage::kUnmeasured)) {  // it is a part of bind.unmeasured then
      idle.not_measured.push_back(stage.id);
    }
  }
  return idle;
}

std::vector<StagePerPod> StagesPerPod(const Diagnosis& d, std::size_t most) {
  const auto pods = ScheduledPods(d);
  if (!pods) return {};
  std::vector<const StageTime*> rows;
  for (const StageTime& stage : d.stages) {
    if (stage.parent.empty() && Weight(stage) >= kWorthARow) rows.push_back(&stage);
  }
  for (std::size_t i = 0; i < rows.size();) {
    std::vector<const StageTime*> parts;
    if (Share(*rows[i]) >= kWorthParts) parts = PartsOf(d, *rows[i]);
    if (parts.empty()) {
      ++i;
      continue;
    }
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(i), parts.begin(), parts.end());
  }
  while (rows.size() > most) {
    rows.erase(std::min_element(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
      return Share(*a) < Share(*b);
    }));
  }
  const auto scale = BaselineScale(d);
  std::vector<StagePerPod> out;
  for (const StageTime* stage : rows) {
    StagePerPod row{StageName(d, *stage), stage->seconds.value.value_or(0) / *pods, {}};
    if (scale && stage->baseline_seconds) row.before = *stage->baseline_seconds * *scale / *pods;
    out.push_back(std::move(row));
  }
  return out;
}

std::optional<StagePerPod> WholePerPod(const Diagnosis& d) {
  const auto pods = ScheduledPods(d);
  if (!pods) return std::nullopt;
  const auto scale = BaselineScale(d);
  StagePerPod whole;
  for (const StageTime& stage : d.stages) {
    if (!stage.parent.empty()) continue;
    whole.now += stage.seconds.value.value_or(0) / *pods;
    if (!scale || !stage.baseline_seconds) continue;
    whole.before = whole.before.value_or(0) + *stage.baseline_seconds * *scale / *pods;
  }
  return whole;
}

bool HasGrown(const StagePerPod& stage) { return stage.before && stage.now > 1.5 * *stage.before; }

std::string Milliseconds(double seconds) {
  const double ms = seconds * 1000;
  if (std::abs(ms) >= 1000) return Count(std::round(ms));
  if (std::abs(ms) < 0.005) return "0";
  return fmt::format("{:.{}f}", ms, std::abs(ms) >= 100 ? 0 : std::abs(ms) >= 10 ? 1 : 2);
}

}  // namespace schedlens
