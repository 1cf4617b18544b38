#include "diagnose/causes/findings.h"
#include "diagnose/explain/glossary.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

Message Bracket(double low, double high) {
  if (std::isinf(high)) return Message("evidence.range.open", {{"low", arg::Duration(low)}});
  return Message("evidence.range", {{"low", arg::Duration(low)}, {"high", arg::Duration(high)}});
}

/// e2e over all results is drowned by quick failed attempts, or reads below the algorithm.
std::optional<Finding> PopulationRemark(const WindowEvidence& c) {
  std::vector<Evidence> evidence;
  if (const auto inversion = FindInversion(c.now.cells)) {
    const auto at = static_cast<std::size_t>(
        std::ranges::find(inversion->bounds, *inversion->witness) - inversion->bounds.begin());
    evidence.push_back(
        {Message("evidence.population.inverted", {{"e2e", arg::Share(inversion->lower[at])},
                                                  {"algorithm", arg::Share(inversion->upper[at])},
                                                  {"bound", arg::Duration(*inversion->witness)}})});
  }
  const auto scheduled = c.now.Tail(ToString(kube::AttemptResult::kScheduled));
  const PooledBuckets all = PoolBuckets(c.now.cells.attempt);
  const double failed_seconds =
      c.now.breakdown.e2e.seconds -
      c.now.breakdown.by_result.Get(kube::AttemptResult::kScheduled).seconds;
  if (scheduled && c.now.breakdown.failed() > 0 && all.count() > 0 &&
      std::isfinite(failed_seconds)) {
    const std::size_t b = all.BucketOf(0.99);
    if (scheduled->p99_low >= all.bounds[b]) {
      evidence.push_back(
          {Message("evidence.population.diluted",
                   {{"scheduled", Bracket(scheduled->p99_low, scheduled->p99_high)},
                    {"all", Bracket(all.LowerEdge(b), all.bounds[b])},
                    {"failed", arg::Count(c.now.breakdown.failed())},
                    {"mean", arg::Duration(failed_seconds / c.now.breakdown.failed())},
                    {"count", arg::Count(c.now.breakdown.scheduled())}})});
    }
  }
  if (evidence.empty()) return std::nullopt;
  return FindingOf("quantile.population", Confidence::kCertain, std::move(evidence));
}

std::optional<Finding> ThresholdInsideBucket(const std::optional<AlertVerdict>& alert) {
  if (!alert || !alert->threshold || alert->decided != Decided::kUndecidable) return std::nullopt;
  if (std::ranges::count(alert->notes, "alert.edges", &Message::id) > 0) return std::nullopt;
  std::vector<Evidence> evidence = {
      {Message("evidence.threshold", {{"threshold", arg::Duration(*alert->threshold)}}),
       alert->expr}};
  for (const Message& note : alert->notes) evidence.push_back({note});
  return FindingOf("quantile.threshold-inside-bucket", Confidence::kCertain, std::move(evidence));
}

std::optional<Finding> Saturated(const WindowEvidence& c) {
  if (!HasBuckets(c.now.cells.attempt)) return std::nullopt;
  for (const ResultTail& tail : c.now.tails) {
    if (!std::isinf(tail.p99_high)) continue;
    Message text("evidence.saturated.no_sum", {{"result", tail.result},
                                               {"bound", arg::Duration(tail.p99_low)},
                                               {"count", arg::Count(tail.count)}});
    if (std::isfinite(tail.mean)) {
      text.id = "evidence.saturated";
      text.args.push_back({"mean", arg::Duration(tail.mean)});
    }
    return FindingOf("quantile.saturated", Confidence::kCertain, {{std::move(text)}});
  }
  return std::nullopt;
}

std::optional<Finding> FewSamples(const WindowEvidence& c) {
  if (!HasBuckets(c.now.cells.attempt)) return std::nullopt;
  for (const ResultTail& tail : c.now.tails) {
    if (tail.p99_low < 0.1 || tail.count >= 1000) continue;
    return FindingOf(
        "quantile.few-samples", Confidence::kLikely,
        {{Message("evidence.few_samples", {{"result", tail.result},
                                           {"count", arg::Count(tail.count)},
                                           {"above", arg::Count(std::floor(tail.count / 100))}})}});
  }
  return std::nullopt;
}

std::optional<Finding> Reset(const WindowEvidence& c) {
  if (c.restarted.empty()) return std::nullopt;
  return FindingOf(
      "data.reset", Confidence::kCertain,
      {{Message("evidence.reset", {{"targets", fmt::format("{}", fmt::join(c.restarted, ", "))}}),
        fmt::format("changes({}[1h])", NameOf(kube::Metric::kProcessStart))}});
}

/// What the texts say; nothing without any.
std::optional<Finding> Told(const char* id, const std::vector<Message>& texts) {
  if (texts.empty()) return std::nullopt;
  std::vector<Evidence> evidence;
  for (const Message& text : texts) evidence.push_back({text});
  return FindingOf(id, Confidence::kCertain, std::move(evidence));
}

Message Bracket(const PooledBuckets& buckets) {
  const std::size_t b = buckets.BucketOf(0.99);
  return Bracket(buckets.LowerEdge(b), buckets.bounds[b]);
}

std::optional<Finding> Profile(const WindowEvidence& c) {
  if (!HasBuckets(c.now.cells.attempt)) return std::nullopt;
  const auto slow = FindSlowProfile(c.now.cells);
  if (!slow) return std::nullopt;
  return FindingOf("quantile.profile", Confidence::kCertain,
                   {{Message("evidence.profile", {{"profile", slow->profile},
                                                  {"p99", Bracket(slow->own)},
                                                  {"count", arg::Count(slow->own.count())},
                                                  {"rest", Bracket(slow->rest)},
                                                  {"others", arg::Count(slow->rest.count())}})}});
}

std::optional<Finding> MixedLayouts(const WindowEvidence& c) {
  std::set<std::vector<double>> layouts;
  for (const ScrapeIncreases& cells : c.now.cells.attempt) layouts.insert(cells.bounds);
  if (layouts.size() < 2) return std::nullopt;
  return FindingOf("data.mixed-layouts", Confidence::kCertain,
                   {{Message("evidence.mixed_layouts", {{"count", arg::Count(layouts.size())}})}});
}

}  // namespace

std::vector<Finding> FindRemarks(const WindowEvidence& c,
                                 const std::optional<AlertVerdict>& alert) {
  std::vector<Finding> remarks;
  const bool judged = alert && alert->threshold && alert->shown;
  const auto add = [&](std::optional<Finding> remark) {
    if (remark) remarks.push_back(std::move(*remark));
  };
  if (c.slow || c.failing) add(PopulationRemark(c));
  add(ThresholdInsideBucket(alert));
  if (c.slow || judged) {
    add(Saturated(c));
    add(FewSamples(c));
    add(Profile(c));
    add(Reset(c));
    add(Told("data.missing", c.missing));
  }
  add(MixedLayouts(c));
  if (auto contradiction = Told("data.contradiction", c.contradictions)) {
    for (Finding& remark : remarks) {
      // What is proven of a number is proven of nothing when the number is wrong.
      if (remark.id.starts_with("quantile.") && remark.confidence == Confidence::kCertain) {
        remark.confidence = Confidence::kLikely;
      }
    }
    remarks.push_back(std::move(*contradiction));
  }
  return remarks;
}

std::optional<CdfPair> FindInversion(const WindowIncreases& cells) {
  const PooledBuckets e2e = PoolBuckets(cells.attempt);
  const PooledBuckets algorithm = PoolBuckets(cells.algorithm);
  if (e2e.count() < 1 || algorithm.count() < 1 || e2e.bounds != algorithm.bounds) {
    return std::nullopt;
  }
  // In-bucket interpolation cannot invert two quantiles of the same attempts, so any inversion is
  // evidence; a hair of it comes from attempts in flight.
  constexpr double kInverted = 1.01;
  if (algorithm.Interpolate(0.99) <= kInverted * e2e.Interpolate(0.99)) return std::nullopt;
  CdfPair pair;
  pair.lower_metric = Message("inversion.e2e");
  pair.upper_metric = Verbatim("scheduling_algorithm");
  pair.bounds = e2e.bounds;
  double widest = 0;
  for (std::size_t b = 0; b < e2e.bounds.size(); ++b) {
    pair.lower.push_back(e2e.cumulative[b] / e2e.count());
    pair.upper.push_back(algorithm.cumulative[b] / algorithm.count());
    const double gap = pair.lower.back() - pair.upper.back();
    if (gap > widest) {
      widest = gap;
      pair.witness = e2e.bounds[b];
    }
  }
  return pair;
}

}  // namespace schedlens
