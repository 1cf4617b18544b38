// The cases of an inversion that lie in what was counted: bounds, processes, attempts, sums.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/collect/targets.h"
#include "analysis/compare/walk.h"
#include "kube/words.h"

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

std::vector<Message> OtherResults(const Side& side) {
  std::map<std::string, double> by_result;
  for (const ScrapeIncreases& child : side.group->children) {
    const std::string result(child.labels.Get("result"));
    if (!result.empty() && !kube::IsScheduled(child.labels)) by_result[result] += TotalCount(child);
  }
  std::vector<Message> found;
  for (const auto& [result, n] : by_result) {
    if (n > 0) {
      found.push_back(
          Message("compare.population.result", {{"count", arg::Count(n)}, {"result", result}}));
    }
  }
  return found;
}

constexpr char kInOrder[] = "compare.in_order";

/// What was found of the two populations, one phrase after the other.
Judged Populations(CaseOutcome outcome, std::vector<Message> found) {
  const bool proven = outcome == CaseOutcome::kProven;
  return {outcome, Message(proven ? "compare.population.proven" : "compare.population",
                           {{"found", std::move(found)}})};
}

/// How many attempts the one holds and the other does not, at least, both ways.
void AddDifference(const Walk& w, double part_only, double whole_more,
                   std::vector<Message>* found) {
  if (part_only > 0) {
    found->push_back(Message(
        "compare.population.part_only",
        {{"count", arg::Count(part_only)}, {"part", PartName(w)}, {"whole", WholeName(w)}}));
  }
  if (whole_more <= 0) return;
  Message more("compare.population.whole_only",
               {{"count", arg::Count(whole_more)}, {"part", PartName(w)}, {"whole", WholeName(w)}});
  std::vector<Message> others = OtherResults(w.whole);
  if (!others.empty()) {
    more.id = "compare.population.whole_only.results";
    more.args.push_back({"results", std::move(others)});
  }
  found->push_back(std::move(more));
}

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
    return Excluded("compare.layouts.same");
  }
  if (SaturationExplains(w)) {
    return Excluded("compare.layouts.highest");
  }
  if (ProvenApart(w)) {
    return Excluded("compare.layouts.apart");
  }
  const Interval& a = w.out.part.proven.proof.interval;
  const Interval& b = w.out.whole.proven.proof.interval;
  if (a.high && b.low && *a.high <= *b.low) {
    return Proven("compare.layouts.other_way",
                  {{"part_low", arg::Duration(a.low.value_or(0))},
                   {"part_high", arg::Duration(*a.high)},
                   {"whole_low", arg::Duration(*b.low)},
                   {"whole_high", b.high ? arg::Duration(*b.high) : Message("compare.unknown")}});
  }
  return Proven("compare.layouts.overlap");
}

Judged JudgeLabels(const Walk& w) {
  if (!InvertedAtOneQuantile(w)) return Excluded(kInOrder);
  std::set<Labels> in_part, in_whole;
  for (const ScrapeIncreases& child : w.part.group->children)
    in_part.insert(ProcessOf(child.labels));
  for (const ScrapeIncreases& child : w.whole.group->children)
    in_whole.insert(ProcessOf(child.labels));
  if (in_part == in_whole) {
    if (in_part.size() == 1) return Excluded("compare.labels.one");
    return Excluded("compare.labels.same", {{"count", arg::Count(in_part.size())}});
  }
  const auto common = [&](const ScrapeIncreases& child) {
    return in_part.count(ProcessOf(child.labels)) > 0 &&
           in_whole.count(ProcessOf(child.labels)) > 0;
  };
  const std::vector<ScrapeIncreases> part = Filter(w.part, common);
  const std::vector<ScrapeIncreases> whole = Filter(w.whole, common);
  if (StillInverted(part, whole, w)) return Excluded("compare.labels.common_too");
  Judged found = Proven("compare.labels.none", {{"part_count", arg::Count(in_part.size())},
                                                {"whole_count", arg::Count(in_whole.size())}});
  if (part.empty()) return found;
  found.text.id = "compare.labels";
  found.text.args.insert(found.text.args.end(),
                         {{"part", PartName(w)},
                          {"part_shown", arg::Duration(ShownOf(part, w))},
                          {"whole", WholeName(w)},
                          {"whole_shown", arg::Duration(ShownOf(whole, w))}});
  return found;
}

Judged JudgePopulation(const Walk& w) {
  const Aligned aligned = AlignScrapes(w);
  const double part_n = CountOf(aligned.part);
  const double whole_n = CountOf(aligned.whole);
  std::vector<Message> found = {
      Message("compare.population.counts", {{"part", PartName(w)},
                                            {"part_count", arg::Count(part_n)},
                                            {"whole", WholeName(w)},
                                            {"whole_count", arg::Count(whole_n)}})};
  if (!InvertedAtOneQuantile(w)) {
    found.emplace_back(kInOrder);
    return Populations(CaseOutcome::kExcluded, std::move(found));
  }
  if (TornExplains(w)) return Excluded("compare.population.repaired");
  if (ScrapesExplain(w)) return Excluded("compare.population.scrapes");
  if (SaturationExplains(w)) return Populations(CaseOutcome::kExcluded, std::move(found));
  const double part_only =
      std::max(part_n - whole_n, MostInPartOnly(w.part, w.whole, w.whole.group->children));
  AddDifference(w, part_only, whole_n - part_n, &found);
  const std::vector<ScrapeIncreases> bound = BoundChildren(w.whole);
  if (!bound.empty() && bound.size() < w.whole.group->children.size() &&
      !StillInverted(w.part.group->children, bound, w)) {
    found.push_back(
        Message("compare.population.bound_alone", {{"count", arg::Count(CountOf(bound))},
                                                   {"shown", arg::Duration(ShownOf(bound, w))},
                                                   {"part", PartName(w)},
                                                   {"whole", WholeName(w)}}));
    return Populations(CaseOutcome::kProven, std::move(found));
  }
  if (ShiftExplains(w).scrapes > 0) {
    found.emplace_back("compare.population.in_flight");
    return Populations(CaseOutcome::kExcluded, std::move(found));
  }
  if (part_n == whole_n) {
    return Excluded("compare.population.equal", {{"count", arg::Count(part_n)}});
  }
  if (part_only == 0) found.emplace_back("compare.population.extra");
  return Populations(CaseOutcome::kProven, std::move(found));
}

Judged JudgeSums(const Walk& w) {
  if (std::isnan(w.part.sum) || std::isnan(w.whole.sum)) {
    return {CaseOutcome::kNotTested, Message("compare.sums.missing")};
  }
  if (InvertedAtOneQuantile(w) && w.part.n == w.whole.n && w.whole.sum < w.part.sum * (1 - 1e-9)) {
    return Proven("compare.sums", {{"count", arg::Count(w.part.n)},
                                   {"part", PartName(w)},
                                   {"part_sum", arg::Duration(w.part.sum)},
                                   {"whole", WholeName(w)},
                                   {"whole_sum", arg::Duration(w.whole.sum)}});
  }
  return Excluded("compare.sums.in_order");
}

Judged JudgePremise(const Walk& w) {
  const double longer = MostInPartOnly(w.part, w.whole, w.whole.group->children);
  return Proven("compare.premise",
                {{"count", arg::Count(longer)}, {"part", PartName(w)}, {"whole", WholeName(w)}});
}

}  // namespace schedlens
