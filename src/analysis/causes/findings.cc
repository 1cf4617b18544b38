#include "analysis/causes/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/causes/rules.h"
#include "analysis/causes/weights.h"
#include "analysis/glossary/glossary.h"

namespace schedlens {
namespace {

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

/// Little next to the first cause, but slower by itself.
bool IsMinor(const WindowEvidence& c, const Weighed& w) {
  if (w.weight >= kLeastWeight || !w.candidate.stage || w.candidate.by_count) return false;
  const double ratio = CostRatio(c, *w.candidate.stage);
  if (ratio >= kLeastStageGrowth && w.weight >= kLeastMinorWeight) return true;
  return ratio >= kLeastMinorGrowth && IsStageSlower(c.now, c.baseline, *w.candidate.stage);
}

const TailShare* TailOf(const WindowEvidence& c, const CauseCandidate& candidate) {
  return candidate.stage ? c.tail.shares.Find(*candidate.stage) : nullptr;
}

bool Counts(const WindowEvidence& c, const Weighed& w) {
  if (w.candidate.stands_alone || w.candidate.holds_loop) return true;
  if (!std::isfinite(w.weight)) return false;  // without sums no share of anything is known
  if (!c.slow && !c.failing) return false;
  if (w.candidate.companion || w.candidate.by_count) return true;
  if (!c.slow || (w.weight < kLeastWeight && !IsMinor(c, w))) return false;
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
  const double seconds =
      w.candidate.stage ? c.now.breakdown.Seconds(*w.candidate.stage) : w.candidate.growth;
  const double share = seconds / std::max(1e-12, c.now.breakdown.e2e.seconds);
  if (share > 1 && !c.contradictions.empty()) return std::nullopt;
  if (w.candidate.growth <= 0 && w.candidate.follows_load) return std::nullopt;  // not about time
  return Estimated(std::min(1.0, share), "1", BasisKind::kSums);
}

bool IsPossible(const Message& text) {
  return std::all_of(text.args.begin(), text.args.end(), [](const Argument& argument) {
    const Value& value = argument.value;
    if (value.type == Value::Type::kShare && !(value.number <= 1)) return false;
    return std::all_of(value.messages.begin(), value.messages.end(), IsPossible);
  });
}

Finding Write(const WindowEvidence& c, const Weighed& w) {
  const FindingText& text = TextOfFinding(w.id);
  Finding finding;
  finding.id = text.id;
  finding.title = TitleOf(text);
  finding.confidence = ConfidenceOf(c, w);
  finding.share = ShareOf(c, w);
  finding.evidence = w.candidate.evidence;
  if (const TailShare* tail = TailOf(c, w.candidate); tail && tail->low > 0.01) {
    finding.evidence.push_back({Message("evidence.tail", {{"share", arg::Share(tail->low)}}), ""});
  }
  std::erase_if(finding.evidence, [](const Evidence& e) { return !IsPossible(e.text); });
  finding.next_steps = NextStepsOf(text);
  return finding;
}

/// Takes out what only follows from a loop that is held up: a queue, and bursts of attempts after
/// each pause, which run into the client's limit.
std::vector<Weighed> TakeConsequences(std::vector<Weighed>* weighed) {
  const auto holds = [](const Weighed& w) { return w.candidate.holds_loop; };
  if (std::none_of(weighed->begin(), weighed->end(), holds)) return {};
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

}  // namespace

std::vector<Finding> FindCauses(const WindowEvidence& c) {
  if (std::isnan(c.now.breakdown.e2e.seconds)) return {};
  std::vector<Weighed> weighed = Weigh(c);
  const std::vector<Weighed> consequences = TakeConsequences(&weighed);
  std::stable_sort(weighed.begin(), weighed.end(),
                   [&](const Weighed& a, const Weighed& b) { return Stronger(c.slow, a, b); });
  std::vector<Finding> findings;
  for (const Weighed& w : weighed) findings.push_back(Write(c, w));
  for (const Weighed& w : consequences) {
    findings.front().consequences.push_back(
        {std::string(w.id), TitleOf(TextOfFinding(w.id)), ShareOf(c, w)});
  }
  return findings;
}

}  // namespace schedlens
