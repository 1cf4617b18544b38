// The cases of an inversion that lie in what was counted: bounds, processes, attempts, sums.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/collect/targets.h"
#include "analysis/compare/walk.h"
#include "kube/labels.h"

namespace schedlens {
namespace {

template <typename Keep>
std::vector<ScrapeIncreases> Filter(const Side& side, Keep keep) {
  std::vector<ScrapeIncreases> kept;
  for (const ScrapeIncreases& child : side.group->children) {
    if (keep(child)) kept.push_back(child);
  }
  return kept;
}

std::string OtherResults(const Side& side) {
  std::map<std::string, double> by_result;
  for (const ScrapeIncreases& child : side.group->children) {
    const std::string result(child.labels.Get("result"));
    if (!result.empty() && !kube::IsScheduled(child.labels)) by_result[result] += TotalCount(child);
  }
  std::string text;
  for (const auto& [result, n] : by_result) {
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", CountText(n), result);
  }
  return text;
}

constexpr char kInOrder[] = "exact increases of both are in order";

}  // namespace

std::vector<ScrapeIncreases> BoundChildren(const Side& side) {
  return Filter(side, [](const ScrapeIncreases& child) { return kube::IsScheduled(child.labels); });
}

double MostInPartOnly(const Side& part, const Side& whole,
                      std::span<const ScrapeIncreases> whole_children) {
  double most = 0;
  for (const double bound : CommonFiniteBounds(part, whole)) {
    most = std::max(most, part.Above(bound) - CountAbove(whole_children, bound).low);
  }
  return most;
}

Judged JudgeLayouts(const Walk& w) {
  if (w.part.one_layout && w.whole.one_layout && w.part.bounds == w.whole.bounds) {
    return {CaseOutcome::kExcluded, "both histograms have the same bounds"};
  }
  if (SaturationExplains(w)) {
    return {CaseOutcome::kExcluded, "the bounds differ, and one of the two is at its highest one"};
  }
  if (ProvenApart(w)) {
    return {CaseOutcome::kExcluded,
            "the bounds differ, but the proven intervals do not overlap: the order is real"};
  }
  const Interval& a = w.out.part.proven.proof.interval;
  const Interval& b = w.out.whole.proven.proof.interval;
  if (a.high && b.low && *a.high <= *b.low) {
    return {CaseOutcome::kProven,
            fmt::format("interpolation error: the bounds differ, each number is interpolated in a "
                        "bucket of its own, and the truth is the other way round ({:.4g} .. {:.4g} "
                        "s and {:.4g} .. {} s)",
                        a.low.value_or(0), *a.high, *b.low,
                        b.high ? fmt::format("{:.4g}", *b.high) : "unknown")};
  }
  return {CaseOutcome::kProven,
          "the two histograms have different bounds and their proven intervals overlap: no order "
          "was observed, each number is interpolated in a bucket of its own"};
}

Judged JudgeLabels(const Walk& w) {
  if (!InvertedAtOneQuantile(w)) return {CaseOutcome::kExcluded, kInOrder};
  std::set<Labels> in_part, in_whole;
  for (const ScrapeIncreases& child : w.part.group->children)
    in_part.insert(ProcessOf(child.labels));
  for (const ScrapeIncreases& child : w.whole.group->children)
    in_whole.insert(ProcessOf(child.labels));
  if (in_part == in_whole) {
    return {CaseOutcome::kExcluded,
            in_part.size() == 1
                ? "both come from the same process"
                : fmt::format("both come from the same {} processes", in_part.size())};
  }
  const auto common = [&](const ScrapeIncreases& child) {
    return in_part.count(ProcessOf(child.labels)) > 0 &&
           in_whole.count(ProcessOf(child.labels)) > 0;
  };
  const std::vector<ScrapeIncreases> part = Filter(w.part, common);
  const std::vector<ScrapeIncreases> whole = Filter(w.whole, common);
  if (StillInverted(part, whole, w)) {
    return {CaseOutcome::kExcluded,
            "the selectors take different processes, but the inversion is in the common ones too"};
  }
  const std::string without =
      part.empty() ? "they have none in common"
                   : fmt::format("over the common ones {} reads {:.4g} s and {} {:.4g} s",
                                 PartName(w), ShownOf(part, w), WholeName(w), ShownOf(whole, w));
  return {CaseOutcome::kProven,
          fmt::format("the selectors take different processes ({} and {}); {}", in_part.size(),
                      in_whole.size(), without)};
}

Judged JudgePopulation(const Walk& w) {
  const Aligned aligned = AlignScrapes(w);
  const double part_n = CountOf(aligned.part);
  const double whole_n = CountOf(aligned.whole);
  std::string text = fmt::format("{} holds {} attempts, {} holds {}", PartName(w),
                                 CountText(part_n), WholeName(w), CountText(whole_n));
  if (!InvertedAtOneQuantile(w)) return {CaseOutcome::kExcluded, text + "; " + kInOrder};
  if (TornExplains(w)) {
    return {CaseOutcome::kExcluded, "counts that had to be repaired tell no population"};
  }
  if (ScrapesExplain(w)) {
    return {CaseOutcome::kExcluded, "on the scrapes that both have there is no inversion"};
  }
  if (SaturationExplains(w)) return {CaseOutcome::kExcluded, text};
  const double part_only =
      std::max(part_n - whole_n, MostInPartOnly(w.part, w.whole, w.whole.group->children));
  if (part_only > 0) {
    text += fmt::format("; at least {} attempts are in {} and not in {}", CountText(part_only),
                        PartName(w), WholeName(w));
  }
  if (whole_n > part_n) {
    text += fmt::format("; at least {} are in {} and not in {}", CountText(whole_n - part_n),
                        WholeName(w), PartName(w));
    const std::string others = OtherResults(w.whole);
    if (!others.empty()) text += fmt::format(" ({})", others);
  }
  const std::vector<ScrapeIncreases> bound = BoundChildren(w.whole);
  if (!bound.empty() && bound.size() < w.whole.group->children.size() &&
      !StillInverted(w.part.group->children, bound, w)) {
    text += fmt::format(
        "; over result=\"scheduled\" alone ({} attempts) {} reads {:.4g} s, not below {}",
        CountText(CountOf(bound)), WholeName(w), ShownOf(bound, w), PartName(w));
    return {CaseOutcome::kProven, "not interpolation, other attempts: " + text};
  }
  if (ShiftExplains(w).scrapes > 0) {
    return {CaseOutcome::kExcluded, text + "; few enough to have been in flight"};
  }
  if (part_n == whole_n) {
    return {CaseOutcome::kExcluded, fmt::format("both hold {} attempts", CountText(part_n))};
  }
  if (part_only == 0) text += "; above every bound it has no fewer, so the extra ones explain it";
  return {CaseOutcome::kProven, "not interpolation, other attempts: " + text};
}

Judged JudgeSums(const Walk& w) {
  if (std::isnan(w.part.sum) || std::isnan(w.whole.sum)) {
    return {CaseOutcome::kNotTested, "a _sum is missing"};
  }
  if (InvertedAtOneQuantile(w) && w.part.n == w.whole.n && w.whole.sum < w.part.sum * (1 - 1e-9)) {
    return {CaseOutcome::kProven,
            fmt::format("equal counts ({}), but {} adds up to {:.6g} s and {} to {:.6g} s: means "
                        "cannot invert either, so the two do not time the same attempts",
                        CountText(w.part.n), PartName(w), w.part.sum, WholeName(w), w.whole.sum)};
  }
  return {CaseOutcome::kExcluded, "the sums are in order"};
}

Judged JudgePremise(const Walk& w) {
  return {CaseOutcome::kProven,
          fmt::format("nothing else is left: at least {} attempts took longer in {} than in {}, so "
                      "the one does not contain the other",
                      CountText(MostInPartOnly(w.part, w.whole, w.whole.group->children)),
                      PartName(w), WholeName(w))};
}

}  // namespace schedlens
