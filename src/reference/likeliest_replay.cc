#include "reference/likeliest_replay.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kube/stage.h"
#include "reference/readings.h"
#include "reference/replay.h"
#include "reference/retimed.h"
#include "sim/engine/simulation.h"

namespace schedlens {
namespace {

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

/// A replay of the window's start with its metrics; with `plugins`, with those of their calls.
struct OnePlay {
  Replayed replayed;
  std::vector<double> seconds;
  sim::SimulationResult result;
};

OnePlay PlayOnce(Fitted fitted, bool plugins) {
  OnePlay out{{std::move(fitted), nullptr, 0, 0, {}, {}, {}}, {}, {}};
  const Fitted& played = out.replayed.fitted;
  out.replayed.source =
      ReplayAsSource(played.Played(kReplaySeed), kReplaySeed, &out.result, plugins);
  out.seconds = ScheduledSeconds(played.scenario, out.result);
  out.replayed.attempts = out.replayed.judged = static_cast<double>(out.seconds.size());
  return out;
}

/// Seconds of `fitted` played with other draws, without metrics.
std::vector<double> PlayMore(const Fitted& fitted) {
  constexpr std::uint64_t kSeed = kReplaySeed + 1;
  sim::RunOptions options;
  options.seed = kSeed;
  options.scrape = options.metrics = false;
  return ScheduledSeconds(fitted.scenario, sim::RunScenario(fitted.Played(kSeed), options));
}

void Judge(const ProvenWindow& proven, const std::vector<double>& seconds, Replayed* replayed) {
  replayed->miss = WorstMiss(proven.e2e, {seconds});
  replayed->open = replayed->miss ? std::nullopt : Outlying(proven.e2e, seconds);
}

/// Quantiles of a part that lie outside what is proven, but may lie inside for all that a part can
/// tell: as many attempts more decide, or leave it open.
void DecideByMore(const ProvenWindow& proven, double all, OnePlay* play) {
  const double left = all - play->replayed.attempts;
  if (!play->replayed.open || left < (1 - kNearlyAllPlayed) * all) return;
  const std::vector<double> more =
      PlayMore(StartOf(WithoutBaseline(play->replayed.fitted, kWarmUp), left));
  const auto middle = play->seconds.insert(play->seconds.end(), more.begin(), more.end());
  std::inplace_merge(play->seconds.begin(), middle, play->seconds.end());
  play->replayed.judged = static_cast<double>(play->seconds.size());
  Judge(proven, play->seconds, &play->replayed);
}

/// The start of a window whose attempts wait for each other, with all of it worked out: from this
/// replay where there is no `retimer` yet.
Replayed PlayStart(const ProvenWindow& proven, const Fitted& fitted, double attempts, bool plugins,
                   std::optional<Retimer>* retimer) {
  OnePlay play = PlayOnce(StartOf(fitted, attempts), plugins);
  if (!*retimer) retimer->emplace(fitted, play.result);
  if (play.replayed.fitted.window == fitted.window) {
    Judge(proven, play.seconds, &play.replayed);
    return std::move(play.replayed);
  }
  WorkedOut worked{(*retimer)->Attempts(fitted), std::move(play.seconds), {}};
  worked.again = (*retimer)->Attempts(play.replayed.fitted);
  Judge(proven, worked.seconds, &play.replayed);
  play.replayed.worked_out = std::move(worked);
  return std::move(play.replayed);
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

}  // namespace

Replayed ReplayLikeliest(const Investigation& investigation) {
  const Fitted fitted = FitScenario(investigation, kPlayed);
  const ProvenWindow proven = ProveWindow(investigation, fitted, {0.5, 0.9, 0.99});
  // Only between waits at PreBind do they tell: whether these are for volumes.
  const auto& causes = investigation.causes;
  const std::string_view cause = causes.empty() ? "" : std::string_view(causes.front().id);
  const bool plugins = cause.starts_with(ToString(kube::Stage::kPreBind));
  if (fitted.limited) return ReplayLimited(investigation, proven, fitted, plugins);
  OnePlay play = PlayOnce(fitted, plugins);
  Judge(proven, play.seconds, &play.replayed);
  DecideByMore(proven, investigation.evidence->now.breakdown.scheduled(), &play);
  return std::move(play.replayed);
}

}  // namespace schedlens
