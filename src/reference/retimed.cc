#include "reference/retimed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <queue>

#include "sim/base/random.h"
#include "sim/engine/token_bucket.h"

namespace schedlens {
namespace {

using sim::AttemptRecord;
using sim::AttemptStage;
using sim::Cost;
using sim::Nanos;

constexpr std::uint64_t kRetimedSeed = 1;
/// A stream of its own: requests are drawn apart from what was played.
constexpr std::uint64_t kRequestStream = 103;

/// Which of the attempts it is taken from.
std::size_t Pool(bool in_window, bool failing) { return (in_window ? 2 : 0) + (failing ? 1 : 0); }

std::vector<bool> FailingTemplates(const Fitted& fitted) {
  std::vector<bool> failing(fitted.scenario.templates.size());
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    if (arrivals.failing) failing[*arrivals.failing] = true;
  }
  return failing;
}

/// When the next call of at most so many at once begins.
class Slots {
 public:
  /// 0: as many as there are.
  explicit Slots(int most) : most_(static_cast<std::size_t>(most)) {}
  Nanos Begin(Nanos at) {
    if (most_ == 0 || ends_.size() < most_) return at;
    const Nanos free = ends_.top();
    ends_.pop();
    return std::max(at, free);
  }
  void End(Nanos at) {
    if (most_ > 0) ends_.push(at);
  }

 private:
  std::size_t most_;
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> ends_;
};

/// The last bits of a number, one part in 8,000 of it, are not worth a step of sorting.
constexpr int kLeftOut = 10;

/// In two steps through the numbers' bits: positive ones sort as their bits do.
void SortBits(std::vector<float>* values) {
  constexpr int kBits = 11;
  std::vector<float> other(values->size());
  for (int shift = kLeftOut; shift < 32; shift += kBits) {
    const auto digit = [&](float v) {
      return (std::bit_cast<std::uint32_t>(v) >> shift) & ((1U << kBits) - 1);
    };
    std::array<std::uint32_t, 1U << kBits> next{};
    for (const float v : *values) ++next[digit(v)];
    std::uint32_t reached = 0;
    for (std::uint32_t& n : next) reached += std::exchange(n, reached);
    for (const float v : *values) other[next[digit(v)]++] = v;
    values->swap(other);
  }
}

std::vector<double> Ascending(std::vector<float> seconds) {
  for (float& v : seconds)
    v = std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) >> kLeftOut << kLeftOut);
  SortBits(&seconds);
  return {seconds.begin(), seconds.end()};
}

}  // namespace

Retimer::Retimer(const Fitted& fitted, const sim::SimulationResult& result)
    : costs_(fitted.now().costs) {
  const sim::Scenario& scenario = fitted.scenario;
  const std::vector<bool> failing = FailingTemplates(fitted);
  const Nanos patch = sim::FromSeconds(costs_[Cost::kWriteApi].wall.Mean());
  sim::Random random(kRetimedSeed, kRequestStream);
  std::vector<const AttemptRecord*> attempts;
  for (const AttemptRecord& attempt : result.attempts) attempts.push_back(&attempt);
  std::sort(attempts.begin(), attempts.end(),
            [](const auto* a, const auto* b) { return a->start < b->start; });
  for (const AttemptRecord* one : attempts) {
    const AttemptRecord& attempt = *one;
    const std::uint32_t shape = result.pods[attempt.pod].pod_template;
    const bool in_window = attempt.start >= scenario.incident_start;
    Taken taken;
    if (failing[shape]) {
      taken.loop = attempt.e2e;
      taken.asks = attempt.number == 1 && !scenario.templates[shape].condition_set &&
                   !scenario.AsyncApiCalls();
      if (taken.asks) taken.loop += patch;
    } else if (attempt.result == sim::AttemptResult::kScheduled) {
      taken.bound = true;
      taken.asks = attempt[AttemptStage::kBind] > 0;
      taken.loop = attempt.algorithm;
      for (const AttemptStage stage :
           {AttemptStage::kAssume, AttemptStage::kReserve, AttemptStage::kPermit}) {
        taken.loop += attempt[stage];
      }
      taken.after = attempt[AttemptStage::kFinish] + attempt[AttemptStage::kExtBind];
      taken.before = attempt.e2e - taken.loop - attempt[AttemptStage::kBind] - taken.after;
      const sim::Segment& segment =
          in_window ? scenario.segments.back() : scenario.segments.front();
      const auto& api = segment.conditions.costs[Cost::kBindApi].wall;
      if (taken.asks) taken.request = sim::FromSeconds(api.Sample(random));
    } else {
      continue;  // its pod comes again
    }
    taken_[Pool(in_window, failing[shape])].push_back(taken);
  }
}

const Retimer::Line& Retimer::LineOf(const Fitted& reading) {
  const sim::Scenario& scenario = reading.scenario;
  const sim::Costs& costs = scenario.segments.back().conditions.costs;
  const auto more = sim::FromSeconds(costs[Cost::kAssume].wall.Mean()) -
                    sim::FromSeconds(costs_[Cost::kAssume].wall.Mean());
  for (const Line& line : lines_) {
    if (line.group == reading.group && line.more_on_loop == more &&
        line.arrivals == reading.arrivals) {
      return line;
    }
  }
  Line& out = lines_.emplace_back(Line{reading.arrivals, reading.group, more, {}});
  const std::vector<bool> failing = FailingTemplates(reading);
  std::array<std::size_t, 4> next{};
  Nanos free = 0;
  for (const sim::Action& pod : reading.Played(kRetimedSeed).actions) {
    const bool in_window = pod.at >= scenario.incident_start;
    const std::size_t pool = Pool(in_window, failing[pod.pod_template]);
    if (taken_[pool].empty()) continue;
    const Taken& taken = taken_[pool][next[pool]++ % taken_[pool].size()];
    const Nanos start = std::max(pod.at, free);
    const Nanos moved = taken.bound && in_window ? more : 0;
    free = start + taken.loop + moved;
    out.asked.push_back({free + std::max<Nanos>(0, taken.before - moved), start, pod.at, &taken});
  }
  InOrder(&out.asked);
  return out;
}

std::vector<double> Retimer::Ask(const Fitted& reading, Nanos Asked::*from) {
  const sim::Scenario& scenario = reading.scenario;
  const double was = costs_[Cost::kBindApi].wall.Mean();
  const double now = scenario.segments.back().conditions.costs[Cost::kBindApi].wall.Mean();
  const double factor = was > 0 ? now / was : 1;
  sim::TokenBucket bucket(scenario.qps, scenario.client_burst);
  Slots slots(scenario.AsyncApiCalls() ? scenario.parallelism : 0);
  std::vector<float> seconds;
  const std::vector<Asked>& line = LineOf(reading).asked;
  seconds.reserve(line.size());
  for (const Asked& one : line) {
    const Taken& taken = *one.taken;
    Nanos end = one.at;
    if (taken.asks) {
      const Nanos begin = slots.Begin(one.at);
      const bool in_window = one.start >= scenario.incident_start;
      end = begin + bucket.Take(begin) +
            static_cast<Nanos>(static_cast<double>(taken.request) * (in_window ? factor : 1));
      slots.End(end);
    }
    end += taken.after;
    if (!taken.bound || end <= scenario.incident_start || end > scenario.incident_end) continue;
    seconds.push_back(static_cast<float>(sim::ToSeconds(end - one.*from)));
  }
  return Ascending(std::move(seconds));
}

std::vector<double> Retimer::Attempts(const Fitted& reading) { return Ask(reading, &Asked::start); }

std::vector<double> Retimer::Pods(const Fitted& reading) { return Ask(reading, &Asked::added); }

}  // namespace schedlens
