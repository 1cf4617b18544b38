// The cases of an inversion that lie in how it was asked or shown: rate(), the top bound, the
// expressions; and which reading answers which question.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/walk.h"
#include "model/text.h"

namespace schedlens {
namespace {

bool Saturated(const QuantileExplanation& row) {
  return !row.proven.basis.empty() && !row.proven.proof.bucket.high;
}

std::string IntervalText(const Interval& interval) {
  if (interval.low && interval.high) {
    return fmt::format("{:.4g} .. {:.4g} s", *interval.low, *interval.high);
  }
  return interval.low ? fmt::format("more than {:.4g} s", *interval.low) : "unknown";
}

std::string IntervalsText(const Walk& w) {
  return fmt::format("{} for {} and {} for {}", IntervalText(w.out.part.proven.proof.interval),
                     PartName(w), IntervalText(w.out.whole.proven.proof.interval), WholeName(w));
}

std::string ReadsText(std::span<const ScrapeIncreases> part, std::span<const ScrapeIncreases> whole,
                      const Walk& w) {
  return fmt::format("{} {:.4g} s, {} {:.4g} s", PartName(w), ShownOf(part, w), WholeName(w),
                     ShownOf(whole, w));
}

}  // namespace

bool ProvenApart(const Walk& w) {
  const Interval& a = w.out.part.proven.proof.interval;
  const Interval& b = w.out.whole.proven.proof.interval;
  return a.low && b.high && *a.low > *b.high;
}

bool SaturationExplains(const Walk& w) {
  const bool saturated = Saturated(w.out.part) || Saturated(w.out.whole);
  return saturated && w.part.bounds != w.whole.bounds && !ProvenApart(w);
}

std::string ExpressionsDiffer(const Walk& w) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (w.part.data->q != w.whole.data->q) {
    add(fmt::format("they ask for different quantiles ({} and {})", w.part.data->q,
                    w.whole.data->q));
  }
  for (const Side* side : {&w.part, &w.whole}) {
    const auto& expression = side->request->expression;
    if (expression && !expression->outer_aggregations.empty()) {
      add(fmt::format("{}(histogram_quantile(...)) is no quantile and keeps no order",
                      expression->outer_aggregations.front()));
    }
  }
  const auto& a = w.part.request->expression;
  const auto& b = w.whole.request->expression;
  if (!a || !b) return text;
  if (a->range_ms != b->range_ms) {
    add(fmt::format("they look at different windows ({} and {})", FormatDuration(a->range_ms),
                    FormatDuration(b->range_ms)));
  }
  if (a->offset_ms != b->offset_ms) {
    add(fmt::format("they look at different times (offset {} and {})", FormatDuration(a->offset_ms),
                    FormatDuration(b->offset_ms)));
  }
  return text;
}

Judged JudgeRate(const Walk& w) {
  if (!w.out.part_rate || !w.out.whole_rate) {
    return {CaseOutcome::kNotTested, "the server's rate() gave no value"};
  }
  if (!w.out.rate_inverted) return {CaseOutcome::kExcluded, "with rate() the two are in order"};
  if (w.out.inverted) return {CaseOutcome::kExcluded, "exact increases show the inversion too"};
  if (w.out.rate_repaired || w.part.data->torn_scrapes > 0 || w.whole.data->torn_scrapes > 0) {
    return {CaseOutcome::kExcluded, "counts that had to be repaired went into rate()"};
  }
  if (const std::string differ = ExpressionsDiffer(w); !differ.empty()) {
    return {CaseOutcome::kExcluded, "the two expressions are not alike: " + differ};
  }
  return {CaseOutcome::kProven,
          fmt::format("exact increases are in order ({:.4g} and {:.4g} s) and rate() is not: it "
                      "extrapolates each bucket's series by itself and cuts it off at zero, which "
                      "shows in the first window after a start",
                      w.out.part.shown.value_or(NAN), w.out.whole.shown.value_or(NAN))};
}

Judged JudgeSaturation(const Walk& w) {
  if (!SaturationExplains(w)) {
    return {CaseOutcome::kExcluded,
            Saturated(w.out.part) || Saturated(w.out.whole)
                ? "one is at its highest finite bound, but the order is real"
                : "neither is at its highest finite bound"};
  }
  const QuantileExplanation& row = Saturated(w.out.whole) ? w.out.whole : w.out.part;
  return {CaseOutcome::kProven,
          fmt::format("{} is saturated: {:.4g} s is its highest finite bound and means more than "
                      "that. Proven are {}, which overlap: no order was observed",
                      Saturated(w.out.whole) ? WholeName(w) : PartName(w),
                      row.proven.proof.bucket.low.value_or(0), IntervalsText(w))};
}

Judged JudgeExpressions(const Walk& w) {
  const std::string differ = ExpressionsDiffer(w);
  if (differ.empty()) return {CaseOutcome::kExcluded, "same quantile, window and aggregation"};
  if (InvertedAtOneQuantile(w)) {
    return {CaseOutcome::kExcluded, differ + "; but asked alike the inversion is there too"};
  }
  return {CaseOutcome::kProven,
          fmt::format("the expressions are not alike: {}; asked alike: {}", differ,
                      ReadsText(w.part.group->children, w.whole.group->children, w))};
}

std::vector<std::string> WhatToBelieve(const std::string& id, const Walk& w) {
  const std::string part = PartName(w);
  const std::string whole = WholeName(w);
  const auto& part_children = w.part.group->children;
  const auto& whole_children = w.whole.group->children;
  std::vector<std::string> believe;
  if (id == "population" || id == "labels") {
    believe.push_back(fmt::format("how slow is {}, for the attempts it counts: {:.4g} s", part,
                                  ShownOf(part_children, w)));
    believe.push_back(fmt::format("how slow is an attempt of any kind counted in {}: {:.4g} s",
                                  whole, ShownOf(whole_children, w)));
    const std::vector<ScrapeIncreases> bound = BoundChildren(w.whole);
    if (!bound.empty() && bound.size() < whole_children.size()) {
      believe.push_back(
          fmt::format("how slow is a pod that was bound, and how much of that is {}: compare with "
                      "{}{{result=\"scheduled\"}}, {:.4g} s",
                      part, whole, ShownOf(bound, w)));
    }
  } else if (id == "time") {
    believe.push_back(
        "each for its own window; for the same attempts use a window much longer "
        "than an attempt, or the later one named above");
  } else if (id == "missing-samples") {
    const Aligned aligned = AlignScrapes(w);
    believe.push_back("what both counted over the same time: " +
                      ReadsText(aligned.part, aligned.whole, w));
  } else if (id == "rate") {
    believe.push_back(
        fmt::format("the exact increases: {}; an alert sees rate() and may be wrong "
                    "until the window has left the start behind",
                    ReadsText(part_children, whole_children, w)));
  } else if (id == "repair" && !TornExplains(w)) {
    believe.push_back("what the whole scrapes give: " +
                      ReadsText(part_children, whole_children, w));
  } else if (id == "repair") {
    believe.push_back(
        "neither number; the source delivers histograms in pieces (remote write, "
        "federation, a recording rule over partial data)");
  } else if (id == "layouts" || id == "saturation") {
    believe.push_back("neither number to the digit; proven are " + IntervalsText(w));
  } else if (id == "sums" || id == "premise") {
    believe.push_back(
        fmt::format("how slow is {}: {:.4g} s; how slow is {}: {:.4g} s; not that one "
                    "contains the other, so take no difference of the two",
                    part, ShownOf(part_children, w), whole, ShownOf(whole_children, w)));
  } else if (id == "expressions") {
    believe.push_back("each for the question it asks; side by side only when asked alike: " +
                      ReadsText(part_children, whole_children, w));
  } else {
    believe.push_back(
        fmt::format("both, each as a quantile of its own: {}; what {} takes of {} is "
                    "not their difference, seconds add up and quantiles do not "
                    "(schedlens diagnose shows the shares)",
                    IntervalsText(w), part, whole));
  }
  return believe;
}

}  // namespace schedlens
