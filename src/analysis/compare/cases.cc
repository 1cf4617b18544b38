#include "analysis/compare/cases.h"

#include <algorithm>
#include <cmath>

#include "analysis/compare/walk.h"

namespace schedlens {
namespace {

std::string Short(const std::string& family) {
  constexpr std::string_view kPrefix = "scheduler_";
  return family.rfind(kPrefix, 0) == 0 ? family.substr(kPrefix.size()) : family;
}

struct CaseRow {
  const char* id;
  Judged (*judge)(const Walk&);
};

constexpr CaseRow kCases[] = {
    {"layouts", JudgeLayouts},
    {"labels", JudgeLabels},
    {"population", JudgePopulation},
    {"time", JudgeTime},
    {"missing-samples", JudgeMissingSamples},
    {"rate", JudgeRate},
    {"repair", JudgeRepair},
    {"saturation", JudgeSaturation},
    {"sums", JudgeSums},
    {"expressions", JudgeExpressions},
    {"premise", JudgePremise},
};

Message NoInversion(const Walk& w) {
  const auto shown = [](const QuantileExplanation& row) {
    return row.shown ? Message("compare.shown", {{"shown", arg::Duration(*row.shown)}})
                     : Message("compare.shown.nothing");
  };
  std::vector<Message> found = {
      Message("compare.no_inversion.reads", {{"part", PartName(w)},
                                             {"part_shown", shown(w.out.part)},
                                             {"whole", WholeName(w)},
                                             {"whole_shown", shown(w.out.whole)}})};
  const Interval& a = w.out.part.proven.proof.interval;
  const Interval& b = w.out.whole.proven.proof.interval;
  if (a.low && a.high && b.low && b.high && *a.high >= *b.low && *b.high >= *a.low) {
    found.push_back(
        Message("compare.no_inversion.overlap", {{"part_low", arg::Duration(*a.low)},
                                                 {"part_high", arg::Duration(*a.high)},
                                                 {"whole_low", arg::Duration(*b.low)},
                                                 {"whole_high", arg::Duration(*b.high)}}));
  }
  if (w.out.same_above) {
    found.push_back(Message(
        "compare.no_inversion.same_tail",
        {{"bound", arg::Duration(*w.out.same_above)}, {"count", arg::Count(w.out.same_count)}}));
  }
  return Message("compare.no_inversion", {{"found", std::move(found)}});
}

}  // namespace

Side::Side(const HistogramGroup& group_in, const QuantileGroups& data_in,
           const QuantileRequest& request_in)
    : group(&group_in), data(&data_in), request(&request_in) {
  bounds = UnionOfBounds(group->children);
  one_layout = SameLayout(group->children);
  for (const ScrapeIncreases& child : group->children) {
    n += TotalCount(child);
    sum += TotalSum(child);
  }
}

double Side::Above(double bound) const { return CountAbove(group->children, bound).low; }

std::vector<double> CommonFiniteBounds(const Side& part, const Side& whole) {
  std::vector<double> common;
  for (const double bound : part.bounds) {
    const auto has = [&](const Side& side) {
      return std::all_of(side.group->children.begin(), side.group->children.end(),
                         [&](const ScrapeIncreases& child) {
                           return std::binary_search(child.bounds.begin(), child.bounds.end(),
                                                     bound);
                         });
    };
    if (std::isfinite(bound) && has(part) && has(whole)) common.push_back(bound);
  }
  return common;
}

Value PartName(const Walk& w) { return Short(w.out.part.metric); }
Value WholeName(const Walk& w) { return Short(w.out.whole.metric); }

double ShownOf(std::span<const ScrapeIncreases> children, const Walk& w) {
  return ServerQuantile(children, w.out.whole.q, w.part.request->semantics).value;
}

bool StillInverted(std::span<const ScrapeIncreases> part, std::span<const ScrapeIncreases> whole,
                   const Walk& w) {
  return ShownOf(part, w) > ShownOf(whole, w);
}

bool InvertedAtOneQuantile(const Walk& w) {
  return StillInverted(w.part.group->children, w.whole.group->children, w);
}

double CountOf(std::span<const ScrapeIncreases> children) {
  double n = 0;
  for (const ScrapeIncreases& child : children) n += TotalCount(child);
  return n;
}

void WalkCases(Source& source, const Side& part, const Side& whole, Comparison* out) {
  const Walk w{source, part, whole, *out};
  if (!out->inverted && !out->rate_inverted) {
    out->verdict = NoInversion(w);
    out->believe = WhatToBelieve("", w);
    return;
  }
  int number = 0;
  for (const CaseRow& row : kCases) {
    const Judged found = row.judge(w);
    out->cases.push_back({++number, row.id, found.outcome, found.text});
    if (found.outcome != CaseOutcome::kProven) continue;
    out->verdict = found.text;
    out->believe = WhatToBelieve(row.id, w);
    return;
  }
}

}  // namespace schedlens
