#include "replay/cross_check.h"

#include <queue>

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

/// Ascending; of each number the last bits, one part in 8,000 of it, are left out.
std::vector<double> Ascending(std::vector<float> seconds) {
  constexpr int kLeftOut = 10;
  for (float& v : seconds) {
    v = std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) >> kLeftOut << kLeftOut);
  }
  std::ranges::sort(seconds);
  return {seconds.begin(), seconds.end()};
}

constexpr std::uint64_t kReplaySeed = 1;
/// Enough to tell apart what buckets let differ; more cost time and tell little more. The gap that
/// is allowed says what they leave open.
constexpr PlayedAttempts kPlayed{.window = 2500, .baseline = 1000, .starved = 5000};
/// Of a window whose attempts wait for each other, all of which is worked out; and, where it is
/// longer, of the reading that a search has found after that.
constexpr double kPlayedStart = 1500, kPlayedAgain = 600;
/// Of the baseline, where only the window's attempts count: it begins with some on their way.
constexpr double kWarmUp = 300;
/// In search of a limit that agrees with what is proven: worked out, not played.
constexpr double kSearched = 240'000;
/// Fewer of the window's attempts are a part of it.
constexpr double kNearlyAllPlayed = 0.99;

/// A replay with its metrics; with `plugins`, with those of their calls.
Replayed PlayOnce(const Fitted& fitted, bool plugins, sim::SimulationResult* result) {
  Replayed out{fitted};
  out.source = ReplayAsSource(fitted.Played(kReplaySeed), kReplaySeed, result, plugins);
  out.seconds = ScheduledSeconds(fitted.scenario, *result);
  out.judged = static_cast<double>(out.seconds.size());
  return out;
}

void Judge(const ProvenWindow& proven, const std::vector<double>& seconds, Replayed* replayed) {
  replayed->miss = WorstMiss(proven.e2e, {seconds});
  replayed->open = replayed->miss ? std::nullopt : Outlying(proven.e2e, seconds);
}

/// Quantiles of a part that lie outside what is proven, but may lie inside for all that a part can
/// tell: as many attempts more decide, or leave it open.
void DecideByMore(const ProvenWindow& proven, double all, Replayed* play) {
  const double left = all - static_cast<double>(play->seconds.size());
  if (!play->open || left < (1 - kNearlyAllPlayed) * all) return;
  const Fitted rest = StartOf(WithoutBaseline(play->fitted, kWarmUp), left);
  std::vector<double> seconds = PlayRuns(rest, kReplaySeed + 1, 1).e2e.front();
  const auto middle = seconds.insert(seconds.end(), play->seconds.begin(), play->seconds.end());
  std::inplace_merge(seconds.begin(), middle, seconds.end());
  play->judged = static_cast<double>(seconds.size());
  Judge(proven, seconds, play);
}

/// The start of a window whose attempts wait for each other, with all of it worked out: from this
/// replay where there is no `retimer` yet.
Replayed PlayStart(const ProvenWindow& proven, const Fitted& fitted, double attempts, bool plugins,
                   std::optional<Retimer>* retimer) {
  sim::SimulationResult result;
  Replayed play = PlayOnce(StartOf(fitted, attempts), plugins, &result);
  if (!*retimer) retimer->emplace(fitted, result);
  if (play.fitted.window != fitted.window) {
    play.worked_out = WorkedOut{(*retimer)->Attempts(fitted), (*retimer)->Attempts(play.fitted)};
  }
  Judge(proven, play.worked_out ? play.worked_out->seconds : play.seconds, &play);
  return play;
}

/// The client's limit held binds back. Where the plain reading misses, the others are worked out.
Replayed ReplayLimited(const Investigation& investigation, const ProvenWindow& proven,
                       const Fitted& fitted, bool plugins) {
  std::optional<Retimer> retimer;
  Replayed plain = PlayStart(proven, fitted, kPlayedStart, plugins, &retimer);
  if (!plain.miss) return plain;
  const auto time = [&](const Fitted& reading, std::size_t /*seeds*/) {
    Runs runs;
    runs.e2e.push_back(retimer->Attempts(reading));
    // Where the attempts miss nobody asks for the pods.
    const bool misses = WorstMiss(proven.e2e, runs.e2e, kSearchSlack).has_value();
    const bool told = !proven.pod.empty() && reading.failures.waiting_share <= 0;
    if (!misses && told) runs.pod.push_back(retimer->Pods(reading));
    return runs;
  };
  const Readings readings =
      ReadWindow(investigation, fitted, proven, 1, {time, kSearched, /*rolls_out=*/false});
  if (readings.e2e) return plain;
  const double most = plain.worked_out ? kPlayedAgain : kPlayedStart;
  return PlayStart(proven, readings.kept.front().fitted, most, plugins, &retimer);
}

constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};
/// Fewer attempts make no distribution to compare.
constexpr double kLeastReplayed = 30;
/// Of more, even the part that is played stands for too many: no cluster has so many in a window.
constexpr double kMostReplayed = 1e8;
/// A smaller share of the attempts is said.
constexpr double kNearlyEvery = 0.9;
/// A replay starts empty: a larger backlog at the window's start makes it another story.
constexpr double kLeastBacklog = 50;
/// What linear interpolation and a fit from buckets may be off by, beyond sampling.
constexpr double kBucketAllowance = 0.05;
/// Pods inside a scrape interval are placed at random, which real arrivals need not be.
constexpr double kDispersionAllowance = 2;
/// Binds as even as a token bucket lets them go; below it no smaller value means anything.
constexpr double kEvenDispersion = 0.05;

/// The e2e distribution of scheduled attempts.
PooledBuckets Scheduled(const WindowIncreases& cells) {
  std::vector<const ScrapeIncreases*> children = Select(cells.attempt, "", "");
  std::erase_if(children,
                [](const ScrapeIncreases* child) { return !kube::IsScheduled(child->labels); });
  return PoolBuckets(children);
}

std::string FirstCause(const Investigation& investigation) {
  return investigation.causes.empty() ? "" : investigation.causes.front().id;
}

/// The cells and causes of a replay.
Investigation GatherReplay(Source& source, const QuerySet& queries, const Fitted& fitted) {
  const auto at = [&](sim::Nanos t) { return fitted.scenario.start_time + t / sim::kMillisecond; };
  DiagnoseRequest request;
  request.bound_tail = false;  // the first cause is wanted, not how certain it is
  request.window = TimeRange{at(fitted.scenario.incident_start), at(fitted.scenario.incident_end)};
  request.want_baseline = fitted.has_baseline();
  if (fitted.has_baseline())
    request.baseline = TimeRange{at(0), at(fitted.scenario.incident_start)};
  return Gather(source, queries, request);
}

/// Binds per scrape interval spread as measured, within what so few intervals allow: a limiter and
/// a slow server can leave the same e2e histogram, but not the same dispersion. A replay of the
/// window's start (`part`) is allowed no more than one of the whole: its few intervals may hide a
/// difference, and must not make it an agreement.
bool SameDispersion(const std::optional<BindDispersion>& measured,
                    const std::optional<BindDispersion>& again, bool part) {
  if (!measured || !again) return true;
  const std::size_t cells = part ? std::max(measured->cells, again->cells) : again->cells;
  const double chance =
      3 * std::sqrt(2.0 / static_cast<double>(measured->cells) + 2.0 / static_cast<double>(cells));
  const auto spread = [](const BindDispersion& dispersion) {
    return std::log(std::max(dispersion.dispersion, kEvenDispersion));
  };
  return std::abs(spread(*measured) - spread(*again)) <= chance + std::log(kDispersionAllowance);
}

/// Why there is nothing to compare a replay with; empty where there is.
std::optional<Message> NotReplayed(const Investigation& investigation) {
  if (!investigation.evidence ||
      investigation.evidence->now.breakdown.scheduled() < kLeastReplayed) {
    return Message("replay.few");
  }
  const double attempts = investigation.evidence->now.breakdown.e2e.count;
  if (!(attempts <= kMostReplayed)) {
    return Message("replay.many", {{"attempts", arg::Number(attempts)}});
  }
  const std::string cause = FirstCause(investigation);
  if (cause == "preemption" || cause.starts_with("attempts.")) return Message("replay.failures");
  const auto& dispersion = investigation.evidence->dispersion;
  if (dispersion && investigation.evidence->throttling == Throttling::kYes &&
      dispersion->backlog_start > kLeastBacklog) {
    return Message("replay.backlog", {{"binds", arg::Count(dispersion->backlog_start)}});
  }
  return std::nullopt;
}

/// Both distributions at the bounds that they have in common.
std::vector<CdfPoint> AtCommonBounds(const PooledBuckets& measured,
                                     const PooledBuckets& predicted) {
  std::vector<CdfPoint> points;
  for (std::size_t b = 0; b < measured.bounds.size(); ++b) {
    const double bound = measured.bounds[b];
    const auto it = std::lower_bound(predicted.bounds.begin(), predicted.bounds.end(), bound);
    if (it == predicted.bounds.end() || *it != bound) continue;
    const auto at = static_cast<std::size_t>(it - predicted.bounds.begin());
    points.push_back({bound, measured.cumulative[b] / measured.count(),
                      predicted.cumulative[at] / predicted.count()});
  }
  return points;
}

double LargestGap(const std::vector<CdfPoint>& points) {
  double gap = 0;
  for (const CdfPoint& point : points)
    gap = std::max(gap, std::abs(point.measured - point.predicted));
  return gap;
}

/// Ascending values in buckets with these bounds, +Inf last.
PooledBuckets InBuckets(const std::vector<double>& ascending, const std::vector<double>& bounds) {
  PooledBuckets out{bounds, {}};
  for (const double bound : bounds) {
    const auto end = std::upper_bound(ascending.begin(), ascending.end(), bound);
    out.cumulative.push_back(static_cast<double>(end - ascending.begin()));
  }
  return out;
}

/// Only the incident's replay would fire; true where a period or a cause is missing.
bool FiresOnlyInTheIncident(const WindowEvidence& measured, const PooledBuckets& predicted,
                            const WindowEvidence& replay, const std::string& cause) {
  if (cause.empty() || !measured.baseline || !replay.baseline) return true;
  const auto p99 = [](const Measurement& measurement) {
    return Scheduled(measurement.cells).Interpolate(0.99);
  };
  const double between = std::sqrt(p99(measured.now) * std::max(p99(*measured.baseline), 1e-4));
  const double threshold = measured.threshold.value_or(between);
  return predicted.Interpolate(0.99) > threshold && p99(*replay.baseline) <= threshold;
}

Message NoteOf(const Miss& miss, const char* id) {
  Message note = miss.Tell(id);
  note.args.push_back({"high", arg::Duration(miss.proven.high.value_or(INFINITY))});
  return note;
}

/// Holds the replay against what was measured.
void Compare(const Investigation& investigation, const Replayed& played,
             const Investigation& replay, CrossCheck* check) {
  const WindowEvidence& was = *investigation.evidence;
  const WindowEvidence& again = *replay.evidence;
  const PooledBuckets measured = Scheduled(was.now.cells);
  // What the replay says of the attempts, and the gap that what was worked out is wrong by.
  const auto& worked = played.worked_out;
  const auto pooled = [&](const auto& seconds) { return InBuckets(seconds, measured.bounds); };
  const PooledBuckets e2e = worked ? pooled(worked->seconds) : Scheduled(again.now.cells);
  const double error =
      worked ? LargestGap(AtCommonBounds(pooled(played.seconds), pooled(worked->again))) : 0;
  check->cdf = AtCommonBounds(measured, e2e);
  const double distance = LargestGap(check->cdf);
  check->distance = distance;
  for (const double q : kQuantiles) {
    check->predicted.push_back({q, measured.Interpolate(q), e2e.Interpolate(q)});
  }
  // Two-sample Smirnov at 5 %, and what buckets hide.
  const double allowed =
      kBucketAllowance + error + 1.36 * std::sqrt(1 / measured.count() + 1 / e2e.count());
  const double replays = worked ? static_cast<double>(played.seconds.size()) : e2e.count();
  const std::string cause = FirstCause(investigation), replayed = FirstCause(replay);
  const bool same_dispersion = SameDispersion(was.dispersion, again.dispersion, worked.has_value());
  const bool near = distance <= allowed;
  const bool explained = near && replayed == cause && same_dispersion &&
                         FiresOnlyInTheIncident(was, e2e, again, cause);
  check->verdict = explained                                        ? ReplayVerdict::kExplained
                   : near || (replayed == cause && distance < 0.25) ? ReplayVerdict::kPartly
                                                                    : ReplayVerdict::kNot;
  // With how many of the attempts were played, where not all were, and what of the others is known.
  const auto of_part = [&](Message result, double attempts) {
    if (attempts >= kNearlyEvery * measured.count()) return result;
    Message note(worked ? "replay.worked_out" : "replay.part",
                 {{"result", std::move(result)},
                  {"played", arg::Count(attempts)},
                  {"attempts", arg::Count(measured.count())}});
    if (worked) note.args.push_back({"error", arg::Share(error)});
    return note;
  };
  // A replay that lies outside what is proven explains nothing, however near it is.
  if (explained && played.miss) {
    check->verdict = ReplayVerdict::kUndecidable;
    check->note = of_part(NoteOf(*played.miss, "replay.misses"), std::max(replays, played.judged));
    return;
  }
  check->note = of_part(
      Message(same_dispersion ? "replay.result" : "replay.result.dispersion",
              {{"gap", arg::Share(distance)},
               {"allowed", arg::Share(allowed)},
               {"cause", replayed.empty() ? Value(Message("replay.no_cause")) : Value(replayed)}}),
      replays);
  if (!explained || !played.open) return;
  Message open = NoteOf(*played.open, "replay.open");
  open.args.insert(open.args.begin(), {"result", std::move(check->note)});
  check->note = std::move(open);
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
  std::ranges::sort(attempts, {}, &AttemptRecord::start);
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
      const sim::Conditions& period = in_window ? fitted.now() : fitted.quiet();
      const auto& api = period.costs[Cost::kBindApi].wall;
      if (taken.asks) taken.request = sim::FromSeconds(api.Sample(random));
    } else {
      continue;  // its pod comes again
    }
    taken_[Pool(in_window, failing[shape])].push_back(taken);
  }
}

const Retimer::Line& Retimer::LineOf(const Fitted& reading) {
  const sim::Scenario& scenario = reading.scenario;
  const auto more = sim::FromSeconds(reading.now().costs[Cost::kAssume].wall.Mean()) -
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
  std::ranges::stable_sort(out.asked, {}, &Asked::at);
  return out;
}

std::vector<double> Retimer::Ask(const Fitted& reading, Nanos Asked::*from) {
  const sim::Scenario& scenario = reading.scenario;
  const double was = costs_[Cost::kBindApi].wall.Mean();
  const double now = reading.now().costs[Cost::kBindApi].wall.Mean();
  const double factor = was > 0 ? now / was : 1;
  sim::TokenBucket bucket(scenario.qps, scenario.client_burst);
  // When the calls that run end; at most so many run at once, 0: as many as there are.
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> ends;
  const auto most = static_cast<std::size_t>(scenario.AsyncApiCalls() ? scenario.parallelism : 0);
  std::vector<float> seconds;
  const std::vector<Asked>& line = LineOf(reading).asked;
  seconds.reserve(line.size());
  for (const Asked& one : line) {
    const Taken& taken = *one.taken;
    Nanos end = one.at;
    if (taken.asks) {
      Nanos begin = one.at;
      if (most > 0 && ends.size() >= most) {
        begin = std::max(begin, ends.top());
        ends.pop();
      }
      const bool in_window = one.start >= scenario.incident_start;
      end = begin + bucket.Take(begin) +
            static_cast<Nanos>(static_cast<double>(taken.request) * (in_window ? factor : 1));
      if (most > 0) ends.push(end);
    }
    end += taken.after;
    if (!taken.bound || end <= scenario.incident_start || end > scenario.incident_end) continue;
    seconds.push_back(static_cast<float>(sim::ToSeconds(end - one.*from)));
  }
  return Ascending(std::move(seconds));
}

Replayed ReplayLikeliest(const Investigation& investigation) {
  const Fitted fitted = FitScenario(investigation, kPlayed);
  const ProvenWindow proven = ProveWindow(investigation, fitted, {0.5, 0.9, 0.99});
  // Only between waits at PreBind do they tell: whether these are for volumes.
  const bool plugins = FirstCause(investigation).starts_with(ToString(kube::Stage::kPreBind));
  if (fitted.limited) return ReplayLimited(investigation, proven, fitted, plugins);
  sim::SimulationResult result;
  Replayed play = PlayOnce(fitted, plugins, &result);
  Judge(proven, play.seconds, &play);
  DecideByMore(proven, investigation.evidence->now.breakdown.scheduled(), &play);
  return play;
}

CrossCheck CrossCheckByReplay(const Investigation& investigation, const QuerySet& queries) {
  CrossCheck check;
  if (const auto why = NotReplayed(investigation)) {
    check.note = *why;
    return check;
  }
  const Replayed played = ReplayLikeliest(investigation);
  const Investigation replay = GatherReplay(*played.source, queries, played.fitted);
  if (!replay.evidence || replay.evidence->now.breakdown.scheduled() < kLeastReplayed) {
    check.note = Message("replay.quiet");
    return check;
  }
  Compare(investigation, played, replay, &check);
  return check;
}

}  // namespace schedlens
