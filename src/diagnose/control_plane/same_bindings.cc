#include "diagnose/control_plane/binding_path.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

/// Clocks of servers and scheduler may differ by as much.
constexpr TimeMs kMostLag = 30'000, kLagStep = 3'000;
/// Of a long recording those steps next to the window.
constexpr std::size_t kMostSteps = 240, kLeastSteps = 4;

/// What a counter of one process or several added up to, at any time.
class Curve {
 public:
  void Add(const ScrapeIncreases& child) {
    Line line{child.edges, {0}};
    for (std::size_t i = 0; i < child.cells(); ++i) {
      line.totals.push_back(line.totals.back() + child.Count(i));
    }
    if (line.at.size() < 2) return;
    scraped_ = lines_.empty() ? TimeRange{line.at.front(), line.at.back()}
                              : TimeRange{std::min(scraped_.start, line.at.front()),
                                          std::max(scraped_.end, line.at.back())};
    lines_.push_back(std::move(line));
  }
  bool Holds(const TimeRange& range) const {
    return range.start >= scraped_.start && range.end <= scraped_.end;
  }
  double Increase(const TimeRange& range) const { return At(range.end) - At(range.start); }

 private:
  struct Line {
    std::vector<TimeMs> at;
    std::vector<double> totals;
  };
  double At(TimeMs t) const {
    double sum = 0;
    for (const Line& line : lines_) {
      const auto after = std::ranges::upper_bound(line.at, t) - line.at.begin();
      if (after == 0) continue;
      const auto i = static_cast<std::size_t>(after) - 1;
      sum += line.totals[i];
      if (i + 1 == line.at.size()) continue;
      const double part =
          static_cast<double>(t - line.at[i]) / static_cast<double>(line.at[i + 1] - line.at[i]);
      sum += part * (line.totals[i + 1] - line.totals[i]);
    }
    return sum;
  }

  std::vector<Line> lines_;
  TimeRange scraped_{0, 0};
};

/// Steps between the scrapes of the server that answered most, and what all servers counted.
struct ServedStep {
  TimeRange range;
  double bindings = 0;
};

std::vector<ServedStep> ServedSteps(const ControlPlaneFacts& facts, const TimeRange& window) {
  const Meter count = MeterOf(facts, "bindings", CountOf(kube::Metric::kApiserverRequestDuration));
  const std::vector<Meter::Step> steps = count.Steps();
  std::map<Labels, double> answered;
  for (const Meter::Step& step : steps) answered[step.process] += step.increase;
  const auto busiest =
      std::ranges::max_element(answered, {}, &std::pair<const Labels, double>::second);
  std::vector<ServedStep> served;
  for (const Meter::Step& step : steps) {
    if (step.process == busiest->first) served.push_back({{step.start, step.end}, 0});
  }
  if (served.size() > kMostSteps) {
    const TimeMs middle = window.start + (window.end - window.start) / 2;
    const auto after = std::ranges::lower_bound(
        served, middle, {}, [](const ServedStep& one) { return one.range.start; });
    const auto half = static_cast<std::ptrdiff_t>(kMostSteps / 2);
    const auto first =
        std::clamp<std::ptrdiff_t>(after - served.begin() - half, 0, std::ssize(served) - 2 * half);
    served = {served.begin() + first, served.begin() + first + 2 * half};
  }
  for (ServedStep& step : served) step.bindings = count.Increase(step.range).value;
  return served;
}

/// How the two counts go together when one clock is behind the other by `lag`.
struct Agreement {
  double follows = 0;  ///< Correlation of the rates
  double jumps = 0;    ///< the same of what they change by from step to step: trends have none
  double wanders = 0;  ///< variance of their running difference, in mean counts of a step
  double ratio = 0;    ///< of the totals
};

using Pairs = std::vector<std::pair<double, double>>;

/// Times the root of the number of pairs: of pairs that know nothing of each other as chance is,
/// with a deviation of about one.
double Correlation(const Pairs& pairs) {
  const auto n = static_cast<double>(pairs.size());
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (const auto& [a, b] : pairs) x += a / n, y += b / n;
  for (const auto& [a, b] : pairs) {
    xx += (a - x) * (a - x), yy += (b - y) * (b - y), xy += (a - x) * (b - y);
  }
  return xx > 0 && yy > 0 ? std::sqrt(n) * xy / std::sqrt(xx * yy) : 0;
}

std::optional<Agreement> AgreementAt(const std::vector<ServedStep>& served, const Curve& made,
                                     TimeMs lag) {
  Pairs rates, changes;
  std::vector<double> difference = {0};
  double all_made = 0, all_served = 0;
  for (const ServedStep& step : served) {
    const TimeRange range{step.range.start + lag, step.range.end + lag};
    if (!made.Holds(range)) continue;
    const double count = made.Increase(range), seconds = range.seconds();
    rates.emplace_back(count / seconds, step.bindings / seconds);
    difference.push_back(difference.back() + step.bindings - count);
    all_made += count, all_served += step.bindings;
  }
  if (rates.size() < kLeastSteps || !(all_made > 0) || !(all_served > 0)) return std::nullopt;
  for (std::size_t i = 1; i < rates.size(); ++i) {
    changes.emplace_back(rates[i].first - rates[i - 1].first,
                         rates[i].second - rates[i - 1].second);
  }
  const auto n = static_cast<double>(difference.size());
  double mean = 0, variance = 0;
  for (const double one : difference) mean += one / n;
  for (const double one : difference) variance += (one - mean) * (one - mean) / n;
  const double of_a_step = (all_made + all_served) / 2 / static_cast<double>(rates.size());
  return Agreement{Correlation(rates), Correlation(changes), variance / of_a_step,
                   all_served / all_made};
}

}  // namespace

bool CountsTheSame(const ControlPlaneFacts& facts, const HistogramFacts& attempt,
                   std::span<const Target> targets, const TimeRange& window) {
  // Of two counts that know nothing of each other the difference is a random walk, and of all lags
  // the best correlation is above 2.2 once in forty times.
  constexpr double kFollows = 2.8, kFollowsAlike = 2.4, kWanders = 0.45, kWandersAlike = 1.9;
  // Both: of long recordings, in which a server was missing for a while.
  constexpr double kFollowsAndJumps = 3;
  constexpr double kAlike = 0.1;
  const std::vector<ServedStep> served = ServedSteps(facts, window);
  if (served.size() < kLeastSteps) return false;
  Curve made;
  const TimeRange all{served.front().range.start - kMostLag, served.back().range.end + kMostLag};
  for (const ScrapeIncreases& child : CellsOf(attempt, targets, all)) {
    const std::string_view result = child.labels.Get("result");
    const bool failed = result == ToString(kube::AttemptResult::kUnschedulable);
    if (!failed) made.Add(child);
  }
  double follows = 0, jumps = 0, wanders = kInfinity, ratio = 0;
  for (TimeMs lag = -kMostLag; lag <= kMostLag; lag += kLagStep) {
    const std::optional<Agreement> found = AgreementAt(served, made, lag);
    if (!found) continue;
    follows = std::max(follows, found->follows);
    jumps = std::max(jumps, found->jumps);
    if (found->wanders < wanders) wanders = found->wanders, ratio = found->ratio;
  }
  const bool alike = std::abs(ratio - 1) <= kAlike;
  if (!alike) return follows >= kFollows;
  if (std::min(follows, jumps) >= kFollowsAndJumps) return true;
  return wanders <= kWanders || (wanders <= kWandersAlike && follows >= kFollowsAlike);
}

}  // namespace schedlens
