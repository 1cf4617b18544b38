#include "analysis/neighbours/loads.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/causes/slowness.h"
#include "analysis/glossary/glossary.h"
#include "analysis/neighbours/growth.h"
#include "analysis/neighbours/meter.h"
#include "analysis/neighbours/weighed.h"

namespace schedlens {
namespace {

constexpr std::size_t kMostLoads = 5;
/// Bursts that are less of the load than this are not what the scheduler is busy with.
constexpr double kLeastInBursts = 0.3;

double AtLeastZero(double x) { return std::max(0.0, x); }

/// What a workload's growth is of all that grew: it may have had all that was missed before, or all
/// that was missed now; and so may the others.
class Growths {
 public:
  explicit Growths(const CreatedPods& created)
      : created_(created), scale_(created.now.seconds() / created.before.seconds()) {
    for (const auto& [workload, pods] : created.workloads) all_ = all_ + Of(pods);
    // What was missed can be given away once only.
    all_.high -= Missed() * AtLeastZero(static_cast<double>(created.workloads.size()) - 1);
  }

  Between Of(const Created& pods) const {
    const double usual = pods.before * scale_;
    Between out{AtLeastZero(pods.now - usual - created_.missed_before * scale_),
                AtLeastZero(pods.now - usual), AtLeastZero(pods.now - usual) + Missed()};
    return out;
  }

  Between PartOf(const Created& pods) const {
    const Between one = Of(pods);
    const auto part = [](double own, double others) {
      return own > 0 ? own / (own + AtLeastZero(others)) : 0;
    };
    return {part(one.low, all_.high - one.value), part(one.value, all_.value - one.value),
            part(one.high, all_.low - one.low)};
  }

 private:
  double Missed() const { return created_.missed_now; }

  const CreatedPods& created_;
  double scale_;
  Between all_ = Between::Exactly(0);
};

std::string ObjectOf(const WorkloadKey& workload) {
  return workload.name_space + "/" + workload.name;
}

CauseBehind Write(const WorkloadKey& workload, const char* title, const Between& part,
                  Message seen) {
  const FindingText& text = TextOfFinding("load.workload");
  CauseBehind behind;
  behind.id = text.id;
  behind.object = ObjectOf(workload);
  behind.title = Message(title, {{"object", behind.object}});
  behind.share = Bounded(part.low, part.value, part.high, "1", BasisKind::kGrowth);
  behind.confidence = part.value >= kLikelyWeight ? Confidence::kLikely : Confidence::kPossible;
  behind.evidence.push_back({std::move(seen), ""});
  behind.next_steps = NextStepsOf(text);
  return behind;
}

std::vector<CauseBehind> WhoGrew(const CreatedPods& created) {
  const Growths growths(created);
  std::vector<CauseBehind> found;
  for (const auto& [workload, pods] : created.workloads) {
    const Counted seen{pods.now, pods.before + created.missed_before, created.now.seconds(),
                       created.before.seconds()};
    const Between part = growths.PartOf(pods);
    if (workload.name.empty() || part.value < kLeastWeight) continue;
    if (!HasGrown(seen, created.workloads.size())) continue;
    found.push_back(Write(workload, "behind.load.workload", part,
                          Message("evidence.behind.load",
                                  {{"now", arg::Number(pods.now / created.now.seconds())},
                                   {"before", arg::Number(pods.before / created.before.seconds())},
                                   {"least", arg::Share(part.low)}})));
  }
  return found;
}

using PerWorkload = std::map<WorkloadKey, double>;

double Sum(const PerWorkload& pods) {
  double sum = 0;
  for (const auto& [workload, n] : pods) sum += n;
  return sum;
}

/// The chance that the `busiest` seconds of both windows all fall into the later one.
double ChanceOfAll(std::size_t busiest, double seconds_now, double seconds_before) {
  double chance = 1;
  for (std::size_t i = 0; i < busiest && chance > 0; ++i) {
    const double left = seconds_now - static_cast<double>(i);
    chance *= AtLeastZero(left / (left + seconds_before));
  }
  return chance;
}

/// Seconds of the window that are busier than any of the baseline's.
struct Bursts {
  std::size_t seconds = 0;
  double pods = 0, most = 0, most_before = 0;
  PerWorkload by_workload;
};

Bursts FindBursts(const CreatedPods& created) {
  Bursts out;
  for (const auto& [second, pods] : created.seconds_before) {
    out.most_before = std::max(out.most_before, Sum(pods));
  }
  for (const auto& [second, pods] : created.seconds_now) {
    const double n = Sum(pods);
    if (n < kLeastGrowth * (out.most_before + 1)) continue;
    ++out.seconds;
    out.pods += n;
    out.most = std::max(out.most, n);
    for (const auto& [workload, own] : pods) out.by_workload[workload] += own;
  }
  return out;
}

std::vector<CauseBehind> WhoComesInBursts(const CreatedPods& created) {
  const Bursts bursts = FindBursts(created);
  double all = 0;
  for (const auto& [second, pods] : created.seconds_now) all += Sum(pods);
  const double chance =
      ChanceOfAll(bursts.seconds, created.now.seconds(), created.before.seconds());
  if (bursts.seconds == 0 || chance > kSignificant || bursts.pods < kLeastInBursts * all) return {};
  std::vector<CauseBehind> found;
  for (const auto& [workload, pods] : bursts.by_workload) {
    const double whole = bursts.pods + created.missed_now;
    const Between part{pods / whole, pods / bursts.pods, (pods + created.missed_now) / whole};
    if (workload.name.empty() || part.value < kLeastWeight) continue;
    found.push_back(
        Write(workload, "behind.load.workload.bursts", part,
              Message("evidence.behind.bursts", {{"pods", arg::Count(pods)},
                                                 {"seconds", arg::Count(bursts.seconds)},
                                                 {"most", arg::Count(bursts.most)},
                                                 {"before", arg::Count(bursts.most_before)}})));
  }
  return found;
}

}  // namespace

std::vector<CauseBehind> WhoCreatesPods(const CreatedPods& created) {
  std::vector<CauseBehind> found = WhoGrew(created);
  if (found.empty()) found = WhoComesInBursts(created);
  std::stable_sort(found.begin(), found.end(), [](const CauseBehind& a, const CauseBehind& b) {
    return *a.share.value > *b.share.value;
  });
  if (found.size() > kMostLoads) found.resize(kMostLoads);
  const Message coverage("evidence.behind.coverage",
                         {{"seen", arg::Count(created.seen_now)},
                          {"all", arg::Count(created.seen_now + created.missed_now)}});
  for (CauseBehind& one : found) one.evidence.push_back({coverage, ""});
  return found;
}

}  // namespace schedlens
