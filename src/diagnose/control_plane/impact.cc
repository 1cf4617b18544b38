#include "diagnose/control_plane/changes.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;

/// What is over it waits noticeably, where no alert says how long is too long.
constexpr double kThreshold = 1;
/// The list goes to people; what is left out is counted.
constexpr std::size_t kMostWorkloads = 100;

struct Tally {
  double pods = 0, waiting = 0, longest = 0;
  BoundedValue over = BoundedValue::Exactly(0), seconds = BoundedValue::Exactly(0);
};

/// How likely a wait of `whole` seconds by two rounded times is over the threshold, when the
/// roundings are independent.
double LikelyOver(double whole, double threshold) {
  const double x = std::clamp(threshold - whole, -1.0, 1.0);
  return x >= 0 ? (1 - x) * (1 - x) / 2 : 1 - (1 + x) * (1 + x) / 2;
}

void Count(double whole, double threshold, Tally* tally) {
  tally->pods += 1;
  tally->over =
      tally->over + BoundedValue{whole - 1 >= threshold ? 1.0 : 0.0, LikelyOver(whole, threshold),
                                 whole + 1 > threshold ? 1.0 : 0.0};
  tally->seconds = tally->seconds + BoundedValue{std::max(0.0, whole - 1), whole, whole + 1};
  tally->longest = std::max(tally->longest, whole);
}

std::map<WorkloadKey, Tally> TallyPods(const ControlPlaneFacts& facts, const TimeRange& window,
                                       double threshold) {
  const double start = static_cast<double>(window.start) / 1000;
  const double end = static_cast<double>(window.end) / 1000;
  const TimeMs until = PodScrapes(facts, window.end).end;
  std::map<WorkloadKey, Tally> tallies;
  for (const SeenPod& pod : PodsOf(facts)) {
    // A rounded time stands for the middle of its second.
    const auto by = [](double whole, double t) { return whole + 0.5 <= t; };
    if (pod.scheduled && by(*pod.scheduled, start)) continue;
    if (pod.scheduled && by(*pod.scheduled, end)) {
      Count(std::max(0.0, *pod.scheduled - pod.created), threshold, &tallies[pod.workload]);
    } else if (by(pod.created, end) && (pod.scheduled || pod.last_seen >= until)) {
      tallies[pod.workload].waiting += 1;
    }
  }
  return tallies;
}

Tally Sum(const std::map<WorkloadKey, Tally>& tallies) {
  Tally all;
  for (const auto& [workload, one] : tallies) {
    all.pods += one.pods;
    all.over = all.over + one.over;
    all.seconds = all.seconds + one.seconds;
  }
  return all;
}

Measured Guess(double low, double value, double high, const char* unit) {
  return Bounded(low, value, std::max(low, high), unit, OfObjects());
}

/// One workload's part, within what the totals leave for it.
class Split {
 public:
  Split(const Tally& all, const WaitTotals& now, const std::optional<WaitTotals>& before)
      : all_(all), now_(now), missed_(std::max(0.0, now.pods - all.pods)) {
    if (before && before->seconds && before->pods > 0)
      mean_before_ = *before->seconds / before->pods;
  }

  WorkloadImpact Of(const WorkloadKey& workload, const Tally& one) const {
    WorkloadImpact out;
    out.name_space = workload.name_space;
    out.kind = workload.kind;
    out.name = workload.name;
    const double part = all_.pods > 0 ? one.pods / all_.pods : 0;
    out.pods = Guess(one.pods, one.pods + missed_ * part, one.pods + missed_, "count");
    out.over = Over(one);
    if (one.pods > 0)
      out.longest = Guess(std::max(0.0, one.longest - 1), one.longest, one.longest + 1, "s");
    if (mean_before_ && one.pods > 0) out.extra_seconds = Extra(one, out.pods);
    out.waiting = one.waiting;
    return out;
  }

 private:
  Measured Over(const Tally& one) const {
    const double others = all_.over.low - one.over.low;
    const double high = std::min(one.over.high + missed_, std::max(0.0, now_.over.high - others));
    const double total = std::min(std::max(all_.over.value, now_.over.low), now_.over.high);
    const double value = all_.over.value > 0 ? total * one.over.value / all_.over.value : 0;
    return Guess(one.over.low, value, high, "count");
  }

  Measured Extra(const Tally& one, const Measured& pods) const {
    const double least = one.seconds.low - *pods.high * *mean_before_;
    const double usual = one.pods * *mean_before_;
    if (!now_.seconds) {
      Measured out = Guess(least, one.seconds.value - usual, one.seconds.high - usual, "s");
      if (missed_ > 0) out.high.reset();
      return out;
    }
    // Rounded waits are right on average only where pods come at all parts of a second.
    const double part =
        all_.seconds.value > 0 ? one.seconds.value / all_.seconds.value : one.pods / all_.pods;
    const double left = *now_.seconds - (all_.seconds.low - one.seconds.low);
    const double most = missed_ > 0 ? left : std::min(left, one.seconds.high);
    return Guess(least, part * *now_.seconds - *pods.value * *mean_before_, most - usual, "s");
  }

  Tally all_;
  WaitTotals now_;
  double missed_;
  std::optional<double> mean_before_;
};

void AddWorkloads(const std::map<WorkloadKey, Tally>& tallies, const Split& split, Impact* impact) {
  for (const auto& [workload, tally] : tallies) {
    impact->workloads.push_back(split.Of(workload, tally));
  }
  const auto rank = [](const WorkloadImpact& one) {
    const double extra = one.extra_seconds ? one.extra_seconds->value.value_or(0) : 0;
    return std::tuple(-one.over.value.value_or(0) - one.waiting, -extra,
                      -one.pods.value.value_or(0));
  };
  std::ranges::stable_sort(impact->workloads,
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (impact->workloads.size() > kMostWorkloads) {
    impact->coverage.workloads_left_out =
        static_cast<double>(impact->workloads.size() - kMostWorkloads);
    impact->workloads.resize(kMostWorkloads);
  }
}

/// How many observations are proven to be over the threshold, and how many may be.
CountBounds Over(const std::vector<double>& bounds, const std::vector<double>& buckets,
                 double threshold) {
  CountBounds over;
  double lower = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (lower >= threshold) over.low += buckets[i];
    if (bounds[i] > threshold) over.high += buckets[i];
    lower = bounds[i];
  }
  return over;
}

Measured CountedOver(const CountBounds& over) {
  return Bounded(over.low, (over.low + over.high) / 2, over.high, "count",
                 BasisKind::kCountsOverThreshold);
}

/// Processes that answered one of the questions and were scraped in the window.
std::set<Labels> ProcessesOf(const ControlPlaneFacts& facts, const TimeRange& window,
                             std::initializer_list<std::string_view> questions) {
  std::set<Labels> processes;
  for (const std::string_view question : questions) {
    const Series* before = nullptr;
    for (const Series& series : facts.Of(question)) {
      if (before != nullptr && OfOneProcess(series.labels, before->labels)) continue;
      before = &series;
      const Labels process = ProcessLabels(series.labels);
      const std::vector<TimeMs>& scrapes = facts.scrapes.at(process);
      const auto first = std::ranges::lower_bound(scrapes, window.start);
      if (first != scrapes.end() && *first <= window.end) processes.insert(process);
    }
  }
  return processes;
}

bool Exposes(const ControlPlaneFacts& facts, std::string_view question, const std::string& name) {
  const std::vector<Series>& all = facts.Of(question);
  return std::ranges::any_of(
      all, [&](const Series& series) { return series.labels.Get("__name__") == name; });
}

Message Missing(Metric metric, const char* adds) {
  return Message("neighbours.missing.metric",
                 {{"metric", arg::Metric(NameOf(metric))}, {"adds", Message(adds)}});
}

void ListMissing(const ControlPlaneFacts& facts, std::vector<Message>* out) {
  if (!Exposes(facts, "bindings", SumOf(Metric::kApiserverRequestSliDuration)) &&
      !Exposes(facts, "bindings", SumOf(Metric::kApiserverRequestSloDuration))) {
    out->push_back(Missing(Metric::kApiserverRequestSliDuration, "neighbours.adds.outside"));
  }
  constexpr struct {
    std::string_view question;
    Metric metric;
    const char* adds;
  } kWanted[] = {
      {"etcd_requests", Metric::kEtcdRequestDuration, "neighbours.adds.storage"},
      {"admission", Metric::kApiserverAdmissionStepAdmissionDuration, "neighbours.adds.admission"},
      {"flowcontrol", Metric::kApiserverFlowcontrolRequestWaitDuration,
       "neighbours.adds.flowcontrol"},
      {"processes", Metric::kGoSchedLatencies, "neighbours.adds.cpu"},
      {"processes", Metric::kRestRequest, "neighbours.adds.own_calls"},
  };
  for (const auto& row : kWanted) {
    if (Exposes(facts, row.question, SumOf(row.metric))) continue;
    out->push_back(Missing(row.metric, row.adds));
  }
}

std::optional<Measured> Covered(const BoundedValue& part, double whole) {
  if (!(whole > 0)) return std::nullopt;
  return MeasuredOf(part.AtMost(BoundedValue::Exactly(whole)), whole, "1");
}

/// As many servers more as make up for the bindings that are missing, if they answered alike.
void CountServers(const BindingPath& path, ComponentSeen* out) {
  out->covered = path.others_bind ? std::nullopt : Covered(path.bindings, path.calls);
  for (const auto& [instance, server] : path.servers) {
    if (server.bindings.value < 1) continue;
    out->servers.push_back(
        {instance, MeasuredOf(server.bindings, 1, "count"), MeasuredOf(server.seconds, 1, "s")});
  }
  std::ranges::stable_sort(out->servers, [](const auto& a, const auto& b) {
    return a.bindings.value > b.bindings.value;
  });
  if (!path.some_missing) return;
  out->instances.low = out->seen + 1;
  out->instances.value.reset();
  if (path.bindings.value < 1) {
    out->missing.emplace_back("neighbours.missing.bindings");
    return;
  }
  const double answering = static_cast<double>(out->servers.size());
  const double all = std::round(answering * path.calls / path.bindings.value);
  out->instances.value = std::max(out->seen + 1, all);
  out->missing.push_back(
      Message("neighbours.missing.instances", {{"seen", arg::Count(out->seen)},
                                               {"all", arg::Count(*out->instances.value)},
                                               {"covered", arg::Share(*out->covered->value)}}));
}

/// Who answered one of the questions; where nobody did, the text of what that costs.
ComponentSeen SeenBy(const ControlPlaneFacts& facts, const TimeRange& window,
                     std::initializer_list<std::string_view> questions, const char* missing) {
  ComponentSeen out;
  out.seen = static_cast<double>(ProcessesOf(facts, window, questions).size());
  // How many more there are nobody knows.
  out.instances = {out.seen, out.seen, std::nullopt, "count", BasisKind::kControlPlane};
  if (out.seen < 1) out.missing.emplace_back(missing);
  return out;
}

ComponentSeen ApiServers(const ControlPlaneFacts& facts, const TimeBreakdown& breakdown,
                         const std::optional<BindingPath>& path) {
  ComponentSeen out = SeenBy(facts, breakdown.window,
                             {"bindings", "requests", "etcd_requests", "admission", "flowcontrol"},
                             "neighbours.missing.apiserver");
  if (out.seen < 1) return out;
  if (path) {
    out.bindings = MeasuredOf(path->bindings, 1, "count");
    CountServers(*path, &out);
  } else if (breakdown.bind_ok.count >= 1) {
    out.missing.emplace_back("neighbours.missing.bindings");
  }
  ListMissing(facts, &out.missing);
  return out;
}

ComponentSeen StateMetrics(const ControlPlaneFacts& facts, const TimeRange& window,
                           const std::optional<Impact>& impact) {
  ComponentSeen out =
      SeenBy(facts, window, {"pods", "objects"}, "neighbours.missing.kube_state_metrics");
  if (out.seen < 1) return out;
  if (!facts.Has("pods")) out.missing.emplace_back("neighbours.missing.pods");
  if (impact && impact->coverage.kube_state_metrics) {
    out.covered =
        Covered(BoundedValue::Exactly(impact->coverage.pods_seen), impact->coverage.pods_scheduled);
  }
  return out;
}

}  // namespace

Basis OfObjects() {
  Basis basis(BasisKind::kOther);
  basis.names = {"kube-state-metrics, whole seconds"};
  return basis;
}

WaitTotals MeasureWaits(const Measurement& measured, double threshold) {
  const std::string scheduled(ToString(kube::AttemptResult::kScheduled));
  Selected cells = Select(measured.cells.pod_scheduling, "", "");
  if (!(Total(cells).count > 0)) cells = Select(measured.cells.attempt, "result", scheduled);
  WaitTotals totals;
  double seconds = 0;
  for (const ScrapeIncreases* child : cells) {
    const std::vector<double> buckets = TotalBuckets(*child);
    for (const double count : buckets) totals.pods += count;
    AddBounds(Over(child->bounds, buckets, threshold), &totals.over);
    seconds += TotalSum(*child);
  }
  if (std::isfinite(seconds)) totals.seconds = seconds;
  return totals;
}

Impact MeasureImpact(const ControlPlaneFacts& facts, const TimeRange& window, double threshold,
                     const WaitTotals& counted, const std::optional<WaitTotals>& before) {
  const std::map<WorkloadKey, Tally> tallies = TallyPods(facts, window, threshold);
  const Tally all = Sum(tallies);
  Impact impact;
  impact.threshold = threshold;
  WaitTotals now = counted;
  BoundedValue seconds = BoundedValue::Exactly(counted.seconds.value_or(0));
  // What pods waited while no scheduler ran, or behind a gate, is in no scheduler's histogram.
  if (all.over.low > now.over.high) now.over = {all.over.low, all.over.high};
  if (now.seconds && all.seconds.low > *now.seconds) {
    seconds = all.seconds;
    now.seconds = seconds.value;
    now.pods = std::max(now.pods, all.pods);
  }
  impact.pods_over_threshold = CountedOver(now.over);
  if (before && before->pods > 0 && before->seconds && now.seconds) {
    const double usual = now.pods * *before->seconds / before->pods;
    impact.extra_seconds = Bounded(seconds.low - usual, seconds.value - usual, seconds.high - usual,
                                   "s", BasisKind::kBaseline);
  }
  impact.coverage.kube_state_metrics = PodScrapes(facts).end >= 0;
  impact.coverage.pods_seen = all.pods;
  impact.coverage.pods_scheduled = counted.pods;
  AddWorkloads(tallies, Split(all, now, before), &impact);
  return impact;
}

Impact MeasureImpact(const ControlPlaneFacts& facts, const WindowEvidence& evidence) {
  const double threshold = evidence.threshold.value_or(kThreshold);
  std::optional<WaitTotals> before;
  if (evidence.baseline) before = MeasureWaits(*evidence.baseline, threshold);
  Impact impact = MeasureImpact(facts, evidence.now.breakdown.window, threshold,
                                MeasureWaits(evidence.now, threshold), before);
  CountBounds over;
  for (const ScrapeIncreases& child : evidence.now.cells.attempt) {
    AddBounds(Over(child.bounds, TotalBuckets(child), threshold), &over);
  }
  impact.attempts_over_threshold = CountedOver(over);
  return impact;
}

ControlPlaneSeen LookAround(const ControlPlaneFacts& facts, const TimeBreakdown& breakdown,
                            const std::optional<BindingPath>& path,
                            const std::optional<Impact>& impact) {
  return {ApiServers(facts, breakdown, path),
          SeenBy(facts, breakdown.window, {"etcd"}, "neighbours.missing.etcd"),
          StateMetrics(facts, breakdown.window, impact)};
}

std::vector<Message> WhoElseBinds(const BindingPath& path, const TimeBreakdown& breakdown) {
  if (!path.others_bind) return {};
  const double extender = path.by_extender ? 0 : breakdown.extender_binds;
  const std::vector<Argument> args = {{"bindings", arg::Count(path.bindings.value)},
                                      {"binds", arg::Count(path.calls)},
                                      {"extender", arg::Count(extender)}};
  constexpr double kAsMany = 1.02;
  const bool explained = extender >= 1 && path.bindings.low <= kAsMany * (path.calls + extender);
  if (explained) return {Message("neighbours.extender_binds", args)};
  return {Message("neighbours.others_bind", {args[0], args[1]})};
}

}  // namespace schedlens
