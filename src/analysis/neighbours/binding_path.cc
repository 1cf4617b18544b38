#include "analysis/neighbours/binding_path.h"

#include <algorithm>
#include <cmath>

#include "kube/neighbour_metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Server and scheduler agree on the number of bindings within this much.
constexpr double kSame = 0.1;

/// Of each process the newer of the two names of the indicator, where it has one.
Meter IndicatorOf(const NeighbourFacts& facts, std::string_view question) {
  Meter meter(facts);
  std::map<Labels, bool> has_sli;
  const std::string sli = SumOf(Neighbour::kApiserverRequestSliDuration);
  const std::string slo = SumOf(Neighbour::kApiserverRequestSloDuration);
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") == sli) has_sli[ProcessLabels(series.labels)] = true;
  }
  for (const Series& series : facts.Of(question)) {
    const auto name = series.labels.Get("__name__");
    if (name == sli || (name == slo && !has_sli[ProcessLabels(series.labels)])) meter.Add(series);
  }
  return meter;
}

Meter TotalOf(const NeighbourFacts& facts, std::string_view question) {
  return MeterOf(facts, question, SumOf(Neighbour::kApiserverRequestDuration));
}

std::map<std::string, Between> ByLabel(const NeighbourFacts& facts, std::string_view question,
                                       const std::string& name,
                                       const std::vector<std::string>& labels,
                                       const TimeRange& window) {
  std::map<std::string, Meter> meters;
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") != name) continue;
    for (const std::string& label : labels) {
      if (!series.labels.Has(label)) continue;
      meters.try_emplace(std::string(series.labels.Get(label)), facts).first->second.Add(series);
      break;
    }
  }
  std::map<std::string, Between> out;
  for (const auto& [value, meter] : meters) out[value] = meter.Increase(window);
  return out;
}

Between Sum(const std::map<std::string, Between>& parts, const std::string& but = "") {
  Between sum = Between::Exactly(0);
  for (const auto& [name, part] : parts) {
    if (name != but) sum = sum + part;
  }
  return sum;
}

/// Guesses in the middle of what is proven, scaled to what there is of them all. Where nothing
/// bounds a part from above its value is what it has at most by the best guess.
void GuessValues(double all, std::vector<Between*> parts) {
  double sum = 0;
  for (Between* part : parts) {
    if (std::isfinite(part->high)) part->value = (part->low + part->high) / 2;
    part->value = std::max(part->low, std::min(part->value, all));
    sum += part->value;
  }
  for (Between* part : parts) {
    if (sum > 0) part->value = std::clamp(part->value * all / sum, part->low, part->high);
  }
}

/// Shares out what is outside the indicator.
void SplitOutside(const NeighbourFacts& facts, const TimeRange& window,
                  std::optional<bool> flowcontrol_outside, BindingPath* path) {
  path->webhooks_everywhere =
      ByLabel(facts, "admission", SumOf(Neighbour::kApiserverAdmissionWebhookAdmissionDuration),
              {"name"}, window);
  path->waits =
      ByLabel(facts, "flowcontrol", SumOf(Neighbour::kApiserverFlowcontrolRequestWaitDuration),
              {"priority_level", "priorityLevel"}, window);
  if (!path->outside_sli) return;
  const Between& outside = *path->outside_sli;
  const Between hooks = Sum(path->webhooks_everywhere), waits = Sum(path->waits);
  const bool may_wait = !path->waits.empty() && flowcontrol_outside != false;
  const bool must_wait = flowcontrol_outside == true && !path->waits.empty();
  std::vector<Between*> parts;
  for (const auto& [name, own] : path->webhooks_everywhere) {
    Between part = outside.Less(Sum(path->webhooks_everywhere, name));
    if (may_wait) part = part.Less(waits);
    part = {part.low, own.value, std::min(own.high, outside.high)};
    part.low = std::min(part.low, part.high);
    parts.push_back(&(path->webhooks[name] = part));
  }
  if (may_wait) {
    Between part = outside.Less(hooks);
    part.high = std::min(waits.high, outside.high);
    part.value = std::min(part.value, waits.value);
    part.low = must_wait ? std::min(part.low, part.high) : 0;
    path->flowcontrol = part;
    parts.push_back(&*path->flowcontrol);
  }
  GuessValues(outside.value, parts);
}

/// Shares out what the indicator counts: storage, built-in admission, the rest.
void SplitInside(const NeighbourFacts& facts, const TimeRange& window, bool others_bind,
                 BindingPath* path) {
  const Between& inside = path->inside;
  const Meter etcd = MeterOf(facts, "etcd_requests", SumOf(Neighbour::kEtcdRequestDuration));
  if (!etcd.empty()) {
    // At the same scrapes: what bindings had within them they had in the window.
    Meter left = etcd;
    const Meter all = TotalOf(facts, "requests"), indicated = IndicatorOf(facts, "requests");
    left.Add(indicated.Covers(all) ? indicated : all, -1);
    Between storage{0, 0, std::min(etcd.Increase(window).high, inside.high)};
    if (!others_bind) storage.low = std::min(left.Increase(window).low, storage.high);
    storage.value = std::isfinite(storage.high) ? (storage.low + storage.high) / 2 : storage.low;
    path->storage = storage;
  }
  const Meter steps =
      MeterOf(facts, "admission", SumOf(Neighbour::kApiserverAdmissionStepAdmissionDuration));
  if (!steps.empty()) {
    const Between most = steps.Increase(window).Less(Sum(path->webhooks_everywhere)).AtMost(inside);
    path->admission = Between{0, 0, most.high};
  }
  Between rest = inside;
  if (path->storage) rest = rest.Less(*path->storage);
  if (path->admission) rest = rest.Less(*path->admission);
  path->rest = rest;
}

}  // namespace

std::optional<BindingPath> MeasureBindingPath(const NeighbourFacts& facts,
                                              const TimeBreakdown& breakdown,
                                              const std::optional<LimiterSplit>& limiter,
                                              std::optional<bool> flowcontrol_outside) {
  const double bind = breakdown.Seconds(kube::Stage::kBindPlugins);
  const TimeRange& window = breakdown.window;
  const Meter total = TotalOf(facts, "bindings");
  if (total.empty() || !(bind > 0)) return std::nullopt;
  BindingPath path;
  path.binds = breakdown.bind_ok.count;
  path.bindings =
      MeterOf(facts, "bindings", CountOf(Neighbour::kApiserverRequestDuration)).Increase(window);
  path.request = {0, bind, bind};
  if (limiter) path.request = {bind - limiter->high, bind - limiter->value, bind - limiter->low};
  path.apiserver = total.Increase(window);
  const bool others_bind = path.bindings.low > (1 + kSame) * path.binds;
  const bool some_missing = path.bindings.high < (1 - kSame) * path.binds;
  // What the servers measured of all bindings, as of those of the scheduler.
  const auto own = [&](const Meter& meter) {
    Between part = meter.Increase(window);
    if (others_bind) part.low = 0;
    if (some_missing) part.high = path.request.high;
    part.high = std::min(part.high, path.request.high);
    part.low = std::min(part.low, part.high);
    part.value = std::clamp(part.value, part.low, part.high);
    return part;
  };
  path.inside = path.apiserver = own(total);
  if (limiter) path.network = path.request.Less(path.apiserver);
  if (const Meter indicator = IndicatorOf(facts, "bindings"); indicator.Covers(total)) {
    path.inside = own(indicator);
    Meter outside = total;
    outside.Add(indicator, -1);
    path.outside_sli = own(outside);
  }
  SplitOutside(facts, window, flowcontrol_outside, &path);
  SplitInside(facts, window, others_bind, &path);
  return path;
}

}  // namespace schedlens
