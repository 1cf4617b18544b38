#include "report/stages_per_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contract/diagnosis.h"
#include "kube/words.h"
#include "report/format.h"
#include "report/stage_tree.h"

namespace schedlens {
namespace {

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
