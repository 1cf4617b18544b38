#include "base/suggestion.h"
#include "replay/change.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::Distribution;

/// The time is worth a word from this factor on.
constexpr double kSlower = 1.1;

double Seconds(const std::vector<Cost>& stages, const sim::Conditions& conditions) {
  double seconds = 0;
  for (const Cost stage : stages) seconds += conditions.costs[stage].wall.Mean();
  return seconds;
}

/// What a cause makes slow is not the machine's. What extenders take is outside the loop's points.
bool IsNamed(bool bind, const Diagnosis& diagnosis) {
  const std::string_view algorithm = ToString(kube::Stage::kAlgorithm);
  return std::ranges::any_of(diagnosis.findings, [&](const Finding& f) {
    const std::string_view id = f.id;
    if (f.confidence == Confidence::kPossible || id == "algorithm.extender") return false;
    return id.starts_with(algorithm) || (bind && id.starts_with("bind."));
  });
}

void TakeFrom(const sim::Conditions& quiet, Cost stage, sim::Conditions* now) {
  now->costs[stage] = quiet.costs[stage];
  for (std::size_t i = 0; i < now->template_costs.size(); ++i) {
    sim::CostOverrides& own = now->template_costs[i];
    // Pods that fit nowhere have their own times, in every period the same.
    const bool coupled =
        std::ranges::any_of(own, [](const auto& one) { return one.first == Cost::kScore; });
    if (!coupled) continue;
    std::erase_if(own, [&](const auto& one) { return one.first == stage; });
    if (i >= quiet.template_costs.size()) continue;
    for (const auto& one : quiet.template_costs[i]) {
      if (one.first == stage) own.push_back(one);
    }
  }
}

constexpr double kWorthSaying = 0.05;

Error Missing(const std::string& change, const std::string& why) {
  return Error(ErrorKind::kInsufficientData, fmt::format("--set {}: {}", change, why));
}

constexpr const char* kUnknownSize =
    "the window does not say how many nodes there are now "
    "(scheduler_scheduler_cache_size{type=\"nodes\"})";

/// Says what the work is computed of, once.
void SayWork(const LoopFit& loop, Changed* changed) {
  const auto said = [](const Message& message) { return message.id == "whatif.work"; };
  const auto& assumptions = changed->assumptions;
  const auto machine = loop.machine();
  if (!machine || std::ranges::any_of(assumptions, said)) return;
  changed->Say("whatif.work", {{"release", std::string(loop.measured())},
                               {"factor", arg::Number(machine->likely)},
                               {"low", arg::Number(machine->low)},
                               {"high", arg::Number(machine->high)}});
}

constexpr int kDefaultParallelism = 16;

void ApplyCores(const Change& change, const Investigation& investigation, Changed* changed) {
  const sim::Conditions& now = changed->likely.now();
  const auto& cpu = investigation.evidence->now.cpu;
  if (change.kind == ChangeKind::kMultiply && now.cores <= 0) {
    throw Missing("cores", "the window does not show a limit to multiply; say cores=N");
  }
  const int cores = std::max(1, CutTo<int>(std::round(change.NewValue(now.cores))));
  const int before = now.cores;
  for (Fitted* fitted : changed->Both()) fitted->now().cores = cores;
  Message text("whatif.cores", {{"cores", arg::Count(cores)}});
  if (before > 0) {
    text.id = "whatif.cores.limited";
    text.args.push_back({"before", arg::Count(before)});
  }
  if (cpu) text.args.push_back({"used", arg::Number(cpu->cores)});
  if (before <= 0 && cpu) text.id = "whatif.cores.used";
  changed->assumptions.push_back(std::move(text));
  LoopSetting to = changed->likely.loop.setting();
  to.cores = cores;
  MoveLoop(to, changed);
}

void ApplyBackoff(const Change& change, bool initial, Changed* changed) {
  for (Fitted* fitted : changed->Both()) {
    sim::Scenario& scenario = fitted->scenario;
    double& value = initial ? scenario.initial_backoff : scenario.max_backoff;
    value = change.NewValue(value);
    scenario.max_backoff = std::max(scenario.max_backoff, scenario.initial_backoff);
  }
  const sim::Scenario& after = changed->likely.scenario;
  const bool waits = changed->likely.failures.waiting_share > 0;
  changed->Say(waits ? "whatif.backoff.waiting" : "whatif.backoff",
               {{"initial", arg::Duration(after.initial_backoff)},
                {"most", arg::Duration(after.max_backoff)}});
}

/// A bind that goes past the extender takes no longer than this: what the quicker half of the
/// attempts says of the others, and all that the extender's binds took in the quiet period.
Distribution SlowestWithoutBinder(const Measurement& now, const Fitted& fitted) {
  const Distribution most = DistributionOf(Mirrored(ScheduledShape(now)));
  return fitted.has_baseline() ? Slower(most, fitted.quiet().costs[Cost::kExtBind].wall) : most;
}

/// A part of the call below which it is none.
constexpr double kNone = 1e-3;
/// From this part of the call's growth on something is a cause of its own, as for a diagnosis.
constexpr double kOfGrowth = 0.1;
/// From this part of the call's growth on storage leads: others may have waited for the same disk.
constexpr double kLeads = 0.5;
/// From this part on they likely have: no second cause is left to be seen.
constexpr double kTakesAlong = 0.8;

/// Of the whole as parts of 1.
BoundedValue PartOf(const BoundedValue& gone, const BoundedValue& whole) {
  const auto part = [](double a, double b) { return b > 0 ? std::clamp(a / b, 0.0, 1.0) : 0.0; };
  BoundedValue out{part(gone.low, whole.high), part(gone.value, whole.value),
                   part(gone.high, whole.low > 0 ? whole.low : whole.value)};
  out.value = std::clamp(out.value, out.low, out.high);
  return out;
}

constexpr std::string_view kServer = "apiserver", kNetwork = "bind.network",
                           kFlowcontrol = "apiserver.flowcontrol",
                           kAdmission = "apiserver.admission", kStorage = "apiserver.storage",
                           kRest = "apiserver.rest";

/// What the part has of the window's binding calls; nothing where no metric tells.
std::optional<BoundedValue> PartIn(const BindingPath& path, std::string_view stage) {
  return stage == kServer        ? path.apiserver
         : stage == kNetwork     ? path.network
         : stage == kFlowcontrol ? path.flowcontrol
         : stage == kAdmission   ? path.admission
         : stage == kStorage     ? path.storage
                                 : path.rest;
}

/// Whether something else of the path than `own`, a webhook or a part, is proven to have grown too:
/// calls may be slow for that.
bool OthersGrew(const PathEvidence& path, std::string_view own) {
  const double least = kOfGrowth * path.RequestGrowth().value;
  const auto grew = [&](const std::optional<BoundedValue>& part,
                        const std::optional<BoundedValue>& before) {
    return part && path.Growth(*part, before).low > least;
  };
  const BindingPath none;
  const BindingPath& before = path.before ? *path.before : none;
  const bool inside = own == kAdmission || own == kStorage || own == kRest;
  bool any = own != kNetwork && grew(path.now.network, before.network);
  if (own == kServer) return any;
  any = any || (own != kFlowcontrol && grew(path.now.flowcontrol, before.flowcontrol)) ||
        (!inside && grew(path.now.inside, before.inside));
  for (const auto& [name, part] : path.now.webhooks) {
    const auto was = before.webhooks.find(name);
    const bool there = was != before.webhooks.end();
    any = any || (name != own && grew(part, there ? std::optional(was->second) : std::nullopt));
  }
  return any;
}

/// Takes from the binding call what goes of it, parts of 1 now and in the quiet period; `alone`:
/// nothing else is known to have grown.
void TakeAway(const BoundedValue& now_gone, const BoundedValue& quiet_gone, bool alone,
              const Investigation& investigation, Changed* changed) {
  const Distribution now = changed->likely.now().costs[Cost::kBindApi].wall;
  const Distribution quiet = changed->likely.quiet().costs[Cost::kBindApi].wall;
  const bool evenly = GrewEvenly(now, quiet);
  const GonePart likely{now_gone.value, quiet_gone.value}, most{now_gone.high, quiet_gone.high};
  changed->likely.now().costs[Cost::kBindApi].wall =
      Without(now, quiet, changed->cheapest ? most : likely, evenly);
  // Where nearly every call is slow none is slow for something else alone.
  changed->extreme.now().costs[Cost::kBindApi].wall =
      Without(now, quiet, {now_gone.low, quiet_gone.low}, alone || evenly);
  changed->differ = changed->cheaper = true;
  MayCalm(LoopPoints(), investigation, changed);
}

Message Describe(const char* id, const BoundedValue& part) {
  return Message(id, {{"share", arg::Share(part.value)},
                      {"low", arg::Share(part.low)},
                      {"high", arg::Share(part.high)}});
}

PathEvidence PathOf(const std::string& change, const Investigation& investigation) {
  if (auto path = MeasurePath(investigation, *investigation.evidence)) return std::move(*path);
  throw Missing(change,
                "no API server's figures of bindings are in this data "
                "(apiserver_request_duration_seconds); `schedlens doctor` says what is missing");
}

}  // namespace

const std::vector<Cost>& LoopPoints() {
  static const std::vector<Cost> points = {Cost::kPreFilter, Cost::kFilter, Cost::kPreScore,
                                           Cost::kScore};
  return points;
}

void MayCalm(const std::vector<Cost>& stages, const Investigation& investigation,
             Changed* changed) {
  const bool bind = std::ranges::count(stages, Cost::kBindApi) > 0;
  if (!changed->likely.has_baseline() || IsNamed(bind, investigation.diagnosis)) return;
  const sim::Conditions& quiet = changed->likely.quiet();
  sim::Conditions& now = changed->likely.now();
  const double was = Seconds(stages, quiet), slower = was > 0 ? Seconds(stages, now) / was : 1;
  if (slower < kSlower) return;
  changed->cheaper = true;
  changed->Say(bind ? "whatif.calm.bind" : "whatif.calm", {{"factor", arg::Number(slower)}});
  if (!changed->cheapest) return;
  for (const Cost stage : stages) {
    if (quiet.costs[stage].wall.Mean() < now.costs[stage].wall.Mean()) TakeFrom(quiet, stage, &now);
  }
}

void RequestsMayCalm(const Fitted& measured, Changed* changed) {
  constexpr double kLeastCalmed = 1e-4;  // seconds of an attempt
  const sim::Costs &quiet = measured.quiet().costs, &now = measured.now().costs;
  const double bind = now[Cost::kBindApi].wall.Mean(), was = quiet[Cost::kBindApi].wall.Mean();
  if (bind < kSlower * was) return;
  double calmed = 0;
  // What has no metric is on the loop or after it, as the reading has it.
  for (const Cost cost : {Cost::kPreBind, Cost::kSpawn, Cost::kAssume}) {
    Distribution& wall = changed->likely.now().costs[cost].wall;
    if (wall.Mean() != now[cost].wall.Mean()) continue;  // as another change has it
    const bool waits = cost == Cost::kPreBind;
    const double requests = waits ? kRequestsAWait + 1 : 1;
    Distribution calm = wall;
    const double less = TakeQuietAbove(waits ? kLeastVolumeWait : 0, requests * (bind - was),
                                       quiet[waits ? cost : Cost::kSpawn].wall, &calm);
    if (less < kLeastCalmed) continue;
    calmed += less;
    wall = std::move(calm);
  }
  if (calmed <= 0) return;
  changed->differ = true;
  changed->Say("whatif.calm.requests", {{"seconds", arg::Duration(calmed)}});
}

std::optional<int> NodesOf(const Investigation& investigation) {
  const auto nodes = CacheSizeOf(investigation, "nodes");
  return nodes ? std::optional(CutTo<int>(*nodes)) : std::nullopt;
}

void MoveLoop(const LoopSetting& to, Changed* changed) {
  const LoopFit& loop = changed->likely.loop;
  if (!loop.known()) {
    changed->Say("whatif.work.unknown");
    return;
  }
  SayWork(loop, changed);
  for (const PointFit& fit : loop.points()) {
    const Growth growth = loop.Of(fit.point, to);
    if (fit.seconds <= 0) continue;
    changed->Scale({fit.point}, changed->cheapest ? growth.least : growth.likely, growth.most);
    changed->cheaper = changed->cheaper || growth.least < growth.likely;
    const auto same = [](double times) { return std::abs(times - 1) < kWorthSaying; };
    if (same(growth.likely) && same(growth.most) && same(growth.least)) continue;
    changed->Say("whatif.work.point", {{"point", std::string(ToString(fit.name))},
                                       {"likely", arg::Number(growth.likely)},
                                       {"least", arg::Number(growth.least)},
                                       {"most", arg::Number(growth.most)}});
  }
  for (Fitted* fitted : changed->Both()) fitted->loop.Move(to);
}

void ApplyClusterSize(const Change& change, Changed* changed) {
  const LoopFit& loop = changed->likely.loop;
  if (!loop.known()) throw Missing("nodes", kUnknownSize);
  LoopSetting to = loop.setting();
  const int now = to.nodes;
  to.nodes = static_cast<int>(std::clamp(std::round(change.NewValue(now)), 1.0, 1e6));
  to.pods *= static_cast<double>(to.nodes) / now;
  changed->Say("whatif.nodes", {{"nodes", arg::Count(to.nodes)},
                                {"now", arg::Count(now)},
                                {"after", arg::Count(NodesLookedAt(to))},
                                {"before", arg::Count(NodesLookedAt(loop.setting()))}});
  MoveLoop(to, changed);
}

void ApplyRunning(double factor, Changed* changed) {
  if (!changed->likely.loop.known()) throw Missing("running", kUnknownSize);
  LoopSetting to = changed->likely.loop.setting();
  to.pods *= factor;
  MoveLoop(to, changed);
}

bool LoopExtenderSeen(const Investigation& investigation) {
  const auto& findings = investigation.diagnosis.findings;
  return std::ranges::count(findings, "algorithm.extender", &Finding::id) > 0;
}

void RemoveBinder(const Investigation& investigation, Changed* changed) {
  const Measurement& now = investigation.evidence->now;
  for (Fitted* fitted : changed->Both()) {
    for (sim::Extender& extender : fitted->scenario.extenders) extender.bind = false;
  }
  MayCalm(LoopPoints(), investigation, changed);
  if (now.breakdown.bind_ok.count > 0) {
    changed->Say("whatif.config.no_binder.measured");
    return;
  }
  const sim::Costs usual = sim::Costs::Default();
  const LatencyShape server = ServerBinds(investigation, now.breakdown.window);
  const bool answered = server.count >= 1;
  Distribution api = answered ? DistributionOf(server, server) : usual[Cost::kBindApi].wall;
  // The extender binds through the same API server: what is quick of it is as slow at least, and
  // without the extender no bind took longer in the quiet period than with it.
  const Distribution most = Slower(api, SlowestWithoutBinder(now, changed->likely));
  for (Fitted* fitted : changed->Both()) {
    sim::Costs& costs = fitted->now().costs;
    costs[Cost::kBindApi].wall = fitted == &changed->extreme ? most : api;
    costs[Cost::kBindClient] = usual[Cost::kBindClient];
  }
  changed->differ = true;
  const double guess = usual[Cost::kBindClient].wall.Mean() + api.Mean();
  changed->Say(answered ? "whatif.config.no_binder.server" : "whatif.config.no_binder",
               {{"guess", arg::Duration(guess)}});
}

void RemoveLoopExtender(const Investigation& investigation, Changed* changed) {
  const sim::Costs quiet = sim::Costs::Default();
  const double rest = quiet[Cost::kSnapshot].wall.Mean() + quiet[Cost::kSelectHost].wall.Mean();
  const double now = changed->likely.now().costs[Cost::kSnapshot].wall.Mean();
  if (now > rest) changed->Scale({Cost::kSnapshot}, rest / now, rest / now);
  changed->Say("whatif.config.no_loop_extender", {{"rest", arg::Duration(rest)}});
  std::vector<Cost> others = LoopPoints();
  others.push_back(Cost::kBindApi);
  MayCalm(others, investigation, changed);
}

void ApplyPercentage(int percentage, const Investigation& investigation, Changed* changed) {
  const std::optional<int> nodes = NodesOf(investigation);
  if (percentage == 0) return;
  if (!nodes) {
    changed->Say("whatif.config.percentage.no_nodes");
    return;
  }
  const int before = sim::core::NumFeasibleNodesToFind(0, *nodes);
  const int after = sim::core::NumFeasibleNodesToFind(percentage, *nodes);
  changed->Say(before == after ? "whatif.config.percentage.same" : "whatif.config.percentage",
               {{"percentage", arg::Count(percentage)},
                {"before", arg::Count(before)},
                {"nodes", arg::Count(*nodes)}});
  if (before == after) return;
  LoopSetting to = changed->likely.loop.setting();
  to.percentage = percentage;
  MoveLoop(to, changed);
}

void ApplyParallelism(int workers, Changed* changed) {
  if (workers == kDefaultParallelism) return;
  const bool more = workers > kDefaultParallelism;
  changed->Say(more ? "whatif.config.parallelism.more" : "whatif.config.parallelism",
               {{"workers", arg::Count(workers)}, {"before", arg::Count(kDefaultParallelism)}});
  if (more) return;
  LoopSetting to = changed->likely.loop.setting();
  to.parallelism = workers;
  MoveLoop(to, changed);
}

void RemoveExtenders(const Investigation& investigation, Changed* changed) {
  const WindowEvidence& c = *investigation.evidence;
  const bool on_loop = LoopExtenderSeen(investigation), binds = c.now.breakdown.extender_binds > 0;
  if (binds) RemoveBinder(investigation, changed);
  if (on_loop) RemoveLoopExtender(investigation, changed);
  if (!binds && !on_loop) changed->Say("whatif.no_extender.seen");
}

void ApplySetting(const Change& change, const std::string& key, const Investigation& investigation,
                  Changed* changed) {
  if (key == "cores") return ApplyCores(change, investigation, changed);
  if (key == "backoff.initial") return ApplyBackoff(change, true, changed);
  if (key == "backoff.max") return ApplyBackoff(change, false, changed);
  if (key == "parallelism") {
    const double workers = change.NewValue(kDefaultParallelism);
    return ApplyParallelism(std::max(1, CutTo<int>(std::round(workers))), changed);
  }
  if (change.kind == ChangeKind::kMultiply) {
    throw Error(ErrorKind::kUsage,
                "--set percentageOfNodesToScore: until now it is adaptive as far as the window "
                "shows; say percentageOfNodesToScore=N");
  }
  ApplyPercentage(CutTo<int>(change.value), investigation, changed);
}

Distribution Without(const Distribution& now, const Distribution& quiet, const GonePart& gone,
                     bool evenly) {
  const double mean = now.Mean(), was = quiet.Mean(), grown = mean - was;
  const double least = std::min(was, mean) * (1 - gone.quiet);
  const double wanted = std::max(least, mean * (1 - gone.now));
  Distribution left = now;
  if (grown > 0) {
    const double of_growth = std::clamp((mean * gone.now - was * gone.quiet) / grown, 0.0, 1.0);
    left = evenly ? Partway(now, quiet, of_growth)
                  : Distribution::Mixture({{1 - of_growth, now}, {of_growth, quiet}});
  }
  return left.Mean() > 0 ? left.Scaled(std::min(1.0, wanted / left.Mean())) : left;
}

void RemoveWebhook(const Change& change, const Investigation& investigation, Changed* changed) {
  const bool removed = change.kind == ChangeKind::kRemoved;
  const std::string shown = change.key + (removed ? "=removed" : "=baseline");
  const std::string name = change.key.substr(change.key.find('.') + 1);
  const PathEvidence path = PathOf(shown, investigation);
  const auto& known = path.now.webhooks_everywhere;
  if (!known.contains(name)) {
    std::vector<std::string> names;
    for (const auto& [webhook, seconds] : known) names.push_back(webhook);
    throw Missing(shown, names.empty() ? "no webhook was measured in this window "
                                         "(apiserver_admission_webhook_admission_duration_seconds)"
                                       : "no such webhook was measured" + Suggestion(name, names));
  }
  const auto own = path.now.webhooks.find(name);
  if (own == path.now.webhooks.end()) {
    throw Missing(shown,
                  "webhooks are not measured by resource, and what would tell the bindings' part "
                  "is not in this data (apiserver_request_sli_duration_seconds)");
  }
  const BindingPath& quiet = path.before ? *path.before : path.now;
  const auto was = quiet.webhooks.find(name);
  const auto then = was == quiet.webhooks.end() ? std::nullopt : std::optional(was->second);
  const BoundedValue part =
      PartOf(removed ? own->second : path.Growth(own->second, then), path.now.request);
  if (part.high < kNone) {
    changed->Say("whatif.webhook.not_on_path", {{"name", name}});
    return;
  }
  // A webhook that was not there in the quiet period had nothing of it then.
  const BoundedValue before =
      removed && then ? PartOf(*then, quiet.request) : BoundedValue::Exactly(0);
  TakeAway(part, before, !OthersGrew(path, name), investigation, changed);
  Message text = Describe(removed ? "whatif.webhook" : "whatif.part", part);
  text.args.push_back({"name", name});
  changed->assumptions.push_back(std::move(text));
  const auto refused = path.symptoms.refused.find(name);
  if (refused == path.symptoms.refused.end() || refused->second < 1) return;
  changed->Say("whatif.webhook.refused",
               {{"name", name}, {"refused", arg::Number(refused->second)}});
}

void RestoreStorage(const Investigation& investigation, Changed* changed) {
  const std::string shown = "etcd.fsync=baseline";
  const PathEvidence path = PathOf(shown, investigation);
  if (!path.now.storage || !path.before || !path.before->storage) {
    throw Missing(shown,
                  "the API server's figures of its storage are not in this data, now and in the "
                  "baseline (etcd_request_duration_seconds)");
  }
  // The best guess is all by which the inside of the API server has grown: what has no metric of
  // its own there has no reason to take longer than in the quiet period.
  BoundedValue growth = path.Growth(*path.now.storage, path.before->storage);
  const double inside = path.Growth(path.now.inside, path.before->inside).value;
  growth.value = std::clamp(inside, growth.low, growth.high);
  BoundedValue part = PartOf(growth, path.now.request);
  const double whole = path.RequestGrowth().value;
  if (growth.value > kLeads * whole) part.high = 1;
  changed->assumptions.push_back(Describe("whatif.storage", part));
  if (growth.value > kTakesAlong * whole) part.value = 1;
  TakeAway(part, BoundedValue::Exactly(0), !OthersGrew(path, kStorage), investigation, changed);
}

void RestorePart(const std::string& stage, const Investigation& investigation, Changed* changed) {
  const std::string shown = stage + "=baseline";
  const PathEvidence path = PathOf(shown, investigation);
  const auto now = PartIn(path.now, stage);
  const auto before = path.before ? PartIn(*path.before, stage) : std::nullopt;
  if (!now || !before) {
    throw Missing(shown,
                  "the data do not tell what that part of the binding call takes, now and in the "
                  "baseline; `schedlens doctor` says what is missing");
  }
  const BoundedValue part = PartOf(path.Growth(*now, before), path.now.request);
  TakeAway(part, BoundedValue::Exactly(0), !OthersGrew(path, stage), investigation, changed);
  Message text = Describe("whatif.part", part);
  text.args.push_back({"name", stage});
  changed->assumptions.push_back(std::move(text));
}

}  // namespace schedlens
