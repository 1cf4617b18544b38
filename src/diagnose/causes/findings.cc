#include "diagnose/causes/findings.h"

#include "diagnose/collect/missing.h"
#include "diagnose/explain/glossary.h"

namespace schedlens {
namespace {

using kube::Stage;

constexpr double kMostWeight = 0.5;
/// The proven part of the slowest attempts' time that makes a cause certain.
constexpr double kCertainTail = 0.5;
/// A stage whose cost grew by less is at most possible.
constexpr double kLeastStageGrowth = 1.5;
/// A stage that cannot hold even this much of the slowest attempts' time is no cause of a slow
/// tail.
constexpr double kLeastTail = 0.02;

/// What makes attempts slow by itself is worth a line from this growth of its cost on.
constexpr double kLeastMinorGrowth = 1.05;
/// Where no histogram shows that, growth of the cost must be clear, and be seen at all.
constexpr double kLeastMinorWeight = 0.001;
/// With thousands of calls any drift is significant; this is not drift.
constexpr double kBeyondDrift = 1e-6;

struct Weighed {
  std::string_view id;
  CauseCandidate candidate;
  double weight = 0;  // share of the growth
};

/// Now over the baseline, a scheduled attempt; infinite where the baseline has none of it.
double CostRatio(const WindowEvidence& c, kube::Stage stage) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (!c.baseline || c.baseline->breakdown.scheduled() <= 0) return kUnknown;
  const TimeBreakdown& now = c.now.breakdown;
  const TimeBreakdown& before = c.baseline->breakdown;
  const double then = before.Seconds(stage) / before.scheduled();
  return then > 0 ? now.Seconds(stage) / std::max(1.0, now.scheduled()) / then : kUnknown;
}

/// Of its calls by themselves; 1 of what is no stage's, or hardly costlier.
double OwnPValue(const WindowEvidence& c, const Weighed& w, bool as_attempts) {
  const auto& stage = w.candidate.stage;
  if (!stage || w.candidate.by_count || CostRatio(c, *stage) < kLeastMinorGrowth) return 1;
  return StagePValue(c.now, c.baseline, *stage, as_attempts);
}

/// Little next to the first cause, but clearly costlier, or its calls slower beyond any drift.
bool IsMinor(const WindowEvidence& c, const Weighed& w) {
  if (!w.candidate.stage || w.candidate.by_count || w.weight < kLeastMinorWeight) return false;
  return CostRatio(c, *w.candidate.stage) >= kLeastStageGrowth ||
         OwnPValue(c, w, false) <= kBeyondDrift;
}

const TailShare* TailOf(const WindowEvidence& c, const CauseCandidate& candidate) {
  return candidate.stage ? c.tail.shares.Find(*candidate.stage) : nullptr;
}

bool Counts(const WindowEvidence& c, const Weighed& w) {
  if (w.candidate.stands_alone || w.candidate.holds_loop) return true;
  if (!std::isfinite(w.weight)) return false;  // without sums no share of anything is known
  if (!c.slow && !c.failing) return false;
  if (w.candidate.companion || w.candidate.by_count) return true;
  if (!c.slow) return false;
  // Slower than nearly all attempts were: that makes some slow, however few next to the first's.
  if (OwnPValue(c, w, true) <= kSignificant) return true;
  if (w.weight < kLeastWeight && !IsMinor(c, w)) return false;
  const TailShare* tail = TailOf(c, w.candidate);
  return !tail || tail->high >= kLeastTail || w.weight >= kLikelyWeight;
}

/// Whether scheduled attempts are slower too; without buckets their mean has to tell.
bool OthersSlower(const WindowEvidence& c) {
  if (c.slow || HasBuckets(c.now.cells.attempt)) return c.slow;
  const auto scheduled = ToString(kube::AttemptResult::kScheduled);
  const auto now = c.now.Tail(scheduled);
  const auto before = c.baseline ? c.baseline->Tail(scheduled) : std::nullopt;
  return now && before && now->mean >= kLeastStageGrowth * before->mean;
}

Confidence ConfidenceOf(const WindowEvidence& c, const Weighed& w) {
  if (w.candidate.tie || (w.weight < kLeastWeight && !w.candidate.holds_loop &&
                          !w.candidate.by_count && !w.candidate.companion)) {
    return Confidence::kPossible;
  }
  if (w.candidate.stage && CostRatio(c, *w.candidate.stage) < kLeastStageGrowth) {
    return Confidence::kPossible;
  }
  const TailShare* tail = TailOf(c, w.candidate);
  if (w.candidate.proven_within && tail && tail->low >= kCertainTail && c.baseline) {
    return Confidence::kCertain;
  }
  // Failed attempts do not make others slow: something else does.
  if (w.candidate.by_count && w.weight < kMostWeight && OthersSlower(c)) {
    return Confidence::kPossible;
  }
  if (w.candidate.by_count || w.candidate.holds_loop) return Confidence::kLikely;
  return w.weight >= kLikelyWeight ? Confidence::kLikely : Confidence::kPossible;
}

/// Nothing where the sums make a part larger than its whole.
std::optional<Measured> ShareOf(const WindowEvidence& c, const Weighed& w) {
  if (!w.candidate.stage && c.baseline && std::isfinite(w.weight)) {
    return Estimated(std::min(1.0, w.weight), "1", BasisKind::kGrowth);
  }
  const double all = std::max(1e-12, c.now.breakdown.e2e.seconds);
  if (w.id == "bind.client-throttling" && c.limiter && c.limiter->high <= all) {
    return Bounded(c.limiter->low / all, c.limiter->value / all, c.limiter->high / all, "1",
                   BasisKind::kRateLimiter);
  }
  const double seconds =
      w.candidate.stage ? c.now.breakdown.Seconds(*w.candidate.stage) : w.candidate.growth;
  const double share = seconds / all;
  if (share > 1 && !c.contradictions.empty()) return std::nullopt;
  if (w.candidate.growth <= 0 && w.candidate.follows_load) return std::nullopt;  // not about time
  return Estimated(std::min(1.0, share), "1", BasisKind::kSums);
}

bool IsPossible(const Message& text) {
  return std::ranges::all_of(text.args, [](const Argument& argument) {
    const Value& value = argument.value;
    if (value.type == Value::Type::kShare && !(value.number <= 1)) return false;
    return std::ranges::all_of(value.messages, IsPossible);
  });
}

Finding Write(const WindowEvidence& c, const Weighed& w) {
  Finding finding = FindingOf(w.id, ConfidenceOf(c, w), w.candidate.evidence);
  finding.share = ShareOf(c, w);
  if (const TailShare* tail = TailOf(c, w.candidate); tail && tail->low > 0.01) {
    finding.evidence.push_back({Message("evidence.tail", {{"share", arg::Share(tail->low)}})});
  }
  std::erase_if(finding.evidence, [](const Evidence& e) { return !IsPossible(e.text); });
  return finding;
}

/// Takes out what only follows from a loop that is held up: a queue, and bursts of attempts after
/// each pause, which run into the client's limit.
std::vector<Weighed> TakeConsequences(std::vector<Weighed>* weighed) {
  const auto holds = [](const Weighed& w) { return w.candidate.holds_loop; };
  if (std::ranges::none_of(*weighed, holds)) return {};
  const auto own = [](const Weighed& w) { return !w.candidate.follows_load; };
  const auto first = std::stable_partition(weighed->begin(), weighed->end(), own);
  std::vector<Weighed> taken(std::make_move_iterator(first),
                             std::make_move_iterator(weighed->end()));
  weighed->erase(first, weighed->end());
  return taken;
}

/// Time first; findings about counts come after the times they do not dominate. Pods that wait
/// while every attempt is quick wait for the loop: then the backlog is what hurts.
bool Stronger(bool slow, const Weighed& a, const Weighed& b) {
  const auto rank = [slow](const Weighed& w) {
    if (w.candidate.holds_loop) return 0;
    if (w.candidate.stands_alone && !slow) return 0;
    if (w.candidate.companion) return 2;
    return w.candidate.by_count && w.weight < kMostWeight ? 3 : 1;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.candidate.tie && b.candidate.tie && a.candidate.second != b.candidate.second) {
    return b.candidate.second;
  }
  return a.weight > b.weight;
}

std::vector<Weighed> Weigh(const WindowEvidence& c) {
  const double total = std::max(1e-12, c.TotalGrowth());
  std::vector<Weighed> weighed;
  for (const CauseRule& rule : Rules()) {
    auto candidate = rule.judge(c);
    if (!candidate) continue;
    candidate->holds_loop = candidate->stage && HoldsLoop(c, *candidate->stage);
    Weighed w{.id = rule.id, .candidate = std::move(*candidate)};
    w.weight = w.candidate.growth / total;
    if (Counts(c, w)) weighed.push_back(std::move(w));
  }
  return weighed;
}

/// What rounding, downsampling and a page that is written while attempts end may be off by.
constexpr double kHair = 1e-3;
/// A page's histograms are read one after the other: attempts of this long may lie between two.
constexpr double kPageSeconds = 0.1;

template <typename Child>
Value NameOfChild(const Child& child) {
  static const std::vector<std::string> kOwn = {"extension_point", "status", "result", "profile"};
  return child.labels.Only(kOwn).With("__name__", child.family).ToString();
}

/// One sentence a child at most.
void AddImpossibleValues(const Histograms& histograms, const TimeRange& window,
                         std::vector<Message>* found) {
  for (const HistogramFacts* histogram : AllOf(histograms)) {
    for (const HistogramSeries& child : histogram->children) {
      for (std::size_t i = 0; i < child.times.size(); ++i) {
        if (child.times[i] < window.start || child.times[i] > window.end) continue;
        const auto row = child.Row(i);
        const double most = row.empty() ? 0 : *std::ranges::max_element(row);
        const bool whole = !row.empty() && std::isinf(child.bounds.back());
        Message wrong;
        if (std::isinf(most) || std::isinf(child.sums[i]) || std::isinf(child.counts[i])) {
          wrong = Message("contradiction.infinite");
        } else if (most >= kMostCounted) {
          wrong = Message("contradiction.count", {{"count", arg::Number(most)}});
        } else if (child.sums[i] < 0) {
          wrong = Message("contradiction.negative", {{"sum", arg::Number(child.sums[i])}});
        } else if (whole && std::abs(row.back() - child.counts[i]) > kHair * row.back() + 1) {
          wrong = Message("contradiction.two_counts", {{"count", arg::Number(child.counts[i])},
                                                       {"buckets", arg::Number(row.back())}});
        } else {
          continue;
        }
        wrong.args.insert(wrong.args.begin(), {"series", NameOfChild(child)});
        found->push_back(std::move(wrong));
        break;
      }
    }
  }
}

/// From each scrape to the next a histogram's sum grows by what its buckets allow: its observations
/// at the lower edges at least, at the upper ones at most. One sentence a child.
void AddSumOutsideBuckets(const ScrapeIncreases& child, std::vector<Message>* found) {
  const bool bounded = !child.torn && child.bounds.size() >= 2;
  for (std::size_t i = 0; i < child.cells(); ++i) {
    const double sum = child.sums[i];
    const auto tell = [&](const char* id, double bound) {
      found->push_back(Message(id, {{"series", NameOfChild(child)},
                                    {"sum", arg::Duration(std::abs(sum))},
                                    {"bound", arg::Duration(bound)}}));
    };
    const double size = i + 1 < child.sum_at.size() ? std::abs(child.sum_at[i + 1]) : 0;
    const double slack = 1e-9 * std::max(1.0, size);
    if (!child.reset[i] && sum < -slack) return tell("contradiction.fell", 0);
    if (!bounded) continue;
    double low = 0, high = 0;
    const auto row = child.Buckets(i);
    for (std::size_t b = 0; b < row.size(); ++b) {
      if (row[b] <= 0) continue;
      low += row[b] * (b == 0 ? 0 : child.bounds[b - 1]);
      high += row[b] * child.bounds[b];
    }
    if (sum < (1 - kHair) * low - slack) return tell("contradiction.sum.low", low);
    if (sum > (1 + kHair) * high + slack) return tell("contradiction.sum.high", high);
  }
}

/// The client's POST requests in the window, added up as if between two scrapes.
ScrapeIncreases PostRequests(const Facts& facts, const TimeRange& window) {
  ScrapeIncreases posts;
  posts.family = kube::NameOf(kube::Metric::kRestRequest);
  posts.reset = {true};
  std::map<double, double> upto;
  for (const CounterIncrease& c : IncreasesOf(facts, "rest_posts", window)) {
    const auto bound = ParseNumber(c.labels.Get("le"));
    if (bound) upto[*bound] += c.increase;
  }
  const auto seconds = [](const Labels& labels) {
    return labels.Get("verb") == "POST" && labels.Get(kMetricName).ends_with("_sum");
  };
  posts.sums = {TotalIncrease(facts, "rest_request", window, seconds).value_or(kNaN)};
  double before = 0;
  for (const auto& [bound, count] : upto) {
    posts.bounds.push_back(bound);
    posts.buckets.push_back(count - std::exchange(before, count));
  }
  return posts;
}

/// What may make parts look larger than their whole: attempts that cross the window's end, and
/// those that end while a page is read.
Tops AllowanceOf(const Facts& facts, const Histograms& histograms, const WindowIncreases& cells,
                 const TimeBreakdown& breakdown) {
  const TailPopulations p = TailPopulationsOf(facts.targets, cells);
  const double length = static_cast<double>(cells.window.end - cells.window.start) / 1000;
  const double rate = length > 0 ? breakdown.e2e.count / length : 0;
  const double between = 2 * static_cast<double>(facts.targets.size()) + kPageSeconds * rate;
  Tops running = RunningAtEnd(histograms, facts.targets, cells, breakdown);
  for (const kube::StageRow& row : kube::kStageTable) running[row.stage] += between;
  Tops tops = TopsOfRunning(p, breakdown, running, breakdown.e2e.count);
  tops[Stage::kBind] = BindTop(p, breakdown, RoundUp(running.Get(Stage::kBind)));
  return tops;
}

constexpr int kLastOfBoundPods = 18;

void AddPartsOverTheirWhole(const Facts& facts, const Histograms& histograms,
                            const WindowIncreases& cells, const TimeBreakdown& breakdown,
                            std::vector<Message>* found) {
  if (cells.extension_point.empty() || cells.algorithm.empty() || cells.attempt.empty()) return;
  const Tops allowance = AllowanceOf(facts, histograms, cells, breakdown);
  const auto compare = [&](const Value& part, double seconds, const Value& whole, double total,
                           double allowed) {
    if (!(seconds > (1 + kHair) * total + allowed)) return;
    found->push_back(Message("contradiction.part", {{"part", part},
                                                    {"seconds", arg::Duration(seconds)},
                                                    {"whole", whole},
                                                    {"total", arg::Duration(total)}}));
  };
  double stages = 0, stages_allowed = 0, points = 0, points_allowed = 0;
  std::pair<double, std::string> largest;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (row.parent == Stage::kAlgorithm && row.point) {
      points += breakdown.Seconds(row.stage);
      points_allowed += allowance.Get(row.stage);
    }
    if (row.parent || row.stage == Stage::kUnmeasured) continue;
    stages_allowed += allowance.Get(row.stage);
    // From 1.21 an extender's bind is only what the rest leaves.
    const bool rest = row.stage == Stage::kBind && !breakdown.has_binding;
    const Stage stage = rest ? Stage::kBindPlugins : row.stage;
    stages += breakdown.Seconds(stage);
    largest = std::max(largest, {breakdown.Seconds(stage), std::string(RowOf(stage).measured_by)});
  }
  // Which failed attempts had found a node may be an estimate.
  if (breakdown.late_failures > 0) {
    stages_allowed += breakdown.FailedSeconds();
    points_allowed += breakdown.FailedSeconds();
  }
  // Up to 1.18 the whole holds bound pods only, extension points all attempts.
  if (DetectRelease(facts).newest > kLastOfBoundPods) {
    compare(Message("contradiction.stages", {{"largest", largest.second}}), stages,
            cells.attempt.front().family, breakdown.e2e.seconds, stages_allowed);
    compare(Message("contradiction.points"), points, cells.algorithm.front().family,
            breakdown.Seconds(Stage::kAlgorithm), points_allowed);
  }
  if (breakdown.has_binding) {
    compare("EP{Bind, status=Success}", breakdown.bind_ok.seconds, cells.binding.front().family,
            breakdown.binding.seconds, allowance.Get(Stage::kBind));
  }
}

std::vector<Message> FindIn(const Facts& facts, const Histograms& histograms,
                            const WindowIncreases& cells, const TimeBreakdown& breakdown) {
  std::vector<Message> found;
  AddImpossibleValues(histograms, cells.window, &found);
  if (!found.empty()) return found;  // whatever is added up from these follows from them
  for (const auto* children : {&cells.attempt, &cells.algorithm, &cells.binding,
                               &cells.extension_point, &cells.permit_wait, &cells.pod_scheduling}) {
    for (const ScrapeIncreases& child : *children) {
      AddSumOutsideBuckets(child, &found);
    }
  }
  AddSumOutsideBuckets(PostRequests(facts, cells.window), &found);
  if (breakdown.e2e.count < 1 || std::isnan(breakdown.e2e.seconds)) return found;
  AddPartsOverTheirWhole(facts, histograms, cells, breakdown, &found);
  const auto counts = ContradictingCounts(facts, cells, breakdown, kHair);
  found.insert(found.end(), counts.begin(), counts.end());
  return found;
}

}  // namespace

std::vector<Finding> FindCauses(const WindowEvidence& c) {
  if (std::isnan(c.now.breakdown.e2e.seconds)) return {};
  std::vector<Weighed> weighed = Weigh(c);
  const std::vector<Weighed> consequences = TakeConsequences(&weighed);
  std::ranges::stable_sort(
      weighed, [&](const Weighed& a, const Weighed& b) { return Stronger(c.slow, a, b); });
  std::vector<Finding> findings;
  for (const Weighed& w : weighed) findings.push_back(Write(c, w));
  for (const Weighed& w : consequences) {
    findings.front().consequences.push_back(
        {std::string(w.id), TitleOf(TextOfFinding(w.id)), ShareOf(c, w)});
  }
  // Of numbers that contradict each other it is not known which is wrong.
  if (!c.contradictions.empty()) {
    for (Finding& finding : findings) finding.confidence = Confidence::kPossible;
  }
  return findings;
}

std::vector<Message> FindContradictions(const Facts& facts, const Histograms& histograms,
                                        const Measurement& now,
                                        const std::optional<Measurement>& baseline) {
  const std::vector<Message> of_now = FindIn(facts, histograms, now.cells, now.breakdown);
  std::vector<Message> found = of_now;
  if (!baseline) return found;
  // The same of both is said once, of the window.
  for (const Message& one : FindIn(facts, histograms, baseline->cells, baseline->breakdown)) {
    if (std::ranges::count(of_now, one.id, &Message::id) == 0) found.push_back(one);
  }
  return found;
}

}  // namespace schedlens
