#include "analysis/causes/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/causes/rules.h"
#include "analysis/glossary/glossary.h"
#include "contract/share.h"

namespace schedlens {
namespace {

/// A cause must explain this much of what grew; below it, it is noise next to the real one.
constexpr double kLeastWeight = 0.1;
/// From this much on it is called likely.
constexpr double kLikelyWeight = 0.3;
/// The proven part of the slowest attempts' time that makes a cause certain.
constexpr double kCertainTail = 0.5;
/// A stage that cannot hold even this much of the slowest attempts' time is no cause of a slow
/// tail.
constexpr double kLeastTail = 0.02;

struct Weighed {
  std::string_view id;
  CauseCandidate candidate;
  double weight;  // share of the growth
};

const TailShare* TailOf(const WindowEvidence& c, const CauseCandidate& candidate) {
  return candidate.stage ? c.tail.shares.Find(*candidate.stage) : nullptr;
}

bool Counts(const WindowEvidence& c, const Weighed& w) {
  if (w.candidate.stands_alone) return true;
  if (!std::isfinite(w.weight)) return false;  // without sums no share of anything is known
  if (!c.slow && !c.failing) return false;
  if (w.candidate.companion || w.candidate.by_count) return true;
  if (!c.slow || w.weight < kLeastWeight) return false;
  const TailShare* tail = TailOf(c, w.candidate);
  return !tail || tail->high >= kLeastTail || w.weight >= kLikelyWeight;
}

Confidence ConfidenceOf(const WindowEvidence& c, const Weighed& w) {
  if (w.candidate.tie) return Confidence::kPossible;
  const TailShare* tail = TailOf(c, w.candidate);
  if (w.candidate.proven_within && tail && tail->low >= kCertainTail && c.baseline) {
    return Confidence::kCertain;
  }
  if (w.candidate.by_count) return Confidence::kLikely;
  return w.weight >= kLikelyWeight ? Confidence::kLikely : Confidence::kPossible;
}

Measured ShareOf(const WindowEvidence& c, const Weighed& w) {
  if (!w.candidate.stage && c.baseline && std::isfinite(w.weight)) {
    return Estimated(std::min(1.0, w.weight), "1", std::string(kOfTheGrowth));
  }
  const double e2e = std::max(1e-12, c.now.breakdown.e2e.seconds);
  if (!w.candidate.stage) return Estimated(w.candidate.growth / e2e, "1", BasisKind::kSums);
  return Estimated(c.now.breakdown.Seconds(*w.candidate.stage) / e2e, "1", BasisKind::kSums);
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
  finding.next_steps = NextStepsOf(text);
  return finding;
}

/// Time first; findings about counts come after the times they do not dominate. Pods that wait
/// while every attempt is quick wait for the loop: then the backlog is what hurts.
bool Stronger(bool slow, const Weighed& a, const Weighed& b) {
  const auto rank = [slow](const Weighed& w) {
    if (w.candidate.stands_alone && !slow) return 0;
    if (w.candidate.companion) return 2;
    return w.candidate.by_count && w.weight < 0.5 ? 3 : 1;
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : a.weight > b.weight;
}

}  // namespace

std::vector<Finding> FindCauses(const WindowEvidence& c) {
  if (std::isnan(c.now.breakdown.e2e.seconds)) return {};
  const double total = std::max(1e-12, c.TotalGrowth());
  std::vector<Weighed> weighed;
  for (const CauseRule& rule : Rules()) {
    if (auto candidate = rule.judge(c)) {
      Weighed w{rule.id, std::move(*candidate), 0};
      w.weight = w.candidate.growth / total;
      if (Counts(c, w)) weighed.push_back(std::move(w));
    }
  }
  std::stable_sort(weighed.begin(), weighed.end(),
                   [&](const Weighed& a, const Weighed& b) { return Stronger(c.slow, a, b); });
  std::vector<Finding> findings;
  for (const Weighed& w : weighed) findings.push_back(Write(c, w));
  return findings;
}

}  // namespace schedlens
