#include "analysis/compare/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/walk.h"
#include "model/text.h"

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

std::string NoInversion(const Walk& w) {
  const auto shown = [](const QuantileExplanation& row) {
    return row.shown ? fmt::format("{:.4g} s", *row.shown) : std::string("nothing");
  };
  std::string text = fmt::format("no inversion: {} reads {} and {} reads {}", PartName(w),
                                 shown(w.out.part), WholeName(w), shown(w.out.whole));
  const Interval& a = w.out.part.proven.proof.interval;
  const Interval& b = w.out.whole.proven.proof.interval;
  if (a.low && a.high && b.low && b.high && *a.high >= *b.low && *b.high >= *a.low) {
    text += fmt::format(
        "; proven are {:.4g} .. {:.4g} and {:.4g} .. {:.4g} s, which overlap: readings this close "
        "do not tell how much longer the whole takes",
        *a.low, *a.high, *b.low, *b.high);
  }
  if (w.out.same_above) {
    text += fmt::format("; above {} s both count the same {} attempts",
                        FormatNumber(*w.out.same_above), CountText(w.out.same_count));
  }
  return text;
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

std::string PartName(const Walk& w) { return Short(w.out.part.metric); }
std::string WholeName(const Walk& w) { return Short(w.out.whole.metric); }
std::string CountText(double n) { return fmt::format("{:.10g}", n); }

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
