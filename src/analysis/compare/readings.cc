// The cases of an inversion that lie in how it was asked or shown: rate(), the top bound, the
// expressions; and which reading answers which question.

#include <algorithm>
#include <cmath>

#include "analysis/compare/walk.h"
#include "model/seconds.h"

namespace schedlens {
namespace {

bool Saturated(const QuantileExplanation& row) {
  return !row.proven.basis.empty() && !row.proven.proof.bucket.high;
}

Message IntervalOf(const QuantileExplanation& row) {
  const Interval& interval = row.proven.proof.interval;
  if (!interval.low) return Message("compare.unknown");
  Message text("compare.interval.open", {{"low", arg::Duration(*interval.low)}});
  if (interval.high) {
    text.id = "compare.interval";
    text.args.push_back({"high", arg::Duration(*interval.high)});
  }
  return text;
}

Message Intervals(const Walk& w) {
  return Message("compare.intervals", {{"part_interval", IntervalOf(w.out.part)},
                                       {"part", PartName(w)},
                                       {"whole_interval", IntervalOf(w.out.whole)},
                                       {"whole", WholeName(w)}});
}

}  // namespace

Message Readings(std::span<const ScrapeIncreases> part, std::span<const ScrapeIncreases> whole,
                 const Walk& w) {
  return Message("compare.readings", {{"part", PartName(w)},
                                      {"part_shown", arg::Duration(ShownOf(part, w))},
                                      {"whole", WholeName(w)},
                                      {"whole_shown", arg::Duration(ShownOf(whole, w))}});
}

bool ProvenApart(const Walk& w) {
  const Interval& a = w.out.part.proven.proof.interval;
  const Interval& b = w.out.whole.proven.proof.interval;
  return a.low && b.high && *a.low > *b.high;
}

bool SaturationExplains(const Walk& w) {
  const bool saturated = Saturated(w.out.part) || Saturated(w.out.whole);
  return saturated && w.part.bounds != w.whole.bounds && !ProvenApart(w);
}

std::vector<Message> ExpressionsDiffer(const Walk& w) {
  std::vector<Message> found;
  if (w.part.data->q != w.whole.data->q) {
    found.push_back(Message(
        "compare.differ.quantiles",
        {{"part_q", arg::Number(w.part.data->q)}, {"whole_q", arg::Number(w.whole.data->q)}}));
  }
  for (const Side* side : {&w.part, &w.whole}) {
    const auto& expression = side->request->expression;
    if (expression && !expression->outer_aggregations.empty()) {
      found.push_back(Message("compare.differ.aggregation",
                              {{"operation", expression->outer_aggregations.front()}}));
    }
  }
  const auto& a = w.part.request->expression;
  const auto& b = w.whole.request->expression;
  if (!a || !b) return found;
  const auto differ = [&](const char* id, std::int64_t part_ms, std::int64_t whole_ms) {
    if (part_ms == whole_ms) return;
    found.push_back(Message(id, {{"part_time", arg::Duration(MsToSeconds(part_ms))},
                                 {"whole_time", arg::Duration(MsToSeconds(whole_ms))}}));
  };
  differ("compare.differ.windows", a->range_ms, b->range_ms);
  differ("compare.differ.offsets", a->offset_ms, b->offset_ms);
  return found;
}

Judged JudgeRate(const Walk& w) {
  if (!w.out.part_rate || !w.out.whole_rate) {
    return {CaseOutcome::kNotTested, Message("compare.rate.none")};
  }
  if (!w.out.rate_inverted) return Excluded("compare.rate.in_order");
  if (w.out.inverted) return Excluded("compare.rate.exact_too");
  if (w.out.rate_repaired || w.part.data->torn_scrapes > 0 || w.whole.data->torn_scrapes > 0) {
    return Excluded("compare.rate.repaired");
  }
  if (std::vector<Message> differ = ExpressionsDiffer(w); !differ.empty()) {
    return Excluded("compare.rate.not_alike", {{"differences", std::move(differ)}});
  }
  return Proven("compare.rate", {{"part_shown", arg::Duration(w.out.part.shown.value_or(NAN))},
                                 {"whole_shown", arg::Duration(w.out.whole.shown.value_or(NAN))}});
}

Judged JudgeSaturation(const Walk& w) {
  if (!SaturationExplains(w)) {
    const bool saturated = Saturated(w.out.part) || Saturated(w.out.whole);
    return Excluded(saturated ? "compare.saturation.real" : "compare.saturation.neither");
  }
  const bool of_whole = Saturated(w.out.whole);
  const QuantileExplanation& row = of_whole ? w.out.whole : w.out.part;
  return Proven("compare.saturation",
                {{"side", of_whole ? WholeName(w) : PartName(w)},
                 {"bound", arg::Duration(row.proven.proof.bucket.low.value_or(0))},
                 {"intervals", Intervals(w)}});
}

Judged JudgeExpressions(const Walk& w) {
  std::vector<Message> differ = ExpressionsDiffer(w);
  if (differ.empty()) return Excluded("compare.expressions.same");
  if (InvertedAtOneQuantile(w)) {
    return Excluded("compare.expressions.alike_too", {{"differences", std::move(differ)}});
  }
  return Proven("compare.expressions",
                {{"differences", std::move(differ)},
                 {"readings", Readings(w.part.group->children, w.whole.group->children, w)}});
}

namespace {

/// For two histograms of other attempts: which answers what.
std::vector<Message> BelieveEachOfItsOwn(const Walk& w) {
  const auto& whole_children = w.whole.group->children;
  const Value part_shown = arg::Duration(ShownOf(w.part.group->children, w));
  std::vector<Message> believe = {
      Message("compare.believe.part", {{"part", PartName(w)}, {"shown", part_shown}}),
      Message("compare.believe.whole",
              {{"whole", WholeName(w)}, {"shown", arg::Duration(ShownOf(whole_children, w))}})};
  const std::vector<ScrapeIncreases> bound = BoundChildren(w.whole);
  if (!bound.empty() && bound.size() < whole_children.size()) {
    believe.push_back(
        Message("compare.believe.bound", {{"part", PartName(w)},
                                          {"whole", WholeName(w)},
                                          {"shown", arg::Duration(ShownOf(bound, w))}}));
  }
  return believe;
}

}  // namespace

std::vector<Message> WhatToBelieve(const std::string& id, const Walk& w) {
  const auto& part_children = w.part.group->children;
  const auto& whole_children = w.whole.group->children;
  const auto readings = [&](const char* sentence) {
    return Message(sentence, {{"readings", Readings(part_children, whole_children, w)}});
  };
  if (id == "population" || id == "labels") return BelieveEachOfItsOwn(w);
  if (id == "time") return {Message("compare.believe.time")};
  if (id == "missing-samples") {
    const Aligned aligned = AlignScrapes(w);
    return {Message("compare.believe.same_time",
                    {{"readings", Readings(aligned.part, aligned.whole, w)}})};
  }
  if (id == "rate") return {readings("compare.believe.rate")};
  if (id == "repair" && TornExplains(w)) return {Message("compare.believe.torn")};
  if (id == "repair") return {readings("compare.believe.whole_scrapes")};
  if (id == "layouts" || id == "saturation") {
    return {Message("compare.believe.intervals", {{"intervals", Intervals(w)}})};
  }
  if (id == "sums" || id == "premise") {
    return {Message("compare.believe.not_contained",
                    {{"part", PartName(w)},
                     {"part_shown", arg::Duration(ShownOf(part_children, w))},
                     {"whole", WholeName(w)},
                     {"whole_shown", arg::Duration(ShownOf(whole_children, w))}})};
  }
  if (id == "expressions") return {readings("compare.believe.asked_alike")};
  return {Message("compare.believe.both",
                  {{"part", PartName(w)}, {"whole", WholeName(w)}, {"intervals", Intervals(w)}})};
}

}  // namespace schedlens
