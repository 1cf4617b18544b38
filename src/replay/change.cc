#include "replay/change.h"

#include <cctype>
#include <numeric>

#include "base/suggestion.h"

namespace schedlens {
namespace {

using sim::Cost;

enum class KeyKind {
  kStage,
  kClient,
  kRate,
  kNodes,
  kRunning,
  kSetting,
  kExtender,
  kPlugin,
  kWebhook,
  kStorage,
  kPart,
  kFailing,
  kConfig
};

/// A key of `--set` and which values make sense for it.
struct KeyRow {
  std::string_view key;
  KeyKind kind = KeyKind::kStage;
  double least = 0, most = 3600;  ///< of KEY=VALUE
  std::string_view unit = "seconds";
  bool whole = false;                        ///< only whole numbers
  std::vector<Cost> costs = {};              ///< of a stage
  double sim::Scenario::*setting = nullptr;  ///< of the API client
};

constexpr std::string_view kWebhookStart = "webhook.", kAnyWebhook = "webhook.NAME";

const std::vector<KeyRow>& KeyRows() {
  using enum KeyKind;
  static const std::vector<KeyRow> rows = {
      {.key = ToString(kube::Stage::kAlgorithm),
       .costs = {Cost::kPreFilter, Cost::kFilter, Cost::kPreScore, Cost::kScore, Cost::kSnapshot}},
      {.key = ToString(kube::Stage::kPreFilter), .costs = {Cost::kPreFilter}},
      {.key = ToString(kube::Stage::kFilter), .costs = {Cost::kFilter}},
      {.key = ToString(kube::Stage::kPreScore), .costs = {Cost::kPreScore}},
      {.key = ToString(kube::Stage::kScore), .costs = {Cost::kScore}},
      {.key = ToString(kube::Stage::kAlgorithmUnmeasured), .costs = {Cost::kSnapshot}},
      {.key = ToString(kube::Stage::kReserve), .costs = {Cost::kReserveWait}},
      {.key = ToString(kube::Stage::kPermitWait), .costs = {Cost::kPermitWait}},
      {.key = ToString(kube::Stage::kPreBind), .costs = {Cost::kPreBind, Cost::kPreBindWait}},
      {.key = ToString(kube::Stage::kBindRequest), .costs = {Cost::kBindApi}},
      {.key = "bind.extender", .costs = {Cost::kExtBind}},
      {.key = ToString(kube::Stage::kPostFilter), .costs = {Cost::kPostFilter}},
      {"attempts.unschedulable", kFailing},
      {"bind.network", kPart},
      {"apiserver", kPart},
      {"apiserver.flowcontrol", kPart},
      {"apiserver.admission", kPart},
      {"apiserver.rest", kPart},
      {"client.qps", kClient, 0.01, 1e5, "requests a second", false, {}, &sim::Scenario::qps},
      {"client.burst", kClient, 1, 1e6, "requests", false, {}, &sim::Scenario::client_burst},
      {"rate", kRate, 0.001, 1e4, "pods a second"},
      {"nodes", kNodes, 1, 100'000, "nodes", true},
      {"running", kRunning, 0, 3600, "pods"},
      {"percentageOfNodesToScore", kSetting, 0, 100, "%", true},
      {"parallelism", kSetting, 1, 1000, "workers", true},
      {"cores", kSetting, 1, 1000, "cores", true},
      {"backoff.initial", kSetting, 0.001},
      {"backoff.max", kSetting, 0.001},
      {"extender", kExtender},
      {"plugin", kPlugin},
      {kAnyWebhook, kWebhook},
      {"etcd.fsync", kStorage},
      {"config", kConfig},
  };
  return rows;
}

/// Other words for a key: those of the configuration's file, short ones, and what reports call the
/// cause that it is the cost of.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"qps", "client.qps"},
    {"burst", "client.burst"},
    {"clientConnection.qps", "client.qps"},
    {"clientConnection.burst", "client.burst"},
    {"backoff", "backoff.initial"},
    {"podInitialBackoffSeconds", "backoff.initial"},
    {"podMaxBackoffSeconds", "backoff.max"},
    {"percentage_of_nodes", "percentageOfNodesToScore"},
    {"fsync", "etcd.fsync"},
    {"algorithm.extender", ToString(kube::Stage::kAlgorithmUnmeasured)},
    {ToString(kube::Stage::kPermit), ToString(kube::Stage::kPermitWait)},
    {"permit.wait", ToString(kube::Stage::kPermitWait)},
    {"prebind.volume", ToString(kube::Stage::kPreBind)},
    {"csi.driver", ToString(kube::Stage::kPreBind)},
    {"volume.controller", ToString(kube::Stage::kPreBind)},
    {"preemption", ToString(kube::Stage::kPostFilter)},
    {"unschedulable.plugin", "attempts.unschedulable"},
    {ToString(kube::Stage::kBind), ToString(kube::Stage::kBindRequest)},
    {"bind.apiserver", ToString(kube::Stage::kBindRequest)},
    {ToString(kube::Stage::kBindThrottle), "client.qps"},
    {"bind.client-throttling", "client.qps"},
    {"apiserver.audit", "bind.network"},
    {"apiserver.cpu", "apiserver"},
    {"apiserver.instance", "apiserver"},
    {"apiserver.unknown", "apiserver"},
    {"apiserver.storage", "etcd.fsync"},
    {"etcd.disk", "etcd.fsync"},
    {"etcd.slow", "etcd.fsync"},
    {"etcd.peer", "etcd.fsync"},
    {"load.workload", "rate"},
};

/// The row of a key or of what a KubeSchedulerConfiguration calls it; null for an unknown one. A
/// plugin, `NAME` or `Point/NAME`, has a row of its own, and so has a webhook, `webhook.NAME`.
const KeyRow* RowOf(const std::string& key) {
  // The row of plugins is no key itself.
  if (key == "plugin") return nullptr;
  // Plugins have names in capitals, keys do not; `Point/NAME` has a slash.
  const bool plugin = key.find('/') != std::string::npos ||
                      (!key.empty() && std::isupper(static_cast<unsigned char>(key.front())) != 0);
  std::string_view wanted = plugin ? "plugin" : std::string_view(key);
  for (const auto& [alias, name] : kAliases) {
    if (alias == wanted) wanted = name;
  }
  if (wanted.starts_with(kWebhookStart) && wanted.size() > kWebhookStart.size())
    wanted = kAnyWebhook;
  const auto at = std::ranges::find(KeyRows(), wanted, &KeyRow::key);
  return at == KeyRows().end() ? nullptr : &*at;
}

bool CalmsBind(const Change& change) {
  return change.kind == ChangeKind::kBaseline &&
         RowOf(change.key)->key == ToString(kube::Stage::kBindRequest);
}

/// Reads what stands behind the `=`. What is wrong with it; empty where nothing is.
std::string ReadValue(const std::string& value, const KeyRow& row, Change* change) {
  const bool multiply = change->kind == ChangeKind::kMultiply;
  if (row.kind == KeyKind::kConfig) {
    if (multiply || value.empty()) return "expected config=FILE";
    change->kind = ChangeKind::kFile;
    change->file = value;
    return "";
  }
  if (!multiply && (value == "removed" || value == "off")) {
    change->kind = ChangeKind::kRemoved;
    if (row.kind == KeyKind::kStage || row.kind == KeyKind::kClient) {
      change->kind = ChangeKind::kSet;  // no time, and as good as no limit
      change->value = row.kind == KeyKind::kClient ? row.most : 0;
    }
    const bool can = change->kind == ChangeKind::kSet || row.kind == KeyKind::kExtender ||
                     row.kind == KeyKind::kPlugin || row.kind == KeyKind::kWebhook ||
                     row.kind == KeyKind::kFailing;
    return can ? "" : "cannot be removed";
  }
  if (row.kind == KeyKind::kExtender) return "expected extender=removed";
  const bool at_point = change->key.find('/') != std::string::npos;
  if (row.kind == KeyKind::kPlugin && !multiply && !at_point) {
    return "expected [Point/]NAME*=FACTOR, [Point/]NAME=removed or Point/NAME=TIME";
  }
  if (row.kind == KeyKind::kRunning && !multiply) return "expected running*=FACTOR";
  if (!multiply && value == "baseline") {
    change->kind = ChangeKind::kBaseline;
    const bool has =
        row.kind == KeyKind::kStage || row.kind == KeyKind::kRate || row.kind >= KeyKind::kWebhook;
    return has ? "" : "only costs, rate and pods that fail have one";
  }
  if (row.kind == KeyKind::kWebhook)
    return "expected webhook.NAME=removed or webhook.NAME=baseline";
  if (row.kind == KeyKind::kFailing)
    return fmt::format("expected {0}=removed or {0}=baseline", row.key);
  if (row.kind >= KeyKind::kStorage) return fmt::format("expected {}=baseline", row.key);
  const bool time = !multiply && row.unit == "seconds";
  const auto number = time ? sim::ParseSeconds(value) : ParseNumber(value);
  if (!number || !std::isfinite(*number) || *number < 0) return "the value is no number >= 0";
  change->value = *number;
  if (multiply) {
    constexpr double kMostFactor = 1000;
    const bool may_be_nothing = row.kind == KeyKind::kStage || row.kind == KeyKind::kPlugin;
    if (*number > kMostFactor) return fmt::format("a factor over {} is no question", kMostFactor);
    return *number == 0 && !may_be_nothing ? "must be over 0" : "";
  }
  if (*number < row.least || *number > row.most) {
    return fmt::format("must lie in {} to {} {}", FormatNumber(row.least), FormatNumber(row.most),
                       row.unit);
  }
  const bool broken = row.whole && *number != std::floor(*number);
  return broken ? fmt::format("is no whole number of {}", row.unit) : "";
}

/// Changes what a step costs in the window, for every class of attempts.
void SetCost(const Change& change, Cost cost, Fitted* fitted) {
  const sim::StepCost& before = fitted->quiet().costs[cost];
  const auto changed = [&](const sim::StepCost& step) {
    return sim::StepCost{.wall = change.kind == ChangeKind::kBaseline ? before.wall
                                 : change.kind == ChangeKind::kMultiply
                                     ? step.wall.Scaled(change.value)
                                     : sim::Distribution::Constant(change.value)};
  };
  fitted->now().costs[cost] = changed(fitted->now().costs[cost]);
  for (sim::CostOverrides& overrides : fitted->now().template_costs) {
    for (auto& [which, step] : overrides) {
      if (which == cost) step = changed(step);
    }
  }
}

void ApplyToStage(const Change& change, const KeyRow& row, const Investigation& investigation,
                  Changed* changed) {
  for (Fitted* fitted : changed->Both()) {
    Change step = change;
    for (const Cost cost : row.costs) {
      SetCost(step, cost, fitted);
      if (step.kind == ChangeKind::kSet) step.value = 0;  // the first has it all
    }
  }
  if (CalmsBind(change)) MayCalm(LoopPoints(), investigation, changed);
  if (row.key == "bind.extender" && changed->likely.scenario.extenders.empty()) {
    changed->Say("whatif.no_extender");
  }
}

/// Of the pods that fail that part.
void KeepFailing(double left, Fitted* fitted) {
  for (auto* arrivals : {&fitted->arrivals, &fitted->counted}) {
    for (CountedArrivals& some : *arrivals) {
      if (some.failing) some.count *= left;
    }
  }
  fitted->failures.waiting_share *= left;
}

/// Of the pods that fail, too, as many as in the quiet period; the rate thins them out already.
/// The part of them that is left.
double FailAsInBaseline(const WindowEvidence& c, double thinned, Fitted* fitted) {
  const auto failed_rate = [](const Measurement& window) {
    return window.breakdown.failed() / std::max(1.0, window.breakdown.window.seconds());
  };
  const double now = failed_rate(c.now);
  if (!(now > 0) || !(thinned > 0)) return 1;
  const double left = std::min(1.0, failed_rate(*fitted->baseline) / now / thinned);
  KeepFailing(left, fitted);
  return left;
}

void ApplyToFailing(const Change& change, const Investigation& investigation, Changed* changed) {
  double left = 0;
  for (Fitted* fitted : changed->Both()) {
    if (change.kind == ChangeKind::kRemoved) {
      KeepFailing(0, fitted);
    } else {
      left = FailAsInBaseline(*investigation.evidence, 1, fitted);
    }
  }
  changed->Say("whatif.failing", {{"left", arg::Share(left)}});
}

void ApplyToRate(const Change& change, const Investigation& investigation, Changed* changed) {
  const bool baseline = change.kind == ChangeKind::kBaseline;
  for (Fitted* fitted : changed->Both()) {
    double& rate = fitted->now().rate;
    rate = baseline ? fitted->rates.front() : change.NewValue(rate);
    if (baseline) FailAsInBaseline(*investigation.evidence, rate / fitted->rates.back(), fitted);
  }
  changed->Say("whatif.rate");
}

void ApplyToClient(const Change& change, const KeyRow& row, const Investigation& investigation,
                   Changed* changed) {
  for (Fitted* fitted : changed->Both()) {
    double& setting = fitted->scenario.*row.setting;
    setting = change.NewValue(setting);
  }
  if (changed->likely.limited) {
    changed->Say("whatif.limit", {{"rate", arg::Number(investigation.evidence->dispersion->rate)}});
  } else {
    changed->Say("whatif.limit.none");
  }
  if (!FollowRollOut(investigation, changed)) changed->Say("whatif.limit.arrivals");
}

constexpr std::size_t kLeastValues = 8;
constexpr double kLeastAtOnce = 10;
/// Values of at least this part of the largest belong to the period; nearly all of them ...
constexpr double kNearTop = 0.5;
/// ... lie within this part of it. A backlog that grows or drains passes all values between.
constexpr double kLevel = 0.75;
constexpr double kRolledOut = 0.9;

}  // namespace

std::string ChangeKeys() {
  std::vector<std::string_view> keys;
  for (const KeyRow& row : KeyRows()) keys.push_back(row.key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

Change ParseChange(const std::string& text) {
  const auto fail = [&](const std::string& why) {
    return Error(ErrorKind::kUsage, fmt::format("--set {}: {}", text, why));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw fail("expected KEY=VALUE or KEY*=FACTOR");
  Change change;
  change.key = text.substr(0, equals);
  if (change.key.ends_with('*')) {
    change.kind = ChangeKind::kMultiply;
    change.key.pop_back();
  }
  constexpr std::string_view kCause = "apiserver.webhook/";
  if (change.key.starts_with(kCause)) change.key.replace(0, kCause.size(), kWebhookStart);
  const KeyRow* row = RowOf(change.key);
  if (row == nullptr) {
    if (std::ranges::find(FindingTexts(), change.key, &FindingText::id) != FindingTexts().end()) {
      throw fail("it is no cost or setting; `schedlens explain " + change.key +
                 "` says what it is");
    }
    std::vector<std::string> known;
    for (const KeyRow& one : KeyRows()) known.emplace_back(one.key);
    for (const auto& [alias, name] : kAliases) known.emplace_back(alias);
    throw fail("unknown key" +
               Suggestion(change.key, known, "; `schedlens whatif --help` lists them"));
  }
  const std::string flaw = ReadValue(text.substr(equals + 1), *row, &change);
  if (!flaw.empty()) throw fail(flaw);
  return change;
}

void Changed::Scale(const std::vector<Cost>& costs, double likely_factor, double extreme_factor) {
  for (const Cost cost : costs) {
    SetCost({"", ChangeKind::kMultiply, likely_factor, "", ""}, cost, &likely);
    SetCost({"", ChangeKind::kMultiply, extreme_factor, "", ""}, cost, &extreme);
  }
  differ = differ || likely_factor != extreme_factor;
}

void Apply(const Change& change, const Investigation& investigation, Changed* changed) {
  if (change.kind == ChangeKind::kBaseline && !changed->likely.has_baseline()) {
    Raise(ErrorKind::kInsufficientData,
          "--set {}=baseline: there is no baseline; give one with --baseline", change.key);
  }
  const KeyRow& row = *RowOf(change.key);
  using enum KeyKind;
  if (row.kind == kStage) return ApplyToStage(change, row, investigation, changed);
  if (row.kind == kClient) return ApplyToClient(change, row, investigation, changed);
  if (row.kind == kRate) return ApplyToRate(change, investigation, changed);
  if (row.kind == kNodes) return ApplyClusterSize(change, changed);
  if (row.kind == kRunning) return ApplyRunning(change.value, changed);
  if (row.kind == kExtender) return RemoveExtenders(investigation, changed);
  if (row.kind == kPlugin) return ApplyToPlugin(change, investigation, changed);
  if (row.kind == kWebhook) return RemoveWebhook(change, investigation, changed);
  if (row.kind == kStorage) return RestoreStorage(investigation, changed);
  if (row.kind == kPart) return RestorePart(std::string(row.key), investigation, changed);
  if (row.kind == kFailing) return ApplyToFailing(change, investigation, changed);
  if (row.kind == kConfig) return ApplyConfiguration(change, investigation, changed);
  return ApplySetting(change, std::string(row.key), investigation, changed);
}

Changed ApplyAll(const std::vector<Change>& changes, const Investigation& investigation,
                 const Fitted& fitted, bool cheapest) {
  Changed changed{fitted, fitted};
  changed.cheapest = cheapest;
  for (const Change& change : changes) Apply(change, investigation, &changed);
  if (std::ranges::any_of(changes, CalmsBind)) RequestsMayCalm(fitted, &changed);
  return changed;
}

std::optional<Fitted> CheapestOf(const std::vector<Change>& changes,
                                 const Investigation& investigation, const Fitted& fitted,
                                 const Changed& changed) {
  if (!changed.cheaper) return std::nullopt;
  return ApplyAll(changes, investigation, fitted, true).likely;
}

std::optional<RollOut> FindRollOut(const Investigation& investigation, const Fitted& fitted) {
  const Timeline& timeline = investigation.diagnosis.timeline;
  const TimeRange& window = investigation.evidence->now.breakdown.window;
  std::vector<std::pair<TimeMs, double>> near_top;
  double most = 0;
  for (std::size_t i = 0; i < timeline.binding.size(); ++i) {
    const TimeMs t = timeline.times[i];
    const double n = timeline.binding[i];
    if (t <= window.start || t > window.end || std::isnan(n)) continue;
    most = std::max(most, n);
    near_top.emplace_back(t, n);
  }
  std::erase_if(near_top, [&](const auto& value) { return value.second < kNearTop * most; });
  if (near_top.size() < kLeastValues || most < kLeastAtOnce) return std::nullopt;
  const auto level = std::ranges::count_if(
      near_top, [&](const auto& value) { return value.second >= kLevel * most; });
  if (static_cast<double>(level) < kRolledOut * static_cast<double>(near_top.size())) {
    return std::nullopt;
  }
  RollOut out;
  const auto at = [&](TimeMs t) {
    return fitted.scenario.incident_start + (t - window.start) * sim::kMillisecond;
  };
  out.start = at(near_top.front().first);
  out.end = at(near_top.back().first);
  std::vector<double> binding;
  for (const auto& [t, n] : near_top) binding.push_back(n);
  out.surge = CutTo<int>(std::round(UpperMedian(std::move(binding))));
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    if (arrivals.start >= out.start && arrivals.end <= out.end) out.pods += arrivals.count;
  }
  return out.pods < 2 * most ? std::nullopt : std::optional(out);
}

void PlayRollOut(const RollOut& roll_out, Fitted* fitted) {
  fitted->rolls_out = true;
  fitted->counted = fitted->arrivals;
  std::erase_if(fitted->arrivals, [&](const CountedArrivals& arrivals) {
    return arrivals.start >= roll_out.start && arrivals.end <= roll_out.end;
  });
  const std::vector<double>& weights = fitted->now().weights;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto part = [&](double pods) { return CutTo<int>(std::round(pods * weights[i] / all)); };
    if (part(roll_out.pods) <= 0) continue;
    fitted->scenario.actions.push_back({.at = roll_out.start,
                                        .kind = sim::ActionKind::kRollOut,
                                        .count = part(roll_out.pods),
                                        .surge = std::max(1, part(roll_out.surge)),
                                        .pod_template = i});
  }
}

bool FollowRollOut(const Investigation& investigation, Changed* changed) {
  if (changed->rolls_out) return true;
  if (!changed->likely.limited) return false;
  // A reading that follows it already: at the extreme it does not.
  Fitted& extreme = changed->extreme;
  if (extreme.rolls_out) {
    extreme.arrivals = extreme.counted;
    extreme.rolls_out = false;
    std::erase_if(extreme.scenario.actions, [](const sim::Action& action) {
      return action.kind == sim::ActionKind::kRollOut;
    });
  }
  const auto roll_out = FindRollOut(investigation, extreme);
  if (!roll_out) return false;
  if (!changed->likely.rolls_out) PlayRollOut(*roll_out, &changed->likely);
  changed->rolls_out = changed->differ = true;
  changed->Say("whatif.roll_out",
               {{"surge", arg::Count(roll_out->surge)}, {"pods", arg::Count(roll_out->pods)}});
  return true;
}

}  // namespace schedlens
