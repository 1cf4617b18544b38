#include "diagnose/pods/ledger.h"

#include "diagnose/explain/glossary.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

constexpr double kCertain = 0.5, kLikely = 0.5, kLikelyLow = 0.2, kWorthALine = 0.2;
/// Of the bound pods: so many of a kind make no tail.
constexpr double kFewAgain = 0.01;
/// Of the time: the loop is seen to be what pods wait for.
constexpr double kBusy = 0.3;
/// Less is no growth of anything.
constexpr double kLeastPodSeconds = 30;
/// Nobody scheduling for as long is told whatever pods waited meanwhile.
constexpr double kLongAbsence = 20;

double Positive(double x) { return std::max(0.0, x); }

/// Which holders a cause of attempts can have; empty of any other finding.
std::vector<Holder> HoldersOfCause(std::string_view id) {
  const auto begins = [&](std::string_view start) { return id.starts_with(start); };
  if (begins("bind.") || begins(ToString(kube::Stage::kPreBind)) ||
      begins(ToString(kube::Stage::kPermit))) {
    return {Holder::kAttempt};
  }
  if (begins("algorithm.") || id == ToString(kube::Stage::kReserve) || id == "queue.backlog") {
    return {Holder::kAttempt, Holder::kQueue};
  }
  if (begins("attempts.") || begins("preemption")) {
    return {Holder::kAttempt, Holder::kQueue, Holder::kBackoff, Holder::kUnschedulable};
  }
  return {};
}

bool HoldsLoop(const Finding& cause) {
  const std::vector<Holder> holders = HoldersOfCause(cause.id);
  return std::ranges::find(holders, Holder::kQueue) != holders.end();
}

bool IsLikely(const Measured& share) {
  return share.value && *share.value >= kLikely && *share.low >= kLikelyLow;
}

Confidence ConfidenceOf(const Measured& share) {
  if (*share.low >= kCertain) return Confidence::kCertain;
  return IsLikely(share) ? Confidence::kLikely : Confidence::kPossible;
}

Finding FindingOfShare(std::string_view id, Measured share) {
  Finding finding = FindingOf(id, share.value ? ConfidenceOf(share) : Confidence::kPossible);
  if (share.value) finding.share = std::move(share);
  return finding;
}

Evidence HeldBy(const PodLedger& ledger, Holder holder, const Measured& share) {
  const BoundedValue& held = (*ledger.now)[holder];
  const double part = share.value.value_or(0);
  const bool grown = ledger.before && part >= 0.005;
  Message text(
      grown ? "evidence.held" : "evidence.held.alone",
      {{"holder", Message(fmt::format("holder.{}", kHolderIds[static_cast<std::size_t>(holder)]))},
       {"value", arg::Duration(held.value)},
       {"low", arg::Duration(held.low)},
       {"high", arg::Duration(held.high)}});
  if (grown) text.args.push_back({"share", arg::Share(part)});
  return {std::move(text)};
}

auto Longest(const PodLedger& ledger) {
  return std::ranges::max_element(ledger.absences, {}, &Absence::Seconds);
}

/// The longest absence is what the finding is called by. Pods that queued up meanwhile wait on
/// after it: their time counts with nobody's.
std::optional<Finding> NobodyFinding(const PodLedger& ledger) {
  if (ledger.absences.empty()) return std::nullopt;
  const Absence& longest = *Longest(ledger);
  const Measured own = ledger.Share({Holder::kNobody});
  const bool weighs = own.value && *own.value >= kWorthALine;
  if (longest.Seconds() < kLongAbsence && !weighs) return std::nullopt;
  Finding finding = FindingOfShare(longest.id, own);
  finding.object = longest.object;
  for (const Absence& one : ledger.absences) {
    const char* text = !one.lasts ? "evidence.nobody"
                       : one.sure ? "evidence.nobody.down"
                                  : "evidence.nobody.gone";
    finding.evidence.push_back({Message(text, {{"object", one.object},
                                               {"start", arg::Time(one.start.value)},
                                               {"end", arg::Time(one.end.value)},
                                               {"seconds", arg::Duration(one.Seconds())}})});
  }
  if (longest.lasts) {
    finding.title = Message("finding.scheduler.down.lasts");
    finding.confidence =
        std::min(finding.confidence, longest.sure ? Confidence::kCertain : Confidence::kLikely);
  }
  if (own.value) {
    const std::vector<Holder> with_queue = {Holder::kNobody, Holder::kQueue};
    if (IsLikely(ledger.Share(with_queue)) || (weighs && ledger.Leads(with_queue))) {
      finding.confidence = std::min(finding.confidence, Confidence::kLikely);
    }
    finding.evidence.push_back(HeldBy(ledger, Holder::kNobody, own));
  }
  return finding;
}

std::optional<Finding> HeldFinding(const PodLedger& ledger, std::string_view id,
                                   std::vector<Holder> holders) {
  const Measured share = ledger.Share(holders);
  if (!share.value || *share.value < kWorthALine) return std::nullopt;
  std::ranges::stable_sort(holders, std::greater<>(),
                           [&](Holder one) { return ledger.Growth(one).value; });
  Finding finding = FindingOfShare(id, share);
  for (const Holder holder : holders) {
    finding.evidence.push_back(HeldBy(ledger, holder, ledger.Share({holder})));
  }
  return finding;
}

std::optional<Finding> With(std::optional<Finding> finding, Message seen) {
  if (finding) finding->evidence.push_back({std::move(seen)});
  return finding;
}

/// Whose pods stood behind the gate.
std::optional<Finding> WithWorkload(const PodLedger& ledger, std::optional<Finding> finding) {
  if (!finding || ledger.gated.empty()) return finding;
  finding->object = ledger.gated;
  return With(std::move(finding), Message("evidence.queue.workload", {{"object", ledger.gated}}));
}

std::optional<Finding> GateFinding(const PodLedger& ledger) {
  return WithWorkload(
      ledger, With(HeldFinding(ledger, "queue.gated", {Holder::kGate}),
                   Message("evidence.queue.gated", {{"count", arg::Count(ledger.most_gated)}})));
}

/// Woken by the timer and bound then: an event should have woken them. Else they fit nowhere.
std::optional<Finding> RejectedFinding(const PodLedger& ledger) {
  const bool by_timer =
      ledger.flushed > 0 && ledger.flushed >= ledger.woken && ledger.again >= ledger.flushed / 2;
  if (!by_timer) {
    return HeldFinding(ledger, ledger.errors ? "attempts.error" : "attempts.unschedulable",
                       {Holder::kUnschedulable, Holder::kBackoff});
  }
  return With(HeldFinding(ledger, "queue.flush", {Holder::kUnschedulable}),
              Message("evidence.queue.flush", {{"count", arg::Count(ledger.flushed)}}));
}

/// Pods that were let go at once fill the queue: the gate is the cause. `alone`: nothing else may
/// be.
std::optional<Finding> BusyFinding(const PodLedger& ledger, bool alone) {
  constexpr double kFew = 20;
  const bool let_go = ledger.let_go >= std::max(kFew, ledger.most_ready / 2);
  const bool groups = !let_go && alone && ledger.groups >= kLikely;
  if (!let_go && !groups && ledger.split && ledger.loop_busy < kBusy) return std::nullopt;
  const bool seen = let_go || groups || (alone && ledger.split);
  const char* id = let_go ? "queue.gated" : groups ? "queue.pod-group" : "queue.loop-busy";
  auto finding = HeldFinding(ledger, id, {Holder::kQueue});
  if (!finding || *finding->share->value < kLikely) return std::nullopt;
  finding->confidence =
      std::max(finding->confidence, seen ? Confidence::kLikely : Confidence::kPossible);
  const double all = (*ledger.now)[Holder::kQueue].value;
  for (const auto& [stage, held] : ledger.now->loop) {
    if (held.value < kLikely * all || held.low < kLikelyLow * all) continue;
    if (!let_go && !groups) finding->object = ToString(stage);
    finding = With(std::move(finding),
                   Message("evidence.queue.loop", {{"stage", std::string(ToString(stage))},
                                                   {"share", arg::Share(held.value / all)}}));
  }
  if (groups) {
    return With(std::move(finding),
                Message("evidence.queue.groups", {{"share", arg::Share(ledger.groups)}}));
  }
  if (!let_go) {
    return With(std::move(finding),
                Message("evidence.queue.busy", {{"share", arg::Share(ledger.loop_busy)}}));
  }
  return WithWorkload(
      ledger, With(std::move(finding),
                   Message("evidence.queue.let_go", {{"count", arg::Count(ledger.let_go)}})));
}

/// What bursts of attempts bring about.
bool FollowsLoad(const Finding& cause) {
  return cause.id == "bind.client-throttling" || cause.id == "queue.backlog";
}

/// What made pods come all at once: a long time with nobody scheduling, unless that is known to be
/// little, or gates that let half of the bound pods go between two scrapes.
std::optional<Finding> BurstFinding(const PodLedger& ledger) {
  constexpr double kFew = 20;
  auto nobody = NobodyFinding(ledger);
  const bool little = nobody && nobody->share && *nobody->share->value < kWorthALine;
  if (nobody && !little && Longest(ledger)->Seconds() >= kLongAbsence) {
    nobody->confidence = std::min(nobody->confidence, Confidence::kLikely);
    return nobody;
  }
  if (ledger.let_go < std::max(kFew, ledger.bound / 2)) return std::nullopt;
  return WithWorkload(
      ledger, With(FindingOf("queue.gated", Confidence::kLikely),
                   Message("evidence.queue.let_go", {{"count", arg::Count(ledger.let_go)}})));
}

/// Whether a cause of attempts cannot have a fifth of what pods waited longer.
bool IsSmall(const PodLedger& ledger, const Finding& cause) {
  const std::vector<Holder> holders = HoldersOfCause(cause.id);
  return !holders.empty() && ledger.Share(holders).high.value_or(1) < kWorthALine;
}

/// Whether the first of the pods' causes has more of the growth than the first of the attempts'.
bool OutWeighs(const PodLedger& ledger, const std::vector<Finding>& pods,
               const std::vector<Finding>& attempts) {
  const double other = ledger.Share(HoldersOfCause(attempts.front().id)).value.value_or(1);
  return pods.front().share && pods.front().share->value.value_or(0) > other;
}

/// Whether it is of pods that wait or waited: which of them is no question of how long attempts
/// took.
bool CountsPods(const AlertVerdict& alert) {
  const auto is_of = [&](kube::Metric metric) { return alert.metric == NameOf(metric); };
  return alert.given &&
         (is_of(kube::Metric::kPendingPods) || is_of(kube::Metric::kPodDuration) ||
          is_of(kube::Metric::kPodSli) || alert.metric.starts_with("kube_pod_status_"));
}

/// What holds up the loop has what pods waited for it, where that is most of their growth.
void TakeQueue(const PodLedger& ledger, std::vector<Finding>* causes) {
  const Measured queue = ledger.Share({Holder::kQueue});
  if (causes->empty() || !queue.value || *queue.value < kLikely) return;
  Finding& first = causes->front();
  if (!HoldsLoop(first) || first.confidence == Confidence::kPossible) return;
  first.share = queue;
  first.evidence.push_back(HeldBy(ledger, Holder::kQueue, queue));
}

/// Of `loop` seconds and the cycles of pod groups, in which their members' algorithms run.
double ShareOfGroups(const Facts& facts, const TimeRange& window, double loop) {
  const auto sum_of = [&](kube::Metric metric) {
    const auto wanted = [metric](const Labels& labels) {
      return labels.Get(kMetricName) == SumOf(metric);
    };
    return TotalIncrease(facts, "process", window, wanted).value_or(0);
  };
  const double cycles = sum_of(kube::Metric::kPodGroupAttempt);
  if (!(cycles > 0)) return 0;
  return cycles / (cycles + Positive(loop - sum_of(kube::Metric::kPodGroupAlgorithm)));
}

ChainLink LinkOf(std::string id, std::string object, const TimeRange& window) {
  return {std::move(id), std::move(object), window.start, window.end};
}

}  // namespace

BoundedValue PodLedger::Growth(Holder holder) const {
  return Growth((*now)[holder], before ? (*before)[holder] : BoundedValue());
}

BoundedValue PodLedger::Growth(const BoundedValue& x, const BoundedValue& calm) const {
  if (!before || !(before->length > 0)) return x;
  double times = now->length / before->length;
  if (before->pods > 0) times = std::min(times, now->pods / before->pods);
  return {x.low - times * calm.high, x.value - times * calm.value, x.high - times * calm.low};
}

bool PodLedger::Leads(const std::vector<Holder>& holders) const {
  if (!now) return false;
  double own = 0, other = 0;
  for (std::size_t i = 0; i < kHolders; ++i) {
    const auto holder = static_cast<Holder>(i);
    if (!counts[i]) continue;
    if (std::ranges::find(holders, holder) != holders.end()) {
      own += Positive(Growth(holder).value);
    } else {
      other = std::max(other, Growth(holder).high);
    }
  }
  return own >= kLeastPodSeconds && other < own;
}

Measured PodLedger::Share(const std::vector<Holder>& holders) const {
  Measured none{std::nullopt, std::nullopt, std::nullopt, "1", BasisKind::kGrowth};
  if (!now) return none;
  BoundedValue part{0, 0, 0}, rest{0, 0, 0};
  for (std::size_t i = 0; i < kHolders; ++i) {
    if (!counts[i]) continue;
    const auto holder = static_cast<Holder>(i);
    const BoundedValue growth = Growth(holder);
    const bool own = std::ranges::find(holders, holder) != holders.end();
    BoundedValue& sum = own ? part : rest;
    sum = sum + BoundedValue{Positive(growth.low), Positive(growth.value), Positive(growth.high)};
  }
  if (!(part.value + rest.value >= kLeastPodSeconds)) return none;
  const auto share = [](double own, double others) {
    if (!std::isfinite(own)) return 1.0;
    return own > 0 ? own / (own + others) : 0.0;
  };
  const double value = share(part.value, rest.value);
  return Bounded(std::min(value, share(part.low, rest.high)), value,
                 std::max(value, share(part.high, rest.low)), "1", BasisKind::kGrowth);
}

PodLedger MeasurePods(const Facts& facts, const Histograms& histograms,
                      const ControlPlaneFacts& control_plane, const WindowEvidence& evidence) {
  PodLedger ledger;
  const std::vector<LeadingScrape> scrapes = LeadingScrapesOf(facts);
  const auto measure = [&](const Measurement& m, const std::optional<LimiterSplit>& limiter,
                           std::vector<Absence>* absences) {
    *absences = FindAbsences(facts, scrapes, m.cells.attempt, control_plane, m.breakdown.window);
    const HolderSources sources{facts, histograms, control_plane, scrapes,
                                limiter ? limiter->value : 0};
    return MeasureHolders(sources, m.breakdown, *absences);
  };
  ledger.now = measure(evidence.now, evidence.limiter, &ledger.absences);
  if (evidence.baseline && ledger.now) {
    std::vector<Absence> absences;
    ledger.before = measure(*evidence.baseline, evidence.limiter_baseline, &absences);
  }
  const TimeRange& window = evidence.now.breakdown.window;
  ledger.split = evidence.missing.empty();
  ledger.gated = WorkloadThatWaited(control_plane, window);
  ledger.bound = evidence.now.breakdown.scheduled();
  const auto& results = evidence.now.breakdown.by_result;
  ledger.errors = results.Get(kube::AttemptResult::kError).count >
                  results.Get(kube::AttemptResult::kUnschedulable).count;
  ledger.loop_busy = std::isfinite(evidence.loop.busy) ? evidence.loop.busy : 0;
  ledger.groups = ShareOfGroups(facts, window, ledger.loop_busy * window.seconds());
  for (const ScrapeIncreases& child : evidence.now.cells.pod_scheduling) {
    // Without the label some may be.
    if (child.labels.Get("attempts") != "1") ledger.again += TotalCount(child);
  }
  double gated = 0;
  for (const LeadingScrape& one : scrapes) {
    const double before = std::exchange(gated, one.pods[kube::QueueName::kGated]);
    if (one.at < window.start || one.at > window.end) continue;
    ledger.most_gated = std::max(ledger.most_gated, gated);
    ledger.most_ready = std::max(ledger.most_ready, one.pods[kube::QueueName::kActive]);
    if (one.at == window.start) continue;  // what came before it
    ledger.flushed += one.flushed, ledger.woken += one.woken;
    ledger.let_go = std::max(ledger.let_go, before - gated);
  }
  if (evidence.by_tail) {
    const auto leave_out = [&](Holder holder) {
      ledger.counts[static_cast<std::size_t>(holder)] = false;
    };
    leave_out(Holder::kGate);
    if (ledger.again < kFewAgain * evidence.now.breakdown.scheduled()) {
      for (const Holder one : {Holder::kUnschedulable, Holder::kBackoff}) leave_out(one);
    }
  }
  return ledger;
}

std::vector<PodHolder> HoldersOf(const PodLedger& ledger) {
  std::vector<PodHolder> holders;
  if (!ledger.now) return holders;
  const auto measured = [](const BoundedValue& x, const char* unit) {
    Measured out = Bounded(x.low, x.value, x.high, unit, BasisKind::kMeanOfScrapes);
    if (!std::isfinite(x.low)) out.low.reset();
    if (!std::isfinite(x.high)) out.high.reset();
    return out;
  };
  BoundedValue all{0, 0, 0};
  for (const BoundedValue& one : ledger.now->seconds) all = all + one;
  const auto part = [](double own, double whole) { return whole > 0 ? own / whole : 0; };
  const auto tell = [&](std::string id, const BoundedValue& held, const BoundedValue& before) {
    PodHolder& told = holders.emplace_back();
    told.id = std::move(id);
    told.seconds = measured(held, "s");
    const double value = part(held.value, all.value);
    BoundedValue share{std::min(value, part(held.low, held.low + all.high - held.high)), value,
                       std::max(value, part(held.high, held.high + all.low - held.low))};
    if (!std::isfinite(all.high)) share = {0, value, 1};
    told.share = measured(share, "1");
    if (ledger.before) told.growth = measured(ledger.Growth(held, before), "s");
  };
  for (std::size_t i = 0; i < kHolders; ++i) {
    tell(std::string(kHolderIds[i]), ledger.now->seconds[i],
         ledger.before ? ledger.before->seconds[i] : BoundedValue());
  }
  const auto tell_parts = [&](Holder whole, const auto& member) {
    for (const auto& [stage, held] : (*ledger.now).*member) {
      tell(fmt::format("{}.{}", kHolderIds[static_cast<std::size_t>(whole)], ToString(stage)), held,
           ledger.before ? ((*ledger.before).*member).Get(stage, BoundedValue::Exactly(0))
                         : BoundedValue());
    }
  };
  tell_parts(Holder::kQueue, &HeldTime::loop);
  tell_parts(Holder::kAttempt, &HeldTime::stages);
  return holders;
}

std::vector<Finding> WithPods(const PodLedger& ledger, std::vector<Finding> causes, bool doubtful) {
  std::vector<Finding> sure, possible, small, kept;
  auto burst = std::ranges::any_of(causes, FollowsLoad) ? BurstFinding(ledger) : std::nullopt;
  for (Finding& one : causes) {
    if (burst && FollowsLoad(one)) {
      burst->consequences.push_back({one.id, one.title, one.share});
      continue;
    }
    const bool is_small = IsSmall(ledger, one);
    if (is_small) one.confidence = Confidence::kPossible;
    (is_small ? small : kept).push_back(std::move(one));
  }
  const auto add = [&](std::optional<Finding> one) {
    const auto same = [&](const Finding& other) { return other.id == one->id; };
    if (!one || std::ranges::any_of(sure, same)) return;
    if (doubtful) one->confidence = std::max(one->confidence, Confidence::kLikely);
    const auto known = std::ranges::find(kept, one->id, &Finding::id);
    std::erase_if(possible, same);
    if (known != kept.end()) {  // by attempts, too
      if (one->confidence > known->confidence) return;
      one->evidence.insert(one->evidence.end(), known->evidence.begin(), known->evidence.end());
      kept.erase(known);
    }
    (one->confidence == Confidence::kPossible ? possible : sure).push_back(std::move(*one));
  };
  TakeQueue(ledger, &kept);
  add(std::move(burst));
  add(NobodyFinding(ledger));
  add(GateFinding(ledger));
  add(RejectedFinding(ledger));
  std::optional<Confidence> told;  // what attempts say holds up the queue
  for (const Finding& one : kept) {
    if (HoldsLoop(one)) told = std::min(told.value_or(one.confidence), one.confidence);
  }
  const bool open = told.value_or(Confidence::kPossible) == Confidence::kPossible;
  if (sure.empty() && open) add(BusyFinding(ledger, !told));
  std::ranges::stable_sort(sure, {}, &Finding::confidence);
  const auto unsure = std::ranges::find(kept, Confidence::kPossible, &Finding::confidence);
  std::vector<Finding> weak(std::make_move_iterator(unsure), std::make_move_iterator(kept.end()));
  kept.erase(unsure, kept.end());
  const bool first = !possible.empty() && !weak.empty() && OutWeighs(ledger, possible, weak);
  std::vector<Finding> all;
  for (auto* part : {&sure, &kept, first ? &possible : &weak, first ? &weak : &possible, &small}) {
    all.insert(all.end(), std::make_move_iterator(part->begin()),
               std::make_move_iterator(part->end()));
  }
  return all;
}

void JudgePods(const PodLedger& ledger, bool doubtful, Diagnosis* d) {
  d->holders = HoldersOf(ledger);
  for (const Absence& one : ledger.absences) {
    d->events.push_back({one.id, one.object, one.start.value, one.end.value});
  }
  const AlertVerdict& alert = *d->alert;
  const bool quiet = d->verdict == Verdict::kNoIncident || d->verdict == Verdict::kUndecidable;
  if (quiet && CountsPods(alert) && alert.fires.state == FiresState::kYes) {
    const std::vector<Finding> held = WithPods(ledger, {}, doubtful);
    const bool told = !held.empty() && held.front().confidence != Confidence::kPossible;
    if (told) d->verdict = Verdict::kIncident;
  }
  const bool of_attempts = alert.given && alert.decided == Decided::kAbove &&
                           alert.metric.find("pod_scheduling") == std::string::npos;
  if (d->verdict == Verdict::kIncident && !of_attempts) {
    d->findings = WithPods(ledger, std::move(d->findings), doubtful);
  }
}

std::vector<ChainLink> ChainOf(const PodLedger& ledger, const TimeRange& window,
                               const std::vector<Finding>& findings) {
  std::vector<ChainLink> chain;
  if (findings.empty()) return chain;
  const Finding& first = findings.front();
  if (!IsCause(first)) return chain;
  const auto root = std::ranges::find_if(first.behind, [](const CauseBehind& one) {
    return one.confidence != Confidence::kPossible && !one.id.starts_with("load.") &&
           !one.id.starts_with("unschedulable.");
  });
  if (root != first.behind.end()) {
    chain.push_back(LinkOf(root->id, root->object, window));
    chain.back().leads_to = {first.id};
  }
  chain.push_back(LinkOf(first.id, first.object, window));
  const auto absence = Longest(ledger);
  if (absence != ledger.absences.end() && absence->id == first.id) {
    ChainLink& link = chain.back();
    link.start = absence->start.value;
    link.end = absence->end.value;
  }
  for (const Consequence& one : first.consequences) chain.back().leads_to.push_back(one.id);
  for (const Consequence& one : first.consequences) chain.push_back(LinkOf(one.id, "", window));
  return chain;
}

}  // namespace schedlens
