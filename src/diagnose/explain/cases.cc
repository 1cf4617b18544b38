// What is wrong where a part reads above its whole, and which number to believe. Each case leaves
// to another what that one explains.

#include "diagnose/explain/compare.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

/// What a case finds: proven, or why not.
struct Judged {
  CaseOutcome outcome = CaseOutcome::kExcluded;
  Message text;
};

/// A case that is proven, or excluded by what the message says.
Judged Proven(std::string id, std::vector<Argument> args = {}) {
  return {CaseOutcome::kProven, Message(std::move(id), std::move(args))};
}

Judged Excluded(std::string id, std::vector<Argument> args = {}) {
  return {CaseOutcome::kExcluded, Message(std::move(id), std::move(args))};
}

std::string Short(const std::string& family) {
  return family.substr(family.starts_with(kube::kOwnPrefix) ? kube::kOwnPrefix.size() : 0);
}

/// Family names without `scheduler_`.
Value PartName(const Walk& w) { return Short(w.out.part.metric); }

Value WholeName(const Walk& w) { return Short(w.out.whole.metric); }

/// By exact increases, both asked for the same quantile.
bool InvertedAtOneQuantile(const Walk& w) {
  return StillInverted(w.part.group->children, w.whole.group->children, w);
}

/// Both names and what both read for these children.
std::vector<Argument> Readings(std::span<const ScrapeIncreases> part,
                               std::span<const ScrapeIncreases> whole, const Walk& w) {
  return {{"part", PartName(w)},
          {"part_shown", arg::Duration(ShownOf(part, w))},
          {"whole", WholeName(w)},
          {"whole_shown", arg::Duration(ShownOf(whole, w))}};
}

/// The proven intervals leave no doubt that the part's quantile is the larger one.
bool ProvenApart(const Walk& w) {
  const Interval& a = w.out.part.proven.proof.interval;
  const Interval& b = w.out.whole.proven.proof.interval;
  return a.low && b.high && *a.low > *b.high;
}

bool Saturated(const QuantileExplanation& row) {
  return !row.proven.basis.empty() && !row.proven.proof.bucket.high;
}

/// Bounds differ, one side is at its highest one, and the proven intervals overlap.
bool SaturationExplains(const Walk& w) {
  const bool saturated = Saturated(w.out.part) || Saturated(w.out.whole);
  return saturated && w.part.bounds != w.whole.bounds && !ProvenApart(w);
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

/// In what the two expressions differ, apart from metric and labels; empty when in nothing.
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

Judged JudgeLayouts(const Walk& w) {
  if (w.part.one_layout && w.whole.one_layout && w.part.bounds == w.whole.bounds) {
    return Excluded("compare.layouts.same");
  }
  if (SaturationExplains(w)) return Excluded("compare.layouts.highest");
  if (ProvenApart(w)) return Excluded("compare.layouts.apart");
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
  const auto& part_children = w.part.group->children;
  const auto& whole_children = w.whole.group->children;
  std::set<Labels> in_part, in_whole;
  for (const ScrapeIncreases& child : part_children) in_part.insert(ProcessOf(child.labels));
  for (const ScrapeIncreases& child : whole_children) in_whole.insert(ProcessOf(child.labels));
  if (in_part == in_whole) {
    if (in_part.size() == 1) return Excluded("compare.labels.one");
    return Excluded("compare.labels.same", {{"count", arg::Count(in_part.size())}});
  }
  std::vector<ScrapeIncreases> part = part_children, whole = whole_children;
  std::erase_if(part, [&](const auto& one) { return !in_whole.contains(ProcessOf(one.labels)); });
  std::erase_if(whole, [&](const auto& one) { return !in_part.contains(ProcessOf(one.labels)); });
  if (StillInverted(part, whole, w)) return Excluded("compare.labels.common_too");
  Judged found = Proven("compare.labels.none", {{"part_count", arg::Count(in_part.size())},
                                                {"whole_count", arg::Count(in_whole.size())}});
  if (part.empty()) return found;
  found.text.id = "compare.labels";
  const std::vector<Argument> readings = Readings(part, whole, w);
  found.text.args.insert(found.text.args.end(), readings.begin(), readings.end());
  return found;
}

Judged JudgePopulation(const Walk& w) {
  const Aligned aligned = AlignScrapes(w);
  const double part_n = TotalCount(aligned.part), whole_n = TotalCount(aligned.whole);
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
        Message("compare.population.bound_alone", {{"count", arg::Count(TotalCount(bound))},
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

Judged JudgeTime(const Walk& w) {
  if (!InvertedAtOneQuantile(w) || TornExplains(w) || ScrapesExplain(w)) {
    return Excluded("compare.time.not");
  }
  const Shift shift = ShiftExplains(w);
  if (shift.scrapes > 0) {
    return Proven("compare.time", {{"whole", WholeName(w)},
                                   {"part", PartName(w)},
                                   {"count", arg::Count(shift.in_flight)},
                                   {"scrapes", arg::Count(shift.scrapes)},
                                   {"shown", arg::Duration(shift.shown)}});
  }
  return Excluded("compare.time.in_flight",
                  {{"count", arg::Count(std::max(0.0, InFlightAtEnd(w)))}});
}

Judged JudgeMissingSamples(const Walk& w) {
  const Aligned aligned = AlignScrapes(w);
  if (!aligned.differ && !aligned.reset) return Excluded("compare.scrapes.same");
  if (InvertedAtOneQuantile(w) && !TornExplains(w) && ScrapesExplain(w)) {
    return Proven(aligned.reset ? "compare.scrapes.reset" : "compare.scrapes.differ",
                  Readings(aligned.part, aligned.whole, w));
  }
  return Excluded("compare.scrapes.not");
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

Judged JudgeRepair(const Walk& w) {
  if (TornExplains(w)) return Proven("compare.repair.torn");
  const bool repaired =
      w.out.rate_repaired || w.part.data->torn_scrapes > 0 || w.whole.data->torn_scrapes > 0;
  if (!repaired) return Excluded("compare.repair.none");
  if (w.out.rate_inverted && !w.out.inverted) return Proven("compare.repair");
  return Excluded("compare.repair.not");
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

Judged JudgeExpressions(const Walk& w) {
  std::vector<Message> differ = ExpressionsDiffer(w);
  if (differ.empty()) return Excluded("compare.expressions.same");
  if (InvertedAtOneQuantile(w)) {
    return Excluded("compare.expressions.alike_too", {{"differences", std::move(differ)}});
  }
  return Proven("compare.expressions",
                {{"differences", std::move(differ)},
                 {"readings", Message("compare.readings", Readings(w.part.group->children,
                                                                   w.whole.group->children, w))}});
}

Judged JudgePremise(const Walk& w) {
  const double longer = MostInPartOnly(w.part, w.whole, w.whole.group->children);
  return Proven("compare.premise",
                {{"count", arg::Count(longer)}, {"part", PartName(w)}, {"whole", WholeName(w)}});
}

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

/// Which number answers which question; `id` is the proven case, empty for no inversion.
std::vector<Message> WhatToBelieve(std::string_view id, const Walk& w) {
  const Aligned aligned = id == "missing-samples" ? AlignScrapes(w) : Aligned();
  const bool all = id != "missing-samples";
  const std::vector<Argument> shown = Readings(all ? w.part.group->children : aligned.part,
                                               all ? w.whole.group->children : aligned.whole, w);
  const auto readings = [&](const char* sentence) -> std::vector<Message> {
    return {Message(sentence, {{"readings", Message("compare.readings", shown)}})};
  };
  if (id == "population" || id == "labels") return BelieveEachOfItsOwn(w);
  if (id == "time") return {Message("compare.believe.time")};
  if (id == "missing-samples") return readings("compare.believe.same_time");
  if (id == "rate") return readings("compare.believe.rate");
  if (id == "repair" && TornExplains(w)) return {Message("compare.believe.torn")};
  if (id == "repair") return readings("compare.believe.whole_scrapes");
  if (id == "layouts" || id == "saturation") {
    return {Message("compare.believe.intervals", {{"intervals", Intervals(w)}})};
  }
  if (id == "sums" || id == "premise") return {Message("compare.believe.not_contained", shown)};
  if (id == "expressions") return readings("compare.believe.asked_alike");
  return {Message("compare.believe.both",
                  {{"part", PartName(w)}, {"whole", WholeName(w)}, {"intervals", Intervals(w)}})};
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
