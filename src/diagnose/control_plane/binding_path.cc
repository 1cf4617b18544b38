#include "diagnose/control_plane/binding_path.h"

#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;

/// Server and scheduler agree within this part and as many bindings: answers are on their way at
/// the window's edges.
constexpr double kSame = 0.02;
constexpr double kOnTheirWay = 2;

using Meters = std::map<std::string, Meter>;

Meters ByLabel(const ControlPlaneFacts& facts, std::string_view question, const std::string& name,
               const std::vector<std::string>& labels) {
  Meters meters;
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") != name) continue;
    for (const std::string& label : labels) {
      if (!series.labels.Has(label)) continue;
      meters.try_emplace(std::string(series.labels.Get(label)), facts).first->second.Add(series);
      break;
    }
  }
  return meters;
}

Meters LevelsOf(const ControlPlaneFacts& facts) {
  return ByLabel(facts, "flowcontrol", SumOf(Metric::kApiserverFlowcontrolRequestWaitDuration),
                 {"priority_level", "priorityLevel"});
}

std::map<std::string, BoundedValue> Increases(const Meters& meters, const TimeRange& window) {
  std::map<std::string, BoundedValue> out;
  for (const auto& [value, meter] : meters) out[value] = meter.Increase(window);
  return out;
}

BoundedValue Sum(const std::map<std::string, BoundedValue>& parts, const std::string& but = "") {
  BoundedValue sum = BoundedValue::Exactly(0);
  for (const auto& [name, part] : parts) {
    if (name != but) sum = sum + part;
  }
  return sum;
}

BoundedValue Largest(const std::map<std::string, BoundedValue>& parts) {
  BoundedValue most = BoundedValue::Exactly(0);
  for (const auto& [name, part] : parts) {
    if (part.low > most.low) most = part;
  }
  return most;
}

/// Brings guesses within what is proven, scaled to what there is of them all.
void ScaleValues(double all, std::vector<BoundedValue*> parts) {
  double sum = 0;
  for (BoundedValue* part : parts) {
    part->value = std::clamp(part->value, part->low, std::max(part->low, part->high));
    sum += part->value;
  }
  for (BoundedValue* part : parts) {
    if (sum > 0) part->value = std::min(std::max(part->value * all / sum, part->low), part->high);
  }
}

/// What of each part's own seconds bindings met, by how they rise and fall with what is outside the
/// indicator.
void GuessValues(const Meter& outside, const Meters& hooks, const Meters& levels,
                 const TimeRange& window, BindingPath* path) {
  std::vector<Meter> own;
  for (const auto& [name, meter] : hooks) own.push_back(meter);
  if (path->flowcontrol) {
    for (const auto& [level, meter] : levels) own.push_back(meter);
  }
  const std::vector<OutsideShare> fitted = FitOutside(outside, own, window);
  auto next = fitted.begin();
  std::vector<BoundedValue*> parts;
  for (auto& [name, part] : path->webhooks) {
    part.value = next->share * path->webhooks_everywhere[name].value;
    if (next->replaced) path->replaced.insert(name);
    ++next;
    parts.push_back(&part);
  }
  if (path->flowcontrol) {
    path->flowcontrol->value = 0;
    for (auto& [level, waits] : path->waits) {
      path->flowcontrol->value += next->share * waits.value;
      if (next->replaced) path->replaced.insert(level);
      ++next;
    }
    parts.push_back(&*path->flowcontrol);
  }
  ScaleValues(path->outside_sli->value, parts);
}

/// Shares out what is outside the indicator.
void SplitOutside(const ControlPlaneFacts& facts, const Meter* difference, const TimeRange& window,
                  std::optional<bool> flowcontrol_outside, BindingPath* path) {
  const Meters all_hooks = ByLabel(
      facts, "admission", SumOf(Metric::kApiserverAdmissionWebhookAdmissionDuration), {"name"});
  const Meters levels = LevelsOf(facts);
  path->webhooks_everywhere = Increases(all_hooks, window);
  path->waits = Increases(levels, window);
  if (difference == nullptr) return;
  const BoundedValue& outside = *path->outside_sli;
  const BoundedValue hooks = Sum(path->webhooks_everywhere), waits = Sum(path->waits);
  const bool may_wait = !path->waits.empty() && flowcontrol_outside != false;
  const bool must_wait = flowcontrol_outside == true && !path->waits.empty();
  for (const auto& [name, own] : path->webhooks_everywhere) {
    BoundedValue part = outside.Less(Sum(path->webhooks_everywhere, name));
    if (may_wait) part = part.Less(waits);
    part.high = std::min(own.high, outside.high);
    part.low = std::min(part.low, part.high);
    path->webhooks[name] = part;
  }
  if (may_wait) {
    BoundedValue part = outside.Less(hooks);
    part.high = std::min(waits.high, outside.high);
    part.low = must_wait ? std::min(part.low, part.high) : 0;
    path->flowcontrol = part;
  }
  GuessValues(*difference, all_hooks, levels, window, path);
}

/// The wait for a seat where the indicator counts it: at most all waits, by guess what rises and
/// falls with the indicator and not with storage or the number of bindings.
void SplitQueue(const ControlPlaneFacts& facts, const Meter& indicator, const TimeRange& window,
                BindingPath* path) {
  const Meters levels = LevelsOf(facts);
  if (levels.empty()) return;
  std::vector<Meter> own;
  for (const auto& [level, meter] : levels) own.push_back(meter);
  own.push_back(MeterOf(facts, "etcd_requests", SumOf(Metric::kEtcdRequestDuration)));
  own.push_back(MeterOf(facts, "bindings", CountOf(Metric::kApiserverRequestDuration)));
  const std::vector<OutsideShare> fitted = FitOutside(indicator, own, window);
  BoundedValue queue{0, 0, std::min(Sum(path->waits).high, path->inside.high)};
  auto next = fitted.begin();
  for (const auto& [level, waits] : path->waits) queue.value += (next++)->share * waits.value;
  queue.value = std::min(std::max(queue.value, 0.0), std::min(queue.high, path->inside.value));
  path->flowcontrol = queue;
  path->work = path->inside.Less(queue);
}

Meter Operations(const ControlPlaneFacts& facts, const std::set<std::string_view>& wanted) {
  return MeterOf(facts, "etcd_requests", SumOf(Metric::kEtcdRequestDuration),
                 [&](const Labels& labels) { return wanted.contains(labels.Get("operation")); });
}

bool Creates(const Labels& labels) {
  return labels.Get("verb") == "POST" && labels.Get("subresource").empty();
}

/// Whether every process counts its answers and none was that such a pod exists.
bool NoConflicts(const ControlPlaneFacts& facts, const Meter& creations, const TimeRange& window) {
  const auto answers = [&](const SeriesTest& wanted) {
    return MeterOf(facts, "requests", NameOf(Metric::kApiserverRequest), wanted);
  };
  const Meter conflicts =
      answers([](const Labels& labels) { return Creates(labels) && labels.Get("code") == "409"; });
  return answers(Creates).Covers(creations) && conflicts.Increase(window).high == 0;
}

/// At the same scrapes: what bindings had within them they had in the window.
double LeastStored(const ControlPlaneFacts& facts, const TimeRange& window) {
  const Meter creations = RequestSeconds(facts, "requests", Creates);
  std::set<std::string_view> operations = {"get", "update", "delete"};
  SeriesTest others = [](const Labels& labels) { return !Creates(labels); };
  if (!NoConflicts(facts, creations, window)) {
    operations.insert("create");
    others = nullptr;
  }
  Meter left = Operations(facts, operations);
  const Meter all = RequestSeconds(facts, "requests", others);
  const Meter indicated = IndicatedSeconds(facts, "requests", others);
  left.TakeOff(indicated.Covers(all) ? indicated : all);
  return left.Increase(window).low;
}

/// Shares out what the indicator counts: storage, built-in admission, the rest.
void SplitInside(const ControlPlaneFacts& facts, const TimeRange& window, BindingPath* path) {
  path->storage = StorageOfBindings(facts, window, path->work, path->others_bind);
  if (path->storage) {
    BoundedValue& storage = *path->storage;
    storage.value = std::min(storage.value, std::max(storage.low, path->work.value));
  }
  const Meter steps =
      MeterOf(facts, "admission", SumOf(Metric::kApiserverAdmissionStepAdmissionDuration));
  if (!steps.empty()) {
    // Validating webhooks run side by side: steps hold at least the longest of them.
    const BoundedValue hooks = Largest(path->webhooks_everywhere);
    const BoundedValue most = steps.Increase(window).Less(hooks).AtMost(path->inside);
    path->admission = BoundedValue{0, 0, most.high};
  }
  BoundedValue rest = path->work;
  if (path->storage) rest = rest.Less(*path->storage);
  if (path->admission) rest = rest.Less(*path->admission);
  path->rest = rest;
}

/// Bindings for each one that a server of this source answered: what is not here is taken to be
/// like what is.
double MissingScale(const BindingPath& path) {
  return path.some_missing && path.bindings.value >= 1 ? path.calls / path.bindings.value : 1;
}

/// What servers that are not here had of a part nobody knows: up to all of its whole.
void WidenForMissingServers(BindingPath* path) {
  if (!path->some_missing) return;
  const auto widen = [&](BoundedValue* part, const BoundedValue& whole) {
    part->high = whole.high;
    part->value = std::min(std::max(part->value * MissingScale(*path), part->low), part->high);
  };
  for (auto* part : {&path->storage, &path->admission, &path->rest}) {
    if (*part) widen(&**part, path->inside);
  }
  if (path->flowcontrol) widen(&*path->flowcontrol, *path->outside_sli);
  for (auto& [name, part] : path->webhooks) widen(&part, *path->outside_sli);
}

void MeasureServers(const ControlPlaneFacts& facts, const Meter& seconds, const TimeRange& window,
                    BindingPath* path) {
  const Meter count = MeterOf(facts, "bindings", CountOf(Metric::kApiserverRequestDuration));
  path->bindings = count.Increase(window);
  for (const Labels& process : count.processes()) {
    ServerRequests& server = path->servers[std::string(process.Get("instance"))];
    server.bindings = server.bindings + count.IncreaseOf(process, window);
    server.seconds = server.seconds + seconds.IncreaseOf(process, window);
  }
}

constexpr std::string_view kServer = "apiserver";

struct PathPart {
  std::string id;
  const char* measured_by;
  BoundedValue seconds;
};

/// In the order of a request's way.
std::vector<PathPart> PartsOf(const BindingPath& path) {
  std::vector<PathPart> parts;
  const auto add = [&](std::string_view id, const char* measured_by,
                       const std::optional<BoundedValue>& part) {
    if (part) parts.push_back({std::string(id), measured_by, *part});
  };
  add("bind.network", "measured_by.bind.network", path.network);
  add(kServer, "measured_by.apiserver", path.apiserver);
  add("apiserver.flowcontrol", "measured_by.apiserver.flowcontrol", path.flowcontrol);
  for (const auto& [name, part] : path.webhooks) {
    add("apiserver.webhook/" + name, "measured_by.apiserver.webhook", part);
  }
  add("apiserver.admission", "measured_by.apiserver.admission", path.admission);
  add("apiserver.storage", "measured_by.apiserver.storage", path.storage);
  add("apiserver.rest", "measured_by.apiserver.rest", path.rest);
  return parts;
}

}  // namespace

std::optional<BindingPath> MeasureBindingPath(const ControlPlaneFacts& facts,
                                              const TimeBreakdown& breakdown,
                                              const std::optional<LimiterSplit>& limiter,
                                              std::optional<bool> flowcontrol_outside) {
  const bool by_extender = breakdown.bind_ok.count < 1 && breakdown.extender_binds >= 1;
  const double bind =
      breakdown.Seconds(by_extender ? kube::Stage::kBindUnmeasured : kube::Stage::kBindPlugins);
  const TimeRange& window = breakdown.window;
  const Meter total = RequestSeconds(facts, "bindings");
  if (total.empty() || !(bind > 0)) return std::nullopt;
  BindingPath path;
  path.by_extender = by_extender;
  path.binds = by_extender ? breakdown.extender_binds : breakdown.bind_ok.count;
  MeasureServers(facts, total, window, &path);
  path.bind = bind;
  path.request = {by_extender ? bind : 0, bind, bind};
  const bool limited = limiter && !by_extender;
  if (limited) path.request = {bind - limiter->high, bind - limiter->value, bind - limiter->low};
  path.apiserver = total.Increase(window);
  path.calls = std::max(path.binds, breakdown.points[kube::ExtensionPoint::kBind].count);
  path.others_bind = path.bindings.low > (1 + kSame) * path.calls + kOnTheirWay ||
                     path.apiserver.low > (1 + kSame) * path.request.high + kOnTheirWay;
  path.some_missing = path.bindings.high < (1 - kSame) * path.calls - kOnTheirWay;
  // What the servers measured of all bindings, as of those of the scheduler.
  const auto own = [&](const Meter& meter) {
    BoundedValue part = meter.Increase(window);
    part.value *= MissingScale(path);
    if (path.others_bind) part.low = 0;
    if (path.some_missing) part.high = path.request.high;
    part.high = std::min(part.high, path.request.high);
    part.low = std::min(part.low, part.high);
    part.value = std::min(std::max(part.value, part.low), part.high);
    return part;
  };
  const Meter indicator = IndicatedSeconds(facts, "bindings");
  path.contradicted =
      indicator.Increase(window).value > (1 + kSame) * total.Increase(window).value + kOnTheirWay;
  path.inside = path.apiserver = own(total);
  if (limited) path.network = path.request.Less(path.apiserver);
  Meter outside = total;
  outside.TakeOff(indicator);
  const bool indicated = indicator.Covers(total);
  if (indicated) {
    path.inside = own(indicator);
    path.outside_sli = own(outside);
  }
  SplitOutside(facts, indicated ? &outside : nullptr, window, flowcontrol_outside, &path);
  path.work = path.inside;
  if (indicated && flowcontrol_outside == false) SplitQueue(facts, indicator, window, &path);
  if (!flowcontrol_outside) path.work.low = path.work.Less(Sum(path.waits)).low;
  SplitInside(facts, window, &path);
  WidenForMissingServers(&path);
  return path;
}

std::optional<BoundedValue> StorageOfBindings(const ControlPlaneFacts& facts,
                                              const TimeRange& window, const BoundedValue& inside,
                                              bool shared) {
  if (facts.Of("etcd_requests").empty()) return std::nullopt;
  const double most = Operations(facts, {"get", "update"}).Increase(window).high;
  BoundedValue storage{0, 0, std::min(most, inside.high)};
  if (!shared) storage.low = std::min(LeastStored(facts, window), storage.high);
  storage.value = std::isfinite(storage.high) ? (storage.low + storage.high) / 2 : storage.low;
  return storage;
}

std::vector<StageTime> PathStages(const BindingPath& now, const std::optional<BindingPath>& before,
                                  double e2e_seconds, double e2e_seconds_before) {
  std::vector<StageTime> stages;
  if (!(e2e_seconds > 0)) return stages;
  const auto old = before ? PartsOf(*before) : std::vector<PathPart>();
  for (const auto& [id, measured_by, seconds] : PartsOf(now)) {
    StageTime stage;
    stage.id = id;
    const bool outer = id == kServer || id == "bind.network";
    stage.parent = !outer            ? kServer
                   : now.by_extender ? ToString(kube::Stage::kBindUnmeasured)
                                     : ToString(kube::Stage::kBindRequest);
    stage.seconds = MeasuredOf(seconds, 1, "s");
    stage.share = MeasuredOf(seconds, e2e_seconds, "1");
    for (auto* end : {&stage.share.value, &stage.share.high}) {
      if (*end && **end > 1) *end = 1;
    }
    stage.measured_by = Message(measured_by);
    stage.population = "bindings that the API servers answered";
    stage.observations = now.bindings.value;
    for (const PathPart& was : old) {
      if (was.id != stage.id) continue;
      stage.baseline_seconds = was.seconds.value;
      if (e2e_seconds_before > 0) {
        stage.baseline_share = std::min(1.0, was.seconds.value / e2e_seconds_before);
      }
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace schedlens
