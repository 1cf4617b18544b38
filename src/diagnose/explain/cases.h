#pragma once

// The case list of an inversion, what its judges share, and the judges themselves. Each looks at
// one case and leaves to another what that one explains.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/message.h"
#include "diagnose/explain/compare.h"

namespace schedlens {

/// One of the two compared histograms, added up.
struct Side {
  Side(const HistogramGroup& group_in, const QuantileGroups& data_in,
       const QuantileRequest& request_in);

  const HistogramGroup* group;
  const QuantileGroups* data;
  const QuantileRequest* request;
  std::vector<double> bounds;  ///< union of the children's
  bool one_layout = true;
  double n = 0;
  double sum = 0;  ///< NaN where unknown

  /// Observations above a bound that all children have.
  double Above(double bound) const;
};

/// Finite bounds that every child of both sides has, ascending.
std::vector<double> CommonFiniteBounds(const Side& part, const Side& whole);

/// Walks the cases until one is proven; fills in cases, verdict and believe. Without an inversion
/// it says so and walks nothing.
void WalkCases(Source& source, const Side& part, const Side& whole, Comparison* out);

/// What a case finds: proven, or why not.
struct Judged {
  CaseOutcome outcome = CaseOutcome::kExcluded;
  Message text;
};

struct Walk {
  Source& source;
  const Side& part;
  const Side& whole;
  const Comparison& out;
};

/// A case that is proven, or excluded by what the message says.
inline Judged Proven(std::string id, std::vector<Argument> args = {}) {
  return {CaseOutcome::kProven, Message(std::move(id), std::move(args))};
}
inline Judged Excluded(std::string id, std::vector<Argument> args = {}) {
  return {CaseOutcome::kExcluded, Message(std::move(id), std::move(args))};
}

/// Family names without `scheduler_`.
Value PartName(const Walk& w);
Value WholeName(const Walk& w);
/// What both read for these children, as one message.
Message Readings(std::span<const ScrapeIncreases> part, std::span<const ScrapeIncreases> whole,
                 const Walk& w);

/// What a server shows for these children at the whole's quantile; NaN without observations.
double ShownOf(std::span<const ScrapeIncreases> children, const Walk& w);
bool StillInverted(std::span<const ScrapeIncreases> part, std::span<const ScrapeIncreases> whole,
                   const Walk& w);
/// By exact increases, both asked for the same quantile.
bool InvertedAtOneQuantile(const Walk& w);
double CountOf(std::span<const ScrapeIncreases> children);
/// The children whose attempts ended bound: those without a `result`, and result="scheduled".
std::vector<ScrapeIncreases> BoundChildren(const Side& side);
/// The most by which observations above a bound outnumber those in the whole; never negative.
double MostInPartOnly(const Side& part, const Side& whole,
                      std::span<const ScrapeIncreases> whole_children);
/// The proven intervals leave no doubt that the part's quantile is the larger one.
bool ProvenApart(const Walk& w);

/// Both sides cut to the scrapes that both have of a process, intervals with a reset left out:
/// what remains was counted over the same time.
struct Aligned {
  std::vector<ScrapeIncreases> part, whole;
  bool differ = false;  ///< the two had not the same scrapes to begin with
  bool reset = false;
};
Aligned AlignScrapes(const Walk& w);
/// Scrapes differ or are reset, and without that the inversion is gone.
bool ScrapesExplain(const Walk& w);
/// One side has no two scrapes that are histograms.
bool TornExplains(const Walk& w);
/// Bounds differ, one side is at its highest one, and the proven intervals overlap.
bool SaturationExplains(const Walk& w);
/// What stood in flight at the window's end explains it, and a scrape or two later it is gone.
struct Shift {
  int scrapes = 0;  ///< 0: it does not explain the inversion
  double in_flight = 0;
  double shown = 0;
};
Shift ShiftExplains(const Walk& w);
/// In what the two expressions differ, apart from metric and labels; empty when in nothing.
std::vector<Message> ExpressionsDiffer(const Walk& w);

Judged JudgeLayouts(const Walk& w);
Judged JudgeLabels(const Walk& w);
Judged JudgePopulation(const Walk& w);
Judged JudgeTime(const Walk& w);
Judged JudgeMissingSamples(const Walk& w);
Judged JudgeRate(const Walk& w);
Judged JudgeRepair(const Walk& w);
Judged JudgeSaturation(const Walk& w);
Judged JudgeSums(const Walk& w);
Judged JudgeExpressions(const Walk& w);
Judged JudgePremise(const Walk& w);

/// Which number answers which question; `id` is the proven case, empty for no inversion.
std::vector<Message> WhatToBelieve(const std::string& id, const Walk& w);

}  // namespace schedlens
