#include "base/work_budget.h"
#include "replay/fit.h"

namespace schedlens {
namespace {

using sim::Cost;

/// With fewer in an interval, one that has none is no outage.
constexpr double kLeastUsual = 20;
/// A stream of its own: the scheduler's draws do not depend on where a pod falls in its interval.
constexpr std::uint64_t kStream = 101;

/// The median rate of the intervals that have any, observations a second.
double UsualRate(const ScrapeIncreases& child) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < child.cells(); ++i) {
    const double seconds = MsToSeconds(child.edges[i + 1] - child.edges[i]);
    if (child.Count(i) > 0 && seconds > 0) rates.push_back(child.Count(i) / seconds);
  }
  return rates.empty() ? 0 : UpperMedian(std::move(rates));
}

/// A pod that fails again and again is patched once, and its event twice.
constexpr double kPatchesAPod = 3;
/// A backlog is this many pods, and the pods of this many seconds.
constexpr double kLeastQueued = 20, kLeastSeconds = 1;

/// The only target that made attempts.
std::optional<std::size_t> OnlyWorker(const Measurement& window) {
  std::map<std::size_t, double> attempts;
  for (const ScrapeIncreases& child : window.cells.attempt) {
    attempts[child.target] += TotalCount(child);
  }
  std::erase_if(attempts, [](const auto& target) { return !(target.second > 0); });
  if (attempts.size() != 1) return std::nullopt;
  return attempts.begin()->first;
}

/// More failed attempts than this are played several as one.
constexpr double kMostFailures = 30'000;
/// The fitted release from which on the back-off queue is popped early.
constexpr int kPopsFromBackoff = 34;

/// What the pods that were bound in the window had gone through.
struct Retries {
  double pods = 0;                             ///< bound
  double retried = 0;                          ///< of these, at a second attempt or later
  double failures = 0;                         ///< attempts of theirs that had failed
  std::vector<const ScrapeIncreases*> waited;  ///< the histograms of the retried ones
};

Retries CountRetries(const Measurement& window) {
  Retries out;
  for (const ScrapeIncreases& child : window.cells.pod_scheduling) {
    // "1", "2", ... "15+"
    std::string label(child.labels.Get("attempts"));
    if (label.ends_with('+')) label.pop_back();
    const double attempts = ParseNumber(label).value_or(1), pods = TotalCount(child);
    out.pods += pods;
    if (attempts < 2) continue;
    out.retried += pods;
    out.failures += (attempts - 1) * pods;
    out.waited.push_back(&child);
  }
  return out;
}

double CountOf(const TimeBreakdown& breakdown, kube::AttemptResult result) {
  return breakdown.by_result.Get(result).count;
}

/// A template that fits nowhere, whose attempts take that long. `tried_before`: its pods' status
/// says so already; `preempt`: they preempt others, theirs is the higher priority.
std::size_t AddTemplate(const sim::Distribution& wall, bool tried_before, bool preempt,
                        Fitted* fitted) {
  sim::Scenario& scenario = fitted->scenario;
  sim::PodTemplate pod;
  pod.name = tried_before ? "stuck" : "new-stuck";
  // An idle loop takes them from the back-off queue early: they wait for every other pod.
  const bool yields = tried_before && scenario.release.minor >= kPopsFromBackoff;
  if (preempt || yields) pod.priority = preempt ? 1 : -1;
  pod.never_fits = sim::kAffinityPlugin;
  pod.once = true;
  pod.condition_set = tried_before;
  scenario.templates.push_back(pod);
  scenario.preemption = false;
  const sim::StepCost all{.wall = wall};
  const sim::CostOverrides costs = {
      {Cost::kFilter, all}, {Cost::kSnapshot, {}}, {Cost::kPreFilter, {}}, {Cost::kPostFilter, {}}};
  for (sim::Segment& segment : scenario.segments) {
    sim::Conditions& c = segment.conditions;
    c.weights.push_back(0);
    c.template_costs.resize(scenario.templates.size() - 1);
    c.template_costs.push_back(costs);
  }
  return scenario.templates.size() - 1;
}

/// As many attempts of a template as these counted, times `share`.
void AddCounted(const std::vector<const ScrapeIncreases*>& failed, double share,
                std::size_t pod_template, bool flushed, const PlayedPart& part, Fitted* fitted) {
  for (const ScrapeIncreases* child : failed) {
    for (std::size_t i = 0; i < child->cells(); ++i) {
      CountedArrivals attempts =
          part.Of(child->edges[i], child->edges[i + 1], child->Count(i) * share);
      if (!(attempts.count > 0)) continue;
      attempts.failing = pod_template;
      attempts.flushed = flushed;
      fitted->arrivals.push_back(attempts);
    }
  }
}

/// Attempts of pods that are not bound: `fresh` of them for the first time, which costs a status
/// PATCH, on the loop where calls are not dispatched. `bound` others were bound meanwhile.
void AddStuck(const std::vector<const ScrapeIncreases*>& failed, double stuck, double fresh,
              bool preempt, double bound, const PlayedPart& part, Fitted* fitted) {
  const LatencyShape shape = ShapeOf(failed);
  if (fresh > 0) {
    const std::size_t pod = AddTemplate(DistributionOf(shape, shape), false, preempt, fitted);
    if (part.incoming.empty()) AddCounted(failed, fresh / shape.count, pod, false, part, fitted);
    // In the queue they cannot be told from those that are bound: the share of the tried.
    for (CountedArrivals arrivals : part.incoming) {
      arrivals.count *= fresh / (bound + fresh);
      arrivals.failing = pod;
      fitted->arrivals.push_back(arrivals);
    }
  }
  const double again = stuck - fresh;
  if (again < 1) return;
  AskMemory(sizeof(double) * again, "a replay of the window's failed attempts");
  const int merged = std::max(1, CutTo<int>(std::ceil(again / kMostFailures)));
  fitted->failures.merged = merged;
  // Many together take about their mean each.
  const std::size_t pod =
      AddTemplate(merged > 1 ? sim::Distribution::Constant(merged * shape.mean())
                             : DistributionOf(shape, shape),
                  true, preempt, fitted);
  const bool flushed = !preempt && fitted->scenario.release.minor < kPopsFromBackoff;
  AddCounted(failed, again / shape.count / merged, pod, flushed, part, fitted);
}

/// Attempts that found no node and whose pods were not bound.
double StuckAttempts(const Measurement& window) {
  const TimeBreakdown& breakdown = window.breakdown;
  const double errors = CountOf(breakdown, kube::AttemptResult::kError);
  const double unschedulable = CountOf(breakdown, kube::AttemptResult::kUnschedulable);
  return unschedulable - std::clamp(breakdown.late_failures - errors, 0.0, unschedulable);
}

}  // namespace

double UpperMedian(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

CountedArrivals PlayedPart::Of(TimeMs from, TimeMs to, double counted) const {
  const sim::Nanos first = at + (from - start) * sim::kMillisecond;
  const sim::Nanos last = at + (to - start) * sim::kMillisecond;
  CountedArrivals out{std::max(first, at), std::min(last, at + length)};
  const double played = static_cast<double>(out.end - out.start);
  if (played > 0 && counted > 0) out.count = counted * (played / static_cast<double>(last - first));
  return out;
}

std::vector<CountedArrivals> CountArrivals(const Measurement& window, const PlayedPart& part) {
  std::vector<const ScrapeIncreases*> children =
      SelectPoint(window.cells.extension_point, kube::ExtensionPoint::kReserve);
  if (children.empty())
    children = Select(window.cells.attempt, "result", ToString(kube::AttemptResult::kScheduled));
  if (children.empty()) children = Select(window.cells.attempt, "", "");
  std::vector<CountedArrivals> out;
  for (const ScrapeIncreases* child : children) {
    const double usual = UsualRate(*child);
    for (std::size_t i = 0; i < child->cells(); ++i) {
      const double count = child->Count(i);
      CountedArrivals arrivals = part.Of(child->edges[i], child->edges[i + 1], count);
      if (!(arrivals.count > 0)) continue;
      const bool born = i == 0 && child->edges[0] > window.breakdown.window.start;
      const bool back = child->reset[i] || born || (i > 0 && child->Count(i - 1) <= 0);
      const double expected = usual * MsToSeconds(child->edges[i + 1] - child->edges[i]);
      const bool waited = back && expected > kLeastUsual && count > 1.5 * expected;
      if (waited) arrivals.at_once = (count - expected) * (arrivals.count / count);
      out.push_back(arrivals);
    }
  }
  return out;
}

sim::Scenario WithArrivals(const sim::Scenario& scenario,
                           const std::vector<CountedArrivals>& arrivals,
                           const std::vector<double>& factors, std::uint64_t seed, int group) {
  sim::Scenario out = scenario;
  for (sim::Segment& segment : out.segments) segment.conditions.rate = 0;
  sim::Random random(seed, kStream);
  for (const CountedArrivals& interval : arrivals) {
    std::size_t segment = 0;
    while (segment + 1 < scenario.segments.size() &&
           scenario.segments[segment + 1].start <= interval.start) {
      ++segment;
    }
    const double factor = factors[segment];
    const double length = static_cast<double>(interval.end - interval.start);
    const auto sometime = [&] {
      const auto at = interval.start + static_cast<sim::Nanos>(random.Uniform() * length);
      return interval.flushed ? at - at % sim::kSecond + sim::kSecond : at;
    };
    const auto add = [&](double wanted, bool together) {
      const double whole =
          std::floor(wanted) + (random.Chance(wanted - std::floor(wanted)) ? 1 : 0);
      const double at_once = together ? whole : interval.failing ? 1 : group;
      sim::Nanos moment = 0;
      double left = 0;
      for (double i = 0; i < whole; ++i, --left) {
        CheckBudget();
        if (left <= 0) {
          moment = sometime();
          left = at_once;
        }
        const std::size_t drawn =
            sim::Pick(scenario.segments[segment].conditions.weights, random.Uniform());
        out.actions.push_back({.at = moment,
                               .kind = sim::ActionKind::kBurst,
                               .count = 1,
                               .pod_template = interval.failing.value_or(drawn)});
      }
    };
    add((interval.count - interval.at_once) * factor, false);
    if (interval.at_once > 0) add(interval.at_once * factor, true);
  }
  std::ranges::stable_sort(out.actions, {}, &sim::Action::at);
  return out;
}

Incoming CountIncoming(const Facts& facts, const Measurement& window, const PlayedPart& part) {
  Incoming out;
  const auto worker = OnlyWorker(window);
  if (!worker) return out;
  const TargetIndex index(facts.targets);
  for (const Series& series : facts.Of("queue_incoming")) {
    if (series.labels.Get("queue") != ToString(kube::QueueName::kActive)) continue;
    const std::string_view event = series.labels.Get("event");
    // From 1.32 on by resource and action.
    const bool fresh = event == ToString(kube::PodEvent::kPodAdd) ||
                       event == "UnschedulablePodAdd" || event == "UnscheduledPodAdd";
    if (!fresh) continue;
    if (index.Find(series.labels) != *worker) continue;
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const Sample& last = series.samples[i - 1];
      const Sample& next = series.samples[i];
      const double count = next.v >= last.v ? next.v - last.v : next.v;
      const CountedArrivals arrivals = part.Of(last.t, next.t, count);
      if (!(arrivals.count > 0)) continue;
      out.count += arrivals.count;
      out.pods.push_back(arrivals);
    }
  }
  const TimeRange& range = window.breakdown.window;
  double most = 0;  // pods that waited for the loop, at any scrape
  for (const Series& series : facts.Of("pending_pods")) {
    if (series.labels.Get("queue") != ToString(kube::QueueName::kActive)) continue;
    if (index.Find(series.labels) != *worker) continue;
    std::optional<double> first;
    for (const Sample& sample : series.samples) {
      if (sample.t < range.start || sample.t > range.end) continue;
      most = std::max(most, sample.v);
      out.waiting_more = sample.v - first.value_or(sample.v);
      if (!first) first = sample.v;
    }
  }
  const double rate = window.breakdown.scheduled() / std::max(1.0, range.seconds());
  out.waited = most >= kLeastQueued && most >= kLeastSeconds * rate;
  return out;
}

Amount StatusPatches(const Facts& facts, const Measurement& window, const Incoming& incoming) {
  const auto patches = [](const Labels& labels) { return labels.Get("verb") == "PATCH"; };
  const TimeRange& range = window.breakdown.window;
  Amount out;
  for (const CounterIncrease& c : IncreasesOf(facts, "rest_request", range, patches)) {
    const bool count = c.labels.Get(kMetricName).ends_with("_count");
    (count ? out.count : out.seconds) += c.increase;
  }
  for (const CounterIncrease& c : IncreasesOf(facts, "rate_limiter", range, patches)) {
    if (c.labels.Get(kMetricName).ends_with("_sum")) out.seconds -= c.increase;
  }
  out.seconds = std::max(0.0, out.seconds);
  if (incoming.pods.empty() || out.count <= 0) return out;
  // Each new pod was bound, waits for the loop, or failed and was patched once; the other PATCHes
  // are events', about as quick as a bind.
  const double newly = std::clamp(
      incoming.count - window.breakdown.scheduled() - std::max(0.0, incoming.waiting_more),
      out.count / kPatchesAPod, out.count);
  const double event = std::min(out.mean(), window.breakdown.bind_ok.mean());
  return {newly, newly > 0 ? std::max(0.0, out.seconds - (out.count - newly) * event) : 0};
}

double NewlyStuck(const Measurement& window, const Amount& patches) {
  return std::clamp(patches.count - CountRetries(window).retried, 0.0, StuckAttempts(window));
}

void AddFailures(const Measurement& window, const Amount& patches, const PlayedPart& part,
                 Fitted* fitted) {
  const TimeBreakdown& breakdown = window.breakdown;
  if (!(breakdown.failed() >= 1)) return;
  const Retries retries = CountRetries(window);
  sim::Conditions& now = fitted->now();
  if (patches.count > 0 && !fitted->scenario.AsyncApiCalls()) {
    now.costs[Cost::kWriteApi].wall = sim::Distribution::Constant(patches.mean());
  }
  const double all_errors = CountOf(breakdown, kube::AttemptResult::kError);
  const double errors = std::min(all_errors, retries.failures);
  // Each attempt fails with the same chance, after a node was found (the bind) or before.
  if (errors > 0) {
    const double late = all_errors > 0 ? std::min(1.0, breakdown.late_failures / all_errors) : 0;
    const double attempts = errors + breakdown.scheduled();
    now.costs.filter_error = (1 - late) * errors / attempts;
    now.costs.bind_error = now.costs.ext_bind_error = late * errors / attempts;
  }
  // What is left of the retried pods' failures is those that waited for a node.
  const double waited = retries.failures - errors;
  if (waited > 0 && retries.pods > 0) {
    const LatencyShape shape = ShapeOf(retries.waited);
    const double last = breakdown.by_result.Get(kube::AttemptResult::kScheduled).mean();
    fitted->failures.waiting_share =
        retries.retried / retries.pods * std::min(1.0, waited / retries.failures);
    // Less the attempt that succeeded, which is replayed.
    fitted->failures.waiting = DistributionOf(ScaledTo(shape, std::max(0.0, shape.mean() - last)));
  }
  // Those that failed after a node was found took the loop's time as any other, and came as such.
  const double stuck = StuckAttempts(window), fresh = NewlyStuck(window, patches);
  // They made room for themselves: attempts mostly deleted victims, and they were bound then.
  const bool preempt =
      window.preemption_attempts > 0.5 * stuck && retries.failures > 0.5 * stuck &&
      breakdown.points[kube::ExtensionPoint::kPostFilter].seconds >
          0.5 * breakdown.by_result.Get(kube::AttemptResult::kUnschedulable).seconds;
  const auto failed =
      Select(window.cells.attempt, "result", ToString(kube::AttemptResult::kUnschedulable));
  if (stuck >= 1) AddStuck(failed, stuck, fresh, preempt, breakdown.scheduled(), part, fitted);
}

}  // namespace schedlens
