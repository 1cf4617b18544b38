#include "analysis/breakdown/time_breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/breakdown/composed_attempts.h"

namespace schedlens {
namespace {

/// Extension points of the algorithm, in cycle order, and their stage ids.
constexpr std::pair<std::string_view, std::string_view> kAlgorithmPoints[] = {
    {"PreFilter", "algorithm.prefilter"},
    {"Filter", "algorithm.filter"},
    {"PreScore", "algorithm.prescore"},
    {"Score", "algorithm.score"},
};

/// Points after the algorithm whose whole time is a stage of its own.
constexpr std::pair<std::string_view, std::string_view> kCyclePoints[] = {
    {"PostFilter", "postfilter"},
    {"Reserve", "reserve"},
    {"Permit", "permit"},
    {"PreBind", "prebind"},
};

/// Points that an attempt which fails after the algorithm has already paid for.
constexpr std::string_view kLatePoints[] = {"Reserve", "Permit", "PreBind", "Bind"};

std::vector<const ScrapeIncreases*> SelectFailed(const std::vector<ScrapeIncreases>& cells,
                                                 std::string_view point) {
  std::vector<const ScrapeIncreases*> out = Select(cells, "extension_point", point);
  std::erase_if(out, [](const ScrapeIncreases* c) { return c->labels.Get("status") == "Success"; });
  return out;
}

/// Time of attempts that found a node and failed later: in e2e as error or unschedulable, but their
/// parts are in the algorithm and in the points with a status other than Success.
void AddLateFailures(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  breakdown->late_failures = breakdown->Point("Unreserve").count;
  if (breakdown->late_failures <= 0) return;
  const auto error = breakdown->by_result.find("error");
  const bool all_errors =
      error != breakdown->by_result.end() && error->second.count == breakdown->late_failures;
  if (all_errors) {
    breakdown->late_failure_seconds = error->second.seconds;
    return;
  }
  double seconds = breakdown->late_failures * breakdown->algorithm.mean();
  for (const std::string_view point : kLatePoints) {
    seconds += Total(SelectFailed(cells.extension_point, point)).seconds;
  }
  double failed_seconds = 0;
  for (const auto& [result, amount] : breakdown->by_result) {
    if (result != "scheduled") failed_seconds += amount.seconds;
  }
  breakdown->late_failure_seconds = std::min(seconds, failed_seconds);
  breakdown->notes.push_back(
      Message("attempts.late_failures", {{"count", arg::Count(breakdown->late_failures)}}));
}

/// From 1.30 the algorithm is observed for failed attempts too. The counts say so by themselves: it
/// is nearer to all attempts than to those that reached Reserve.
bool AlgorithmCoversFailures(const TimeBreakdown& breakdown) {
  const double early_failures = breakdown.failed() - breakdown.late_failures;
  if (early_failures <= 0) return false;
  const double found = breakdown.Point("Reserve").count;
  const double extra = breakdown.algorithm.count - found;
  return extra > early_failures / 2;
}

double SecondsOfAlgorithmPoints(const TimeBreakdown& breakdown) {
  double seconds = 0;
  for (const auto& [point, id] : kAlgorithmPoints) {
    seconds += breakdown.Point(std::string(point)).seconds;
  }
  return seconds;
}

void AddPoints(std::span<const std::pair<std::string_view, std::string_view>> points,
               TimeBreakdown* breakdown) {
  for (const auto& [point, id] : points) {
    const Amount amount = breakdown->Point(std::string(point));
    breakdown->seconds[std::string(id)] = amount.seconds;
    breakdown->counts[std::string(id)] = amount.count;
  }
}

void AddAlgorithm(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  const bool has_points = !cells.extension_point.empty();
  if (has_points) AddPoints(kAlgorithmPoints, breakdown);
  if (cells.algorithm.empty()) {
    // Its points are the part of it that is seen; the rest is in the remainder.
    breakdown->algorithm_from_points = has_points;
    if (has_points) breakdown->seconds["algorithm"] = SecondsOfAlgorithmPoints(*breakdown);
    return;
  }
  const double postfilter = breakdown->Point("PostFilter").seconds;
  double total = breakdown->algorithm.seconds;
  if (breakdown->algorithm_has_failures) {
    total -= postfilter;
  } else {
    double failed_seconds = 0;
    for (const auto& [result, amount] : breakdown->by_result) {
      if (result != "scheduled") failed_seconds += amount.seconds;
    }
    total += std::max(0.0, failed_seconds - postfilter - breakdown->late_failure_seconds);
  }
  breakdown->seconds["algorithm"] = total;
  breakdown->counts["algorithm"] = breakdown->algorithm.count;
  breakdown->seconds["algorithm.unmeasured"] = total - SecondsOfAlgorithmPoints(*breakdown);
}

void AddBind(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  const Amount plugins = breakdown->Point("Bind");
  const bool has_points = !cells.extension_point.empty();
  if (has_points) {
    breakdown->seconds["bind.plugins"] = plugins.seconds;
    breakdown->counts["bind.plugins"] = plugins.count;
  }
  double rest = breakdown->e2e.seconds - breakdown->Seconds("algorithm") -
                breakdown->Seconds("permit-wait") - plugins.seconds;
  for (const auto& [point, id] : kCyclePoints) rest -= breakdown->Seconds(std::string(id));
  if (breakdown->has_binding) {
    const double failed = Total(SelectFailed(cells.extension_point, "Bind")).seconds;
    const double bind = breakdown->binding.seconds + failed;
    breakdown->seconds["bind"] = bind;
    if (has_points) breakdown->seconds["bind.unmeasured"] = bind - plugins.seconds;
    breakdown->seconds["unmeasured"] = rest - (bind - plugins.seconds);
    breakdown->counts["bind"] = breakdown->binding.count;
  } else if (breakdown->extender_binds > 0) {
    breakdown->seconds["bind"] = plugins.seconds + rest;
    breakdown->seconds["bind.unmeasured"] = rest;
    breakdown->counts["bind"] = breakdown->Point("PostBind").count;
  } else {
    if (has_points) {
      breakdown->seconds["bind"] = plugins.seconds;
      breakdown->seconds["bind.unmeasured"] = 0;
      breakdown->counts["bind"] = plugins.count;
    }
    breakdown->seconds["unmeasured"] = rest;
  }
  if (cells.attempt.empty()) breakdown->seconds.erase("unmeasured");
}

/// Attempts without a sum of their own: their stages added up stand for it.
void AddUpStages(const WindowIncreases& cells, TimeBreakdown* breakdown) {
  if (!std::isnan(breakdown->e2e.seconds)) return;
  breakdown->seconds.erase("unmeasured");
  if (cells.algorithm.empty() || cells.extension_point.empty()) return;
  double all = 0;
  for (const StageName& name : StageNames()) {
    if (name.parent.empty()) all += breakdown->Seconds(std::string(name.id));
  }
  if (std::isnan(all)) return;
  breakdown->e2e.seconds = all;
  breakdown->notes.emplace_back("attempts.no_sum");
}

}  // namespace

Histograms GroupAll(const Facts& facts, std::vector<Message>* warnings) {
  Histograms out;
  out.attempt = HistogramOf(facts, "attempt", warnings);
  out.algorithm = HistogramOf(facts, "algorithm", warnings);
  out.binding = HistogramOf(facts, "binding", warnings);
  out.extension_point = HistogramOf(facts, "extension_point", warnings);
  out.permit_wait = HistogramOf(facts, "permit_wait", warnings);
  out.pod_scheduling = HistogramOf(facts, "pod_scheduling", warnings);
  if (out.attempt.children.empty()) out.attempt = ComposeAttempts(out);
  return out;
}

WindowIncreases CutWindow(const Histograms& histograms, std::span<const Target> targets,
                          const TimeRange& window) {
  return {window,
          CellsOf(histograms.attempt, targets, window),
          CellsOf(histograms.algorithm, targets, window),
          CellsOf(histograms.binding, targets, window),
          CellsOf(histograms.extension_point, targets, window),
          CellsOf(histograms.permit_wait, targets, window),
          CellsOf(histograms.pod_scheduling, targets, window)};
}

std::vector<const ScrapeIncreases*> Select(const std::vector<ScrapeIncreases>& cells,
                                           std::string_view label, std::string_view value) {
  std::vector<const ScrapeIncreases*> out;
  for (const ScrapeIncreases& c : cells) {
    if (label.empty() || c.labels.Get(label) == value) out.push_back(&c);
  }
  return out;
}

Amount Total(const std::vector<const ScrapeIncreases*>& cells) {
  Amount amount;
  for (const ScrapeIncreases* c : cells) amount += {TotalCount(*c), TotalSum(*c)};
  return amount;
}

Amount Total(const std::vector<ScrapeIncreases>& cells) { return Total(Select(cells, "", "")); }

bool HasBuckets(const std::vector<ScrapeIncreases>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const ScrapeIncreases& c) { return c.bounds.size() > 1; });
}

double TimeBreakdown::scheduled() const {
  const auto it = by_result.find("scheduled");
  return it == by_result.end() ? 0 : it->second.count;
}

double TimeBreakdown::failed() const { return e2e.count - scheduled(); }

double TimeBreakdown::Seconds(const std::string& stage) const {
  const auto it = seconds.find(stage);
  return it == seconds.end() ? 0 : it->second;
}

Amount TimeBreakdown::Point(const std::string& name) const {
  const auto it = points.find(name);
  return it == points.end() ? Amount{} : it->second;
}

TimeBreakdown BreakDownTime(const WindowIncreases& cells) {
  TimeBreakdown breakdown;
  breakdown.window = cells.window;
  breakdown.e2e = Total(cells.attempt);
  for (const ScrapeIncreases& c : cells.attempt) {
    // 1.18 has no result label and observes successful binds only.
    const std::string result(c.labels.Has("result") ? c.labels.Get("result") : "scheduled");
    breakdown.by_result[result] += {TotalCount(c), TotalSum(c)};
  }
  for (const ScrapeIncreases& c : cells.extension_point) {
    breakdown.points[std::string(c.labels.Get("extension_point"))] += {TotalCount(c), TotalSum(c)};
    if (c.labels.Get("extension_point") == "Bind" && c.labels.Get("status") == "Success") {
      breakdown.bind_ok += {TotalCount(c), TotalSum(c)};
    }
  }
  breakdown.algorithm = Total(cells.algorithm);
  breakdown.binding = Total(cells.binding);
  breakdown.permit_wait = Total(cells.permit_wait);
  breakdown.pod_scheduling = Total(cells.pod_scheduling);
  breakdown.has_binding = !cells.binding.empty();
  AddLateFailures(cells, &breakdown);
  breakdown.algorithm_has_failures = AlgorithmCoversFailures(breakdown);
  if (!cells.extension_point.empty()) {
    breakdown.extender_binds =
        std::max(0.0, breakdown.Point("PostBind").count - breakdown.bind_ok.count);
  }
  AddAlgorithm(cells, &breakdown);
  if (!cells.extension_point.empty()) AddPoints(kCyclePoints, &breakdown);
  breakdown.seconds["permit-wait"] = breakdown.permit_wait.seconds;
  breakdown.counts["permit-wait"] = breakdown.permit_wait.count;
  AddBind(cells, &breakdown);
  AddUpStages(cells, &breakdown);
  return breakdown;
}

const std::vector<StageName>& StageNames() {
  static const std::vector<StageName> names = {
      {"algorithm", "", "scheduling_algorithm + failed attempts", "all attempts"},
      {"algorithm.prefilter", "algorithm", "EP{PreFilter}", "all attempts"},
      {"algorithm.filter", "algorithm", "EP{Filter}", "attempts past PreFilter"},
      {"algorithm.prescore", "algorithm", "EP{PreScore}", "attempts with several feasible nodes"},
      {"algorithm.score", "algorithm", "EP{Score}", "attempts with several feasible nodes"},
      {"algorithm.unmeasured", "algorithm", "algorithm - its extension points", "all attempts"},
      {"postfilter", "", "EP{PostFilter}", "attempts without a feasible node"},
      {"reserve", "", "EP{Reserve}", "attempts that found a node"},
      {"permit", "", "EP{Permit}", "attempts that found a node"},
      {"permit-wait", "", "permit_wait", "pods told to wait by a Permit plugin"},
      {"prebind", "", "EP{PreBind}", "attempts that reached binding"},
      {"bind", "", "binding", "attempts that reached binding"},
      {"bind.plugins", "bind", "EP{Bind}", "binds by the framework"},
      {"bind.throttle", "bind.plugins", "rate limiter of the API client", "binds by the framework"},
      {"bind.request", "bind.plugins", "EP{Bind} - rate limiter", "binds by the framework"},
      {"bind.unmeasured", "bind", "bind - EP{Bind}", "binds by an extender, cache FinishBinding"},
      {"unmeasured", "", "e2e - every other stage", "all attempts"},
  };
  return names;
}

}  // namespace schedlens
