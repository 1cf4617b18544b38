#include "diagnose/control_plane/behind.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "diagnose/explain/glossary.h"

namespace schedlens {
namespace {

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

using Parts = std::map<std::string, Between>;

std::optional<Between> Named(const Parts& parts, const std::string& name) {
  return parts.contains(name) ? std::optional(parts.at(name)) : std::nullopt;
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
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Weighed& a, const Weighed& b) { return a.weight > b.weight; });
    return std::move(found_);
  }

 private:
  template <typename Part>
  std::optional<Between> Before(Part part) const {
    if (!path_.before) return std::nullopt;
    return std::optional<Between>(part(*path_.before)).value_or(Between::Exactly(0));
  }

  Evidence PartOf(const Weighed& w) const {
    const double call = path_.now.request.value, binds = path_.now.binds;
    const double usual = std::max(0.0, w.part.value - w.growth.value);
    return {Message("evidence.behind.part",
                    {{"part", arg::Share(std::min(1.0, w.weight))},
                     {"now", arg::Duration(w.part.value / binds)},
                     {"growth", arg::Duration(w.growth.value / binds)},
                     {"before", arg::Duration(usual / binds)},
                     {"call", arg::Share(call > 0 ? std::min(1.0, w.part.value / call) : 0)}}),
            ""};
  }

  /// Nothing below the least weight.
  Weighed* Add(std::string cause, std::string object, const Between& part, const Between& growth) {
    Weighed w;
    w.cause = std::move(cause);
    w.object = std::move(object);
    w.part = part;
    w.growth = growth;
    w.weight = growth.value / all_;
    if (w.weight < kLeastWeight) return nullptr;
    w.proven = growth.low / path_.RequestGrowth().high;
    w.tied = Replaced(w);
    w.evidence.push_back(PartOf(w));
    found_.push_back(std::move(w));
    return &found_.back();
  }

  void Webhooks() {
    for (const auto& [name, part] : path_.now.webhooks) {
      const auto before = Before(
          [&, &webhook = name](const BindingPath& path) { return Named(path.webhooks, webhook); });
      Add("apiserver.webhook", name, part, path_.Growth(part, before));
    }
  }
  /// Others would explain the same seconds, and nothing is proven.
  bool Replaced(const Weighed& w) const {
    return w.proven < kLikelyWeight && path_.now.replaced.contains(w.object);
  }

  void FlowControl() {
    if (!path_.now.flowcontrol) return;
    const auto before = Before([](const BindingPath& path) { return path.flowcontrol; });
    const Between growth = path_.Growth(*path_.now.flowcontrol, before);
    // Which level bindings wait in is in no metric: the one whose waits grew.
    std::string level;
    double most = 0;
    for (const auto& [name, waits] : path_.now.waits) {
      const auto waited =
          Before([&, &queue = name](const BindingPath& path) { return Named(path.waits, queue); });
      const double grown = path_.Growth(waits, waited).value;
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
    const Between& part = path_.now.work;
    const Between growth =
        path_.Growth(part, Before([](const BindingPath& path) { return path.work; }));
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
      if (Weighed* w = Add("etcd.leader", "", Storage(part), growth)) w->tied = true;
    } else if (starved) {
      AddCpu(part, growth);
    } else {
      Unexplained(part, growth);
    }
  }

  /// What the disk leaves may be for want of processors.
  void SlowDisk(const Between& part, const Between& growth, double predicted) {
    const double left = growth.value - predicted;
    const bool both = left > 0 && CpuPredicts() >= left;
    Between stored = StorageGrowth(growth);
    // Who waits for a processor measures a slow storage, too: none of it is proven the disk's.
    if (both) stored = {0, std::min(stored.value, predicted), stored.high};
    if (Weighed* w = Add("etcd.disk", "", Storage(part), stored)) Disk(w);
    if (both) AddCpu({0, left, part.high}, {0, left, growth.high});
  }

  void AddCpu(const Between& part, const Between& growth) {
    cpu_ = Add("apiserver.cpu", "", part, growth) != nullptr;
    if (cpu_) Cpu(&found_.back());
  }

  void Unexplained(const Between& part, const Between& growth) {
    if (path_.symptoms.fsync_wait) {
      // Without wake-ups only the CPU that was used hints at want of it.
      const bool busy = !path_.symptoms.wake_up && CpuRose();
      if (Weighed* w = Add(busy ? "apiserver.cpu" : "apiserver.unknown", "", part, growth))
        w->tied = true;
      return;
    }
    if (path_.now.storage) {
      const auto before = Before([](const BindingPath& path) { return path.storage; });
      const Between stored = path_.Growth(*path_.now.storage, before);
      const bool proven = stored.low >= kExplains * growth.value && path_.symptoms.wake_up;
      if (Weighed* w = Add("etcd.slow", "", *path_.now.storage, stored)) w->tied = !proven;
      if (proven) return;
    }
    if (!path_.symptoms.wake_up) {
      if (Weighed* w = Add("apiserver.cpu", "", part, growth)) w->tied = true;
    }
  }

  bool CpuRose() const {
    const auto before = Old(&Symptoms::cores_used);
    return path_.symptoms.cores_used && before && *path_.symptoms.cores_used >= kBusier * *before;
  }

  Between Storage(const Between& part) const { return path_.now.storage.value_or(part); }
  Between StorageGrowth(const Between& growth) const {
    if (!path_.now.storage) return growth;
    const auto before = Before([](const BindingPath& path) { return path.storage; });
    Between stored = path_.Growth(*path_.now.storage, before);
    stored.value = std::max(stored.value, std::min(stored.high, growth.value));
    return stored;
  }

  void Disk(Weighed* w) const {
    w->evidence.push_back(
        {Message("evidence.behind.fsync",
                 {{"now", arg::Duration(path_.symptoms.fsync_mean.value_or(0))},
                  {"before", arg::Duration(Old(&Symptoms::fsync_mean).value_or(0))},
                  {"wait", arg::Duration(*path_.symptoms.fsync_wait)}}),
         ""});
  }

  void Cpu(Weighed* w) const {
    w->evidence.push_back(
        {Message("evidence.behind.wake_up",
                 {{"now", arg::Duration(*path_.symptoms.wake_up)},
                  {"before", arg::Duration(Old(&Symptoms::wake_up).value_or(0))}}),
         ""});
  }

  void Network() {
    if (!path_.now.network) return;
    const auto before = Before([](const BindingPath& path) { return path.network; });
    const Between growth = path_.Growth(*path_.now.network, before);
    const double own = Predicted(Risen(path_.symptoms.own_call, Old(&Symptoms::own_call)));
    const bool has_own = path_.symptoms.has_own_calls;
    if (own >= kExplains * growth.value && own > 0) return SlowAudit(growth, own);
    // What is short of processors takes its time before the server's clock starts, too.
    if (cpu_ && CpuPredicts() >= kExplains * growth.value) return Widen(growth);
    if (Weighed* w = Add("bind.network", "", *path_.now.network, growth)) w->tied = !has_own;
    if (has_own) return;
    if (Weighed* w = Add("apiserver.audit", "", *path_.now.network, growth)) w->tied = true;
  }

  /// What the API servers' own calls leave is the way itself.
  void SlowAudit(const Between& growth, double own) {
    const double left = growth.value - own;
    const bool both = left >= kExplains * growth.value;
    const Between audit = both ? Between{0, own, growth.high} : growth;
    const Between& part = *path_.now.network;
    if (Weighed* w = Add("apiserver.audit", "", part, audit)) {
      w->evidence.push_back(
          {Message("evidence.behind.own_call",
                   {{"now", arg::Duration(*path_.symptoms.own_call)},
                    {"before", arg::Duration(Old(&Symptoms::own_call).value_or(0))}}),
           ""});
    }
    if (both) Add("bind.network", "", {0, left, part.high}, {0, left, growth.high});
  }

  void Widen(const Between& growth) {
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
constexpr char kId[] = "apiserver.instance";

/// Seconds by which each request took longer than on the others.
double ExcessOf(const ServerAgainstOthers& server) {
  return std::max(0.0, server.seconds - server.expected) / server.requests;
}

double ExcessBefore(const PathEvidence& path, const std::string& instance) {
  for (const ServerAgainstOthers& server : path.servers_before) {
    if (server.instance == instance) return ExcessOf(server);
  }
  return 0;
}

}  // namespace

CauseBehind Told(const Weighed& w, double e2e) {
  CauseBehind behind;
  const FindingText& text = TextOfFinding(w.cause);
  behind.id = w.cause;
  behind.object = w.object;
  behind.title = TitleOf(text);
  if (!w.object.empty()) {
    const bool webhook = w.cause == "apiserver.webhook";
    behind.title = Message(webhook ? "behind.apiserver.webhook" : "behind.apiserver.flowcontrol",
                           {{"object", w.object}});
  }
  behind.share = MeasuredOf(w.part, e2e, "1");
  behind.evidence = w.evidence;
  behind.next_steps = NextStepsOf(text);
  behind.confidence = w.weight >= kLikelyWeight ? Confidence::kLikely : Confidence::kPossible;
  if (MayBeCertain(w.cause) && w.proven >= kCertainWeight) behind.confidence = Confidence::kCertain;
  if (w.tied) behind.confidence = Confidence::kPossible;
  return behind;
}

Between PathEvidence::Growth(const Between& part, const std::optional<Between>& part_before) const {
  if (!before || !(before->binds > 0)) return part;
  Between scaled = part_before.value_or(Between::Exactly(0));
  const double scale = now.binds / before->binds;
  for (double* x : {&scaled.low, &scaled.value, &scaled.high}) *x *= scale;
  return part.Less(scaled);
}

Between PathEvidence::RequestGrowth() const {
  return Growth(now.request, before ? std::optional(before->request) : std::nullopt);
}

std::vector<CauseBehind> WhyBindingIsSlow(const PathEvidence& path) {
  std::vector<CauseBehind> behind;
  for (const Weighed& w : Judge(path).Run()) behind.push_back(Told(w, path.e2e_seconds));
  return behind;
}

std::vector<CauseBehind> WhyBindingFails(const PathEvidence& path, double errors) {
  std::vector<CauseBehind> behind;
  for (const auto& [name, refused] : path.symptoms.refused) {
    double before = 0;
    if (path.symptoms_before && path.before && path.before->binds > 0) {
      const auto it = path.symptoms_before->refused.find(name);
      if (it != path.symptoms_before->refused.end()) {
        before = it->second * path.now.binds / path.before->binds;
      }
    }
    if (errors < 1 || refused - before < kCertainWeight * errors) continue;
    Weighed w;
    w.cause = "apiserver.webhook";
    w.object = name;
    w.weight = 1;
    w.evidence.push_back({Message("evidence.behind.refused",
                                  {{"count", arg::Count(refused)}, {"errors", arg::Count(errors)}}),
                          ""});
    w.part = Named(path.now.webhooks, name).value_or(Between{0, 0});
    CauseBehind one = Told(w, path.e2e_seconds);
    one.title = Message("behind.apiserver.webhook.refuses", {{"object", name}});
    behind.push_back(std::move(one));
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
  if (weight < kLikelyWeight || slow.seconds < kSlower * slow.expected) {
    return std::nullopt;
  }
  CauseBehind behind;
  const FindingText& text = TextOfFinding(kId);
  behind.id = kId;
  behind.object = slow.instance;
  behind.title = Message("behind.apiserver.instance", {{"object", slow.instance}});
  behind.confidence = Confidence::kLikely;
  behind.share = MeasuredOf(bindings->second.seconds, path.e2e_seconds, "1");
  behind.evidence.push_back({Message("evidence.behind.instance",
                                     {{"requests", arg::Count(slow.requests)},
                                      {"own", arg::Duration(slow.seconds / slow.requests)},
                                      {"expected", arg::Duration(slow.expected / slow.requests)},
                                      {"others", arg::Count(slow.others)}}),
                             ""});
  behind.next_steps = NextStepsOf(text);
  return behind;
}

}  // namespace schedlens
