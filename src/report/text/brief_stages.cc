#include "report/text/brief_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kube/words.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/text/plots.h"

namespace schedlens {
namespace {

constexpr double kWorthARow = 0.01;
constexpr double kWorthParts = 0.1;
/// Parts whose estimates do not add up to their whole are no picture of it.
constexpr double kAddsUp = 0.1;

double ScheduledPods(const Diagnosis& d) {
  for (const ResultRow& row : d.results) {
    if (row.result == ToString(kube::AttemptResult::kScheduled)) return row.count;
  }
  return 0;
}

/// What a second of the baseline is for the same number of scheduled pods: the excess of a stage is
/// its seconds less the baseline's times this.
std::optional<double> BaselineScale(const Diagnosis& d) {
  const StageTime* largest = nullptr;
  for (const StageTime& stage : d.stages) {
    if (!stage.excess || !stage.excess->value || !stage.seconds.value) continue;
    if (stage.baseline_seconds.value_or(0) <= 0) continue;
    if (!largest || *stage.baseline_seconds > *largest->baseline_seconds) largest = &stage;
  }
  if (!largest) return std::nullopt;
  return (*largest->seconds.value - *largest->excess->value) / *largest->baseline_seconds;
}

double Share(const StageTime& stage) { return stage.share.value.value_or(0); }

double Weight(const StageTime& stage) {
  return std::max(Share(stage), stage.baseline_share.value_or(0));
}

bool IsPlugin(const StageTime& stage) { return stage.id.find('/') == stage.parent.size(); }

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
  if (std::abs(sum - seconds) > kAddsUp * seconds) parts.clear();
  return parts;
}

std::string NameOf(const Diagnosis& d, const StageTime& stage) {
  constexpr std::string_view kRemainder = ".unmeasured";
  if (!stage.id.ends_with(kRemainder)) return stage.id;
  const std::string named = stage.parent + ".extender";
  const bool found = std::any_of(d.findings.begin(), d.findings.end(), [&](const Finding& finding) {
    return finding.id == named && finding.confidence != Confidence::kPossible;
  });
  return found ? named : stage.id;
}

std::string Milliseconds(double seconds) {
  const double ms = seconds * 1000;
  if (std::abs(ms) >= 1000) return Count(std::round(ms));
  if (std::abs(ms) < 0.005) return "0";
  return fmt::format("{:.{}f}", ms, std::abs(ms) >= 100 ? 0 : std::abs(ms) >= 10 ? 1 : 2);
}

}  // namespace

std::vector<StagePerPod> StagesPerPod(const Diagnosis& d, std::size_t most) {
  const double pods = ScheduledPods(d);
  if (!(pods > 0)) return {};
  std::vector<const StageTime*> rows;
  for (const StageTime& stage : d.stages) {
    if (stage.parent.empty() && Weight(stage) >= kWorthARow) rows.push_back(&stage);
  }
  for (std::size_t i = 0; i < rows.size();) {
    const auto parts =
        Share(*rows[i]) >= kWorthParts ? PartsOf(d, *rows[i]) : std::vector<const StageTime*>();
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
    StagePerPod row{NameOf(d, *stage), stage->seconds.value.value_or(0) / pods, {}};
    if (scale && stage->baseline_seconds) row.before = *stage->baseline_seconds * *scale / pods;
    out.push_back(std::move(row));
  }
  return out;
}

std::string BriefStages(const TextPage& page, const Diagnosis& d, std::size_t most) {
  constexpr int kBar = 18;
  const std::vector<StagePerPod> stages = StagesPerPod(d, most);
  if (stages.empty()) return "";
  double greatest = std::numeric_limits<double>::min();
  for (const StagePerPod& stage : stages) {
    greatest = std::max({greatest, stage.now, stage.before.value_or(0)});
  }
  std::vector<std::vector<Cell>> rows;
  for (const StagePerPod& stage : stages) {
    std::optional<double> mark;
    if (stage.before) mark = *stage.before / greatest;
    const bool grew = stage.before && stage.now > 1.5 * *stage.before;
    const double excess = stage.now - stage.before.value_or(0);
    const std::string sign = excess < 0 ? "" : "+";
    rows.push_back({{Shorten(Visible(stage.id), 60)},
                    {TextBar(stage.now / greatest, mark, kBar, page.terminal.ascii),
                     grew ? Ink::kBad : Ink::kAccent},
                    {stage.before ? Milliseconds(*stage.before) : "", Ink::kDim},
                    {Milliseconds(stage.now)},
                    {stage.before ? sign + Milliseconds(excess) : ""}});
  }
  return "\n" + Table(page.terminal,
                      {{page.t("brief.per_pod"), false, 0, 34},
                       {page.t(page.terminal.ascii ? "tree.now_before.ascii" : "tree.now_before")},
                       {page.t("report.before"), true},
                       {page.t("report.now"), true},
                       {page.t("report.excess"), true}},
                      rows);
}

}  // namespace schedlens
