#include "diagnose/control_plane/rejections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "diagnose/control_plane/behind.h"
#include "diagnose/control_plane/loads.h"
#include "diagnose/explain/glossary.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

/// A plugin that holds this part of what another holds may hold the same pods.
constexpr double kTied = 0.5;

/// Pods held at a scrape, on average.
struct Held {
  std::string plugin;
  double now = 0, before = 0;
  double growth() const { return std::max(0.0, now - before); }
};

/// A plugin without a series rejected nobody yet: its scheduler was scraped.
double MeanIn(const Series& series, const TimeRange& window) {
  double sum = 0, n = 0;
  for (const Sample& sample : series.samples) {
    if (sample.t <= window.start || sample.t > window.end) continue;
    sum += sample.v;
    ++n;
  }
  return n > 0 ? sum / n : 0;
}

std::vector<Held> HeldPods(const Facts& facts, const TimeRange& window,
                           const std::optional<TimeRange>& baseline) {
  std::map<std::string, Held> plugins;
  for (const Series& series : facts.Of("unschedulable_pods")) {
    std::string plugin(series.labels.Get("plugin"));
    Held& held = plugins[plugin];
    held.plugin = std::move(plugin);
    held.now += MeanIn(series, window);
    if (baseline) held.before += MeanIn(series, *baseline);
  }
  std::vector<Held> all;
  for (auto& [plugin, held] : plugins) {
    if (held.growth() > 0) all.push_back(std::move(held));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Held& a, const Held& b) { return a.growth() > b.growth(); });
  return all;
}

std::string QueryOf(const Facts& facts) {
  const auto metric = NameOf(kube::Metric::kUnschedulablePods);
  if (facts.selector.empty()) return fmt::format("sum by (plugin) ({})", metric);
  return fmt::format("sum by (plugin) ({}{{{}}})", metric, facts.selector);
}

CauseBehind Write(const Held& held, const Measured& share, std::string query) {
  const FindingText& text = TextOfFinding("unschedulable.plugin");
  CauseBehind behind;
  behind.id = text.id;
  behind.object = held.plugin;
  behind.title = Message("behind.unschedulable.plugin", {{"object", held.plugin}});
  behind.share = share;
  behind.evidence.push_back(
      {Message("evidence.behind.held",
               {{"now", arg::Number(held.now)}, {"before", arg::Number(held.before)}}),
       std::move(query)});
  behind.next_steps = NextStepsOf(text);
  return behind;
}

}  // namespace

std::vector<CauseBehind> WhoRejectsPods(const Facts& facts, const TimeRange& window,
                                        const std::optional<TimeRange>& baseline) {
  const std::vector<Held> plugins = HeldPods(facts, window, baseline);
  if (plugins.empty()) return {};
  double sum = 0;
  for (const Held& held : plugins) sum += held.growth();
  const double most = plugins.front().growth();
  const bool tied = plugins.size() > 1 && plugins[1].growth() >= kTied * most;
  std::vector<CauseBehind> found;
  for (const Held& held : plugins) {
    const double least = held.growth() / sum;
    if (least < kLeastWeight) break;
    const Measured share = Bounded(least, least, held.growth() / most, "1", BasisKind::kGrowth);
    CauseBehind behind = Write(held, share, QueryOf(facts));
    const bool grown = HasGrown({held.now, held.before, 1, 1}, plugins.size());
    const bool lone = !tied && held.growth() == most;
    behind.confidence = grown && lone ? Confidence::kLikely : Confidence::kPossible;
    if (tied && held.growth() >= kTied * most) {
      behind.evidence.push_back({Message("evidence.behind.held.tied"), ""});
    }
    found.push_back(std::move(behind));
  }
  return found;
}

}  // namespace schedlens
