#include "diagnose/causes/findings.h"
#include "diagnose/control_plane/binding_path.h"
#include "diagnose/explain/glossary.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;

/// From this much of the growth on a cause behind it may be certain.
constexpr double kCertainWeight = 0.5;

/// A part of the path, and what its growth is of the call's.
struct Weighed {
  std::string cause, object;
  BoundedValue part, growth;
  double weight = 0, proven = 0;
  bool tied = false;  ///< a metric that is not there would tell
  std::vector<Evidence> evidence;
};

/// Proven is only what no missing metric could tell otherwise.
bool MayBeCertain(const std::string& id) {
  return id == "apiserver.webhook" || id == "apiserver.flowcontrol" || id == "etcd.disk";
}

/// A symptom explains a part when it predicts at least this much of its growth.
constexpr double kExplains = 0.3;
/// Wake-ups of goroutines in one request on its way through the API server and back. Those of
/// recordings with too little CPU and with nothing but that: 50 to 140.
constexpr double kWakeUps = 100;
/// Processors in use that tell of want of them where wake-ups are not measured, against before.
constexpr double kBusier = 1.5;
/// Nobody waits for a processor who is woken within this many seconds.
constexpr double kNoWait = 0.001;

using Parts = std::map<std::string, BoundedValue>;

std::optional<BoundedValue> Named(const Parts& parts, const std::string& name) {
  return parts.contains(name) ? std::optional(parts.at(name)) : std::nullopt;
}

/// `certain` only where no metric that is missing could tell otherwise, `possible` for a tie. The
/// share is of `e2e` seconds.
CauseBehind Told(const Weighed& w, double e2e) {
  const bool webhook = w.cause == "apiserver.webhook";
  const Message title = w.object.empty() ? TitleOf(TextOfFinding(w.cause))
                                         : Message(webhook ? "behind.apiserver.webhook"
                                                           : "behind.apiserver.flowcontrol",
                                                   {{"object", w.object}});
  CauseBehind behind =
      CauseOf(w.cause, w.object, title, MeasuredOf(w.part, e2e, "1"), w.weight >= kLikelyWeight);
  behind.evidence = w.evidence;
  if (MayBeCertain(w.cause) && w.proven >= kCertainWeight) behind.confidence = Confidence::kCertain;
  if (w.tied) behind.confidence = Confidence::kPossible;
  return behind;
}

double Risen(std::optional<double> now, const std::optional<double>& before) {
  return now ? std::max(0.0, *now - before.value_or(0)) : 0;
}

class Judge {
 public:
  explicit Judge(const PathEvidence& path) : path_(path), all_(path.RequestGrowth().value) {}

  std::vector<Weighed> Run() {
    if (!(all_ > 0) || path_.now.binds < 1) return {};
    Webhooks();
    FlowControl();
    Inside();
    Network();
    std::ranges::stable_sort(found_, std::greater(), &Weighed::weight);
    return std::move(found_);
  }

 private:
  /// Of a part that the window has.
  BoundedValue GrowthOf(std::optional<BoundedValue> BindingPath::*part) const {
    return path_.Growth(*(path_.now.*part), path_.before ? (*path_.before).*part : std::nullopt);
  }
  BoundedValue GrowthOf(Parts BindingPath::*parts, const std::string& name) const {
    return path_.Growth((path_.now.*parts).at(name),
                        path_.before ? Named((*path_.before).*parts, name) : std::nullopt);
  }

  Evidence PartOf(const Weighed& w) const {
    const double binds = path_.now.binds, grown = std::min(w.growth.value, w.part.value);
    return {Message("evidence.behind.part", {{"now", arg::Duration(w.part.value / binds)},
                                             {"growth", arg::Duration(grown / binds)}})};
  }

  /// Nothing below the least weight. `tied`: a metric that would tell is not there.
  Weighed* Add(std::string cause, std::string object, const BoundedValue& part,
               const BoundedValue& growth, bool tied = false) {
    Weighed w{std::move(cause), std::move(object), part, growth, growth.value / all_, 0, false, {}};
    if (w.weight < kLeastWeight) return nullptr;
    w.proven = growth.low / path_.RequestGrowth().high;
    // Others would explain the same seconds, and nothing is proven.
    w.tied = tied || (w.proven < kLikelyWeight && path_.now.replaced.contains(w.object));
    w.evidence.push_back(PartOf(w));
    found_.push_back(std::move(w));
    return &found_.back();
  }

  void Webhooks() {
    for (const auto& [name, part] : path_.now.webhooks) {
      Add("apiserver.webhook", name, part, GrowthOf(&BindingPath::webhooks, name));
    }
  }

  void FlowControl() {
    if (!path_.now.flowcontrol) return;
    const BoundedValue growth = GrowthOf(&BindingPath::flowcontrol);
    // Which level bindings wait in is in no metric: the one whose waits grew.
    std::string level;
    double most = 0;
    for (const auto& [name, waits] : path_.now.waits) {
      const double grown = GrowthOf(&BindingPath::waits, name).value;
      if (grown > most) {
        most = grown;
        level = name;
      }
    }
    if (most < kExplains * growth.value) return;
    Add("apiserver.flowcontrol", level, *path_.now.flowcontrol, growth);
  }

  /// Seconds by which a symptom, seconds a binding, predicts a part to have grown.
  double Predicted(double risen) const { return risen * path_.now.binds; }
  double CpuPredicts() const {
    const double wake_up = path_.symptoms.wake_up.value_or(0);
    if (wake_up < kNoWait) return 0;
    return Predicted(kWakeUps * Risen(path_.symptoms.wake_up, Old(&Symptoms::wake_up)));
  }
  std::optional<double> Old(std::optional<double> Symptoms::*symptom) const {
    return path_.symptoms_before ? (*path_.symptoms_before).*symptom : std::nullopt;
  }

  /// Storage and what no metric of the path tells apart from it.
  void Inside() {
    if (!path_.now.storage && !path_.now.rest) return;
    const BoundedValue& part = path_.now.work;
    const BoundedValue growth =
        path_.Growth(part, path_.before ? std::optional(path_.before->work) : std::nullopt);
    const double disk = Predicted(Risen(path_.symptoms.fsync_wait, Old(&Symptoms::fsync_wait)));
    const double peer =
        Predicted(Risen(path_.symptoms.peer_round_trip, Old(&Symptoms::peer_round_trip)));
    // Beside want of processors a disk is told that alone would be too little.
    const bool starved = CpuPredicts() >= kExplains * growth.value;
    const double least = (starved ? kLeastWeight : kExplains) * growth.value;
    if (path_.symptoms.fsync_wait && disk >= least) {
      SlowDisk(part, growth, disk);
    } else if (path_.symptoms.peer_round_trip && peer >= kExplains * growth.value) {
      Add("etcd.peer", "", Storage(part), growth);
    } else if (path_.symptoms.leader_changes >= 1) {
      // Nothing says how much of the time the election took.
      Add("etcd.leader", "", Storage(part), growth, true);
    } else if (starved) {
      AddCpu(part, growth);
    } else {
      Unexplained(part, growth);
    }
  }

  /// What the disk leaves may be for want of processors.
  void SlowDisk(const BoundedValue& part, const BoundedValue& growth, double predicted) {
    const double left = growth.value - predicted;
    const bool both = left > 0 && CpuPredicts() >= left;
    BoundedValue stored = StorageGrowth(growth);
    // Who waits for a processor measures a slow storage, too: none of it is proven the disk's.
    if (both) stored = {0, std::min(stored.value, predicted), stored.high};
    if (Weighed* w = Add("etcd.disk", "", Storage(part), stored)) {
      Say("evidence.behind.fsync", &Symptoms::fsync_mean, w)
          .push_back({"wait", arg::Duration(*path_.symptoms.fsync_wait)});
    }
    if (both) AddCpu({0, left, part.high}, {0, left, growth.high});
  }

  void AddCpu(const BoundedValue& part, const BoundedValue& growth) {
    Weighed* w = Add("apiserver.cpu", "", part, growth);
    cpu_ = w != nullptr;
    if (cpu_) Say("evidence.behind.wake_up", &Symptoms::wake_up, w);
  }

  void Unexplained(const BoundedValue& part, const BoundedValue& growth) {
    if (path_.symptoms.fsync_wait) {
      // Without wake-ups only the CPU that was used hints at want of it.
      const bool busy = !path_.symptoms.wake_up && CpuRose();
      Add(busy ? "apiserver.cpu" : "apiserver.unknown", "", part, growth, true);
      return;
    }
    if (path_.now.storage) {
      const BoundedValue stored = GrowthOf(&BindingPath::storage);
      const bool proven = stored.low >= kExplains * growth.value && path_.symptoms.wake_up;
      Add("etcd.slow", "", *path_.now.storage, stored, !proven);
      if (proven) return;
    }
    if (!path_.symptoms.wake_up) Add("apiserver.cpu", "", part, growth, true);
  }

  bool CpuRose() const {
    const auto before = Old(&Symptoms::cores_used);
    return path_.symptoms.cores_used && before && *path_.symptoms.cores_used >= kBusier * *before;
  }

  BoundedValue Storage(const BoundedValue& part) const { return path_.now.storage.value_or(part); }
  BoundedValue StorageGrowth(const BoundedValue& growth) const {
    if (!path_.now.storage) return growth;
    BoundedValue stored = GrowthOf(&BindingPath::storage);
    stored.value = std::max(stored.value, std::min(stored.high, growth.value));
    return stored;
  }

  /// What a symptom was and is, with room for more.
  std::vector<Argument>& Say(const char* id, std::optional<double> Symptoms::*symptom,
                             Weighed* w) const {
    w->evidence.push_back(
        {Message(id, {{"now", arg::Duration((path_.symptoms.*symptom).value_or(0))},
                      {"before", arg::Duration(Old(symptom).value_or(0))}})});
    return w->evidence.back().text.args;
  }

  void Network() {
    if (!path_.now.network) return;
    const BoundedValue growth = GrowthOf(&BindingPath::network);
    const double own = Predicted(Risen(path_.symptoms.own_call, Old(&Symptoms::own_call)));
    const bool has_own = path_.symptoms.has_own_calls;
    if (own >= kExplains * growth.value && own > 0) return SlowAudit(growth, own);
    // What is short of processors takes its time before the server's clock starts, too.
    if (cpu_ && CpuPredicts() >= kExplains * growth.value) return Widen(growth);
    Add("bind.network", "", *path_.now.network, growth, !has_own);
    if (!has_own) Add("apiserver.audit", "", *path_.now.network, growth, true);
  }

  /// What the API servers' own calls leave is the way itself.
  void SlowAudit(const BoundedValue& growth, double own) {
    const double left = growth.value - own;
    const bool both = left >= kExplains * growth.value;
    const BoundedValue audit = both ? BoundedValue{0, own, growth.high} : growth;
    const BoundedValue& part = *path_.now.network;
    if (Weighed* w = Add("apiserver.audit", "", part, audit)) {
      Say("evidence.behind.own_call", &Symptoms::own_call, w);
    }
    if (both) Add("bind.network", "", {0, left, part.high}, {0, left, growth.high});
  }

  void Widen(const BoundedValue& growth) {
    for (Weighed& w : found_) {
      if (w.cause != "apiserver.cpu") continue;
      w.part = (w.part + *path_.now.network).AtMost(path_.now.request);
      w.growth = w.growth + growth;
      w.weight = w.growth.value / all_;
      w.evidence.front() = PartOf(w);
    }
  }

  const PathEvidence& path_;
  const double all_;
  bool cpu_ = false;
  std::vector<Weighed> found_;
};

/// As slow as this against the others; what machines differ in is less.
constexpr double kSlower = 2;

/// Seconds by which each request took longer than on the others.
double ExcessOf(const ServerAgainstOthers& server) {
  return std::max(0.0, server.seconds - server.expected) / server.requests;
}

double ExcessBefore(const PathEvidence& path, const std::string& instance) {
  const auto at = std::ranges::find(path.servers_before, instance, &ServerAgainstOthers::instance);
  return at == path.servers_before.end() ? 0 : ExcessOf(*at);
}

/// Calls of one kind in the window, and what they took in the baseline.
struct Calls {
  double seconds = 0, count = 0;
  double mean_before = 0;  ///< 0 without calls
  double mean() const { return count > 0 ? seconds / count : 0; }
  /// Seconds that as many calls did not take before.
  double growth() const {
    if (mean() < kLeastGrowth * mean_before) return 0;
    return std::max(0.0, seconds - count * mean_before);
  }
};
using CallsByName = std::map<std::string, Calls>;

/// The calls of a histogram by a label of theirs; without series nothing.
CallsByName Measure(const ControlPlaneFacts& facts, Metric histogram, std::string_view label,
                    const VolumeWait& wait) {
  CallsByName calls;
  for (const Series& series : facts.Of("volumes")) {
    if (series.labels.Get(kMetricName) == CountOf(histogram))
      calls.try_emplace(std::string(series.labels.Get(label)));
  }
  for (auto& [name, one] : calls) {
    const auto named = [&, &of = name](const Labels& labels) { return labels.Get(label) == of; };
    const Meter seconds = MeterOf(facts, "volumes", SumOf(histogram), named);
    const Meter count = MeterOf(facts, "volumes", CountOf(histogram), named);
    one.seconds = seconds.Increase(wait.now).value;
    one.count = count.Increase(wait.now).value;
    const double before = wait.before ? count.Increase(*wait.before).value : 0;
    if (before >= 1) one.mean_before = seconds.Increase(*wait.before).value / before;
  }
  return calls;
}

double GrowthOf(const CallsByName& calls) {
  double sum = 0;
  for (const auto& [name, one] : calls) sum += one.growth();
  return sum;
}

class VolumeJudge {
 public:
  VolumeJudge(const ControlPlaneFacts& facts, const VolumeWait& wait)
      : wait_(wait),
        drivers_(Measure(facts, Metric::kCsiSidecarOperations, "driver_name", wait)),
        controller_(Measure(facts, Metric::kVolumeOperationTotal, "plugin_name", wait)) {
    if (controller_.empty()) {
      controller_ = Measure(facts, Metric::kStorageOperationDuration, "volume_plugin", wait);
    }
  }

  std::vector<CauseBehind> Run() {
    for (const auto& [name, calls] : drivers_) AddDriver(name, calls);
    if (!controller_.empty() && !drivers_.empty()) AddController();
    if (found_.empty() && (controller_.empty() || drivers_.empty())) AddTie();
    SortByShare(&found_);
    return std::move(found_);
  }

 private:
  CauseBehind* Add(std::string_view id, const std::string& object, double seconds, double growth) {
    if (growth < kLeastWeight * wait_.growth) return nullptr;
    found_.push_back(CauseOf(
        id, object,
        object.empty() ? TitleOf(TextOfFinding(id))
                       : Message("behind.csi.driver", {{"object", object}}),
        MeasuredOf({0, std::min(seconds, wait_.seconds), wait_.seconds}, wait_.e2e_seconds, "1"),
        growth >= kLikelyWeight * wait_.growth));
    return &found_.back();
  }

  void AddDriver(const std::string& name, const Calls& calls) {
    CauseBehind* behind = Add("csi.driver", name, calls.seconds, calls.growth());
    if (behind == nullptr) return;
    behind->evidence.push_back(
        {Message("evidence.behind.create_volume", {{"calls", arg::Count(calls.count)},
                                                   {"now", arg::Duration(calls.mean())},
                                                   {"before", arg::Duration(calls.mean_before)}})});
  }

  /// What provisioning took beyond the drivers' own calls.
  void AddController() {
    double seconds = 0;
    for (const auto& [name, calls] : controller_) seconds += calls.seconds;
    for (const auto& [name, calls] : drivers_) seconds -= calls.seconds;
    const double growth = GrowthOf(controller_) - GrowthOf(drivers_);
    CauseBehind* behind = Add("volume.controller", "", std::max(0.0, seconds), growth);
    if (behind == nullptr) return;
    behind->evidence.push_back(
        {Message("evidence.behind.provision", {{"seconds", arg::Duration(seconds)}})});
  }

  /// Nothing tells who: the metric that would is named.
  void AddTie() {
    const bool provisioned = !controller_.empty();
    const double seconds = provisioned ? GrowthOf(controller_) : wait_.growth;
    if (provisioned && seconds < kLeastWeight * wait_.growth) return;
    const std::string driver = controller_.size() == 1 ? controller_.begin()->first : std::string();
    const Message missing(drivers_.empty() ? "evidence.behind.no_csi"
                                           : "evidence.behind.no_provision");
    for (const char* id : {"csi.driver", "volume.controller"}) {
      const bool named = std::string_view(id) == "csi.driver";
      CauseBehind* behind = Add(id, named ? driver : "", seconds, seconds);
      behind->confidence = Confidence::kPossible;
      behind->evidence.push_back({missing});
    }
  }

  const VolumeWait& wait_;
  CallsByName drivers_, controller_;
  std::vector<CauseBehind> found_;
};

}  // namespace

CauseBehind CauseOf(std::string_view id, std::string object, Message title, Measured share,
                    bool likely) {
  const FindingText& text = TextOfFinding(id);
  return {.id = text.id,
          .object = std::move(object),
          .title = std::move(title),
          .confidence = likely ? Confidence::kLikely : Confidence::kPossible,
          .share = std::move(share),
          .evidence = {},
          .next_steps = NextStepsOf(text)};
}

BoundedValue PathEvidence::Growth(const BoundedValue& part,
                                  const std::optional<BoundedValue>& part_before) const {
  if (!before || !(before->binds > 0)) return part;
  BoundedValue scaled = part_before.value_or(BoundedValue::Exactly(0));
  const double scale = now.binds / before->binds;
  for (double* x : {&scaled.low, &scaled.value, &scaled.high}) *x *= scale;
  return part.Less(scaled);
}

BoundedValue PathEvidence::RequestGrowth() const {
  return Growth(now.request, before ? std::optional(before->request) : std::nullopt);
}

bool PathEvidence::WasSlow() const {
  constexpr double kSlow = 0.16;  // seconds a binding
  if (!before || !(before->binds > 0)) return false;
  return before->request.value >= kSlow * before->binds &&
         RequestGrowth().value < now.request.value / 2;
}

void SortByShare(std::vector<CauseBehind>* behind) {
  std::ranges::stable_sort(*behind, std::greater(),
                           [](const CauseBehind& one) { return *one.share.value; });
}

std::vector<CauseBehind> WhyBindingIsSlow(const PathEvidence& path) {
  std::vector<CauseBehind> behind;
  for (const Weighed& w : Judge(path).Run()) behind.push_back(Told(w, path.e2e_seconds));
  return behind;
}

std::vector<CauseBehind> WhyBindingFails(const PathEvidence& path, double errors, double bindings) {
  // Far too many to be other requests' by chance: those are in the same counter.
  constexpr double kMany = 50, kOff = 0.1;
  std::vector<CauseBehind> behind;
  for (const auto& [name, refused] : path.symptoms.refused) {
    double before = 0;
    if (path.symptoms_before && path.before && path.before->binds > 0) {
      const auto it = path.symptoms_before->refused.find(name);
      if (it != path.symptoms_before->refused.end()) {
        before = it->second * path.now.binds / path.before->binds;
      }
    }
    const double more = refused - before;
    if (errors < 1 || more < kCertainWeight * errors) continue;
    const double share = std::min(more, errors) / std::max(bindings, errors);
    behind.push_back(CauseOf("apiserver.webhook", name,
                             Message("behind.apiserver.webhook.refuses",
                                     {{"object", name}, {"share", arg::Share(share)}}),
                             {std::nullopt, std::nullopt, std::nullopt, "1", {}}, true));
    if (errors >= kMany && std::abs(more - errors) <= kOff * errors) {
      behind.back().confidence = Confidence::kCertain;
    }
    behind.back().evidence.push_back(
        {Message("evidence.behind.refused",
                 {{"count", arg::Count(refused)}, {"errors", arg::Count(errors)}})});
  }
  return behind;
}

std::optional<CauseBehind> SlowServerBehind(const PathEvidence& path) {
  const double growth = path.RequestGrowth().value;
  if (path.servers.empty() || !(growth > 0)) return std::nullopt;
  const ServerAgainstOthers& slow = path.servers.front();
  const auto bindings = path.now.servers.find(slow.instance);
  if (bindings == path.now.servers.end()) return std::nullopt;
  const double grown = ExcessOf(slow) - ExcessBefore(path, slow.instance);
  const double weight = grown * bindings->second.bindings.value / growth;
  if (weight < kLikelyWeight || slow.seconds < kSlower * slow.expected) return std::nullopt;
  CauseBehind behind = CauseOf("apiserver.instance", slow.instance,
                               Message("behind.apiserver.instance", {{"object", slow.instance}}),
                               MeasuredOf(bindings->second.seconds, path.e2e_seconds, "1"), true);
  behind.evidence.push_back({Message("evidence.behind.instance",
                                     {{"requests", arg::Count(slow.requests)},
                                      {"own", arg::Duration(slow.seconds / slow.requests)},
                                      {"expected", arg::Duration(slow.expected / slow.requests)},
                                      {"others", arg::Count(slow.others)}})});
  return behind;
}

VolumeWait VolumeWaitOf(const WindowEvidence& evidence) {
  VolumeWait wait;
  wait.now = evidence.now.breakdown.window;
  if (evidence.baseline) wait.before = evidence.baseline->breakdown.window;
  wait.seconds = evidence.now.breakdown.Seconds(kube::Stage::kPreBind);
  wait.growth = evidence.Growth(kube::Stage::kPreBind);
  wait.e2e_seconds = evidence.now.breakdown.e2e.seconds;
  return wait;
}

std::vector<CauseBehind> WhyVolumesAreSlow(const ControlPlaneFacts& facts, const VolumeWait& wait) {
  if (!(wait.growth > 0) || !(wait.e2e_seconds > 0)) return {};
  return VolumeJudge(facts, wait).Run();
}

std::vector<CauseBehind> WhichPlugin(const std::string& finding, const WindowEvidence& c) {
  constexpr double kPossible = 0.3, kLikely = 0.5;
  const bool failing = finding == "attempts.unschedulable";
  const std::string_view stage = failing || finding == "preemption"
                                     ? ToString(kube::Stage::kPostFilter)
                                     : std::string_view(finding);
  const auto row = std::ranges::find_if(
      kube::kStageTable, [&](const auto& one) { return one.point && one.id == stage; });
  if (row == kube::kStageTable.end()) return {};
  const double seconds = c.Growth(row->stage), all = c.now.breakdown.e2e.seconds;
  // The growth of failed attempts is without PostFilter's.
  if (!(seconds > 0) || !(all > 0) || (failing && seconds < c.FailedGrowth())) return {};
  const auto lead = LeadingPlugin(c, *row->point);
  if (!lead || lead->share < kPossible || lead->plugin == "DefaultPreemption") return {};
  const Argument point{"point", std::string(ToString(*row->point))};
  const double part = std::min(1.0, seconds / all);
  CauseBehind behind =
      CauseOf("plugin", lead->plugin, Message("behind.plugin", {{"object", lead->plugin}, point}),
              Bounded(part * lead->low, part * lead->share, part * lead->high, "1",
                      BasisKind::kLossySample),
              lead->low >= kLikely);
  Message seen(lead->before ? "evidence.behind.plugin" : "evidence.behind.plugin.alone",
               {{"share", arg::Share(lead->share)},
                point,
                {"calls", arg::Count(lead->calls)},
                {"now", arg::Duration(lead->seconds)}});
  if (lead->before) seen.args.push_back({"before", arg::Duration(*lead->before)});
  behind.evidence.push_back({std::move(seen)});
  return {std::move(behind)};
}

}  // namespace schedlens
