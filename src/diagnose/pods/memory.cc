#include "diagnose/control_plane/binding_path.h"
#include "diagnose/explain/glossary.h"
#include "diagnose/pods/ledger.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

constexpr std::size_t kFewSamples = 6;
/// Of the last third's mean against the first's: less is no growth.
constexpr double kGrew = 1.3;
/// What ends further below its own peak did not die of it.
constexpr double kAtItsPeak = 0.9;
/// Deaths at levels further apart had no limit in common.
constexpr double kSameLimit = 0.25;

/// One process, from a start to the next.
using Life = std::span<const Sample>;

double MeanOf(Life samples) {
  double sum = 0;
  for (const Sample& one : samples) sum += one.v;
  return sum / static_cast<double>(samples.size());
}

/// More a second, by the thirds of its life; 0 where it did not grow on, as a process does not that
/// has filled its caches.
double GrowthRate(Life life) {
  if (life.size() < kFewSamples) return 0;
  const std::size_t third = life.size() / 3;
  const double first = MeanOf(life.first(third)), last = MeanOf(life.last(third));
  const double middle = MeanOf(life.subspan(third, life.size() - 2 * third));
  const bool on = last >= kGrew * first && last - middle >= (middle - first) / 2;
  const double seconds = MsToSeconds(life.back().t - life.front().t) * 2 / 3;
  return on && seconds > 0 ? (last - first) / seconds : 0;
}

std::vector<Life> LivesOf(const std::vector<Sample>& samples, const std::vector<TimeMs>& starts) {
  std::vector<Life> lives;
  auto from = samples.begin();
  for (const TimeMs start : starts) {
    const auto next = std::ranges::lower_bound(samples, start, {}, &Sample::t);
    if (next > from) lives.push_back({from, next});
    from = std::max(from, next);
  }
  if (from != samples.end()) lives.push_back({from, samples.end()});
  return lives;
}

/// Absent where no process of the series grew until it ended.
std::optional<CauseBehind> Judge(const Series& series, const Target& target, bool memory) {
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  const std::vector<Life> lives = LivesOf(series.samples, target.restarts());
  double limit = 0, deaths = 0;
  for (std::size_t i = 0; i + 1 < lives.size(); ++i) {
    const double peak = std::ranges::max_element(lives[i], {}, &Sample::v)->v;
    if (!(GrowthRate(lives[i]) > 0) || lives[i].back().v < kAtItsPeak * peak) continue;
    const bool again = deaths > 0 && std::abs(peak - limit) <= kSameLimit * limit;
    deaths = again ? deaths + 1 : 1;
    limit = peak;
  }
  if (deaths == 0) return std::nullopt;
  const std::string object(target.id.Get(target.id.Has("instance") ? "instance" : "pod"));
  CauseBehind cause =
      CauseOf("scheduler.memory", object, TitleOf(TextOfFinding("scheduler.memory")),
              {std::nullopt, std::nullopt, std::nullopt, "1", {}}, deaths > 1);
  const double unit = memory ? kGibibyte : 1;
  cause.evidence.push_back({Message(
      memory ? "evidence.memory" : "evidence.goroutines",
      {{"object", object}, {"most", arg::Number(limit / unit)}, {"times", arg::Count(deaths)}})});
  const double now = lives.back().back().v, rate = GrowthRate(lives.back());
  if (rate > 0 && now < limit) {
    cause.evidence.push_back(
        {Message("evidence.memory.left", {{"share", arg::Share(now / limit)},
                                          {"left", arg::Duration((limit - now) / rate)}})});
  }
  return cause;
}

}  // namespace

std::vector<CauseBehind> WhyProcessesDied(const Facts& facts) {
  const TargetIndex index(facts.targets);
  std::vector<CauseBehind> behind;
  for (const Series& series : facts.Of("process")) {
    const std::string_view name = series.labels.Get(kMetricName);
    const bool memory = name == kube::kProcessMemory;
    const auto target = index.Find(series.labels);
    if (!target || (!memory && name != kube::kGoGoroutines)) continue;
    auto cause = Judge(series, facts.targets[*target], memory);
    if (!cause) continue;
    const auto known = std::ranges::find(behind, cause->object, &CauseBehind::object);
    if (known == behind.end()) {
      behind.push_back(std::move(*cause));
    } else {
      known->evidence.insert(known->evidence.end(), cause->evidence.begin(), cause->evidence.end());
    }
  }
  return behind;
}

}  // namespace schedlens
