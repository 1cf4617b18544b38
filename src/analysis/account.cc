#include "analysis/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/composed_attempts.h"

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

std::vector<const HistogramCells*> SelectFailed(const std::vector<HistogramCells>& cells,
                                                std::string_view point) {
  std::vector<const HistogramCells*> out = Select(cells, "extension_point", point);
  std::erase_if(out, [](const HistogramCells* c) { return c->labels.Get("status") == "Success"; });
  return out;
}

/// Time of attempts that found a node and failed later: in e2e as error or unschedulable, but their
/// parts are in the algorithm and in the points with a status other than Success.
void AccountLateFailures(const WindowCells& cells, Account* account) {
  account->late_failures = account->Point("Unreserve").count;
  if (account->late_failures <= 0) return;
  const auto error = account->by_result.find("error");
  const bool all_errors =
      error != account->by_result.end() && error->second.count == account->late_failures;
  if (all_errors) {
    account->late_failure_seconds = error->second.seconds;
    return;
  }
  double seconds = account->late_failures * account->algorithm.mean();
  for (const std::string_view point : kLatePoints) {
    seconds += Total(SelectFailed(cells.extension_point, point)).seconds;
  }
  double failed_seconds = 0;
  for (const auto& [result, amount] : account->by_result) {
    if (result != "scheduled") failed_seconds += amount.seconds;
  }
  account->late_failure_seconds = std::min(seconds, failed_seconds);
  account->notes.push_back(fmt::format(
      "{:.0f} attempts failed after a node was found; their time is estimated from their stages",
      account->late_failures));
}

/// From 1.30 the algorithm is observed for failed attempts too. The counts say so by themselves: it
/// is nearer to all attempts than to those that reached Reserve.
bool AlgorithmCoversFailures(const Account& account) {
  const double early_failures = account.failed() - account.late_failures;
  if (early_failures <= 0) return false;
  const double found = account.Point("Reserve").count;
  const double extra = account.algorithm.count - found;
  return extra > early_failures / 2;
}

double SecondsOfAlgorithmPoints(const Account& account) {
  double seconds = 0;
  for (const auto& [point, id] : kAlgorithmPoints) {
    seconds += account.Point(std::string(point)).seconds;
  }
  return seconds;
}

void AccountPoints(std::span<const std::pair<std::string_view, std::string_view>> points,
                   Account* account) {
  for (const auto& [point, id] : points) {
    const Amount amount = account->Point(std::string(point));
    account->seconds[std::string(id)] = amount.seconds;
    account->counts[std::string(id)] = amount.count;
  }
}

void AccountAlgorithm(const WindowCells& cells, Account* account) {
  const bool has_points = !cells.extension_point.empty();
  if (has_points) AccountPoints(kAlgorithmPoints, account);
  if (cells.algorithm.empty()) {
    // Its points are the part of it that is seen; the rest is in the remainder.
    account->algorithm_from_points = has_points;
    if (has_points) account->seconds["algorithm"] = SecondsOfAlgorithmPoints(*account);
    return;
  }
  const double postfilter = account->Point("PostFilter").seconds;
  double total = account->algorithm.seconds;
  if (account->algorithm_has_failures) {
    total -= postfilter;
  } else {
    double failed_seconds = 0;
    for (const auto& [result, amount] : account->by_result) {
      if (result != "scheduled") failed_seconds += amount.seconds;
    }
    total += std::max(0.0, failed_seconds - postfilter - account->late_failure_seconds);
  }
  account->seconds["algorithm"] = total;
  account->counts["algorithm"] = account->algorithm.count;
  account->seconds["algorithm.unmeasured"] = total - SecondsOfAlgorithmPoints(*account);
}

void AccountBind(const WindowCells& cells, Account* account) {
  const Amount plugins = account->Point("Bind");
  const bool has_points = !cells.extension_point.empty();
  if (has_points) {
    account->seconds["bind.plugins"] = plugins.seconds;
    account->counts["bind.plugins"] = plugins.count;
  }
  double rest = account->e2e.seconds - account->Seconds("algorithm") -
                account->Seconds("permit-wait") - plugins.seconds;
  for (const auto& [point, id] : kCyclePoints) rest -= account->Seconds(std::string(id));
  if (account->has_binding) {
    const double failed = Total(SelectFailed(cells.extension_point, "Bind")).seconds;
    const double bind = account->binding.seconds + failed;
    account->seconds["bind"] = bind;
    if (has_points) account->seconds["bind.unmeasured"] = bind - plugins.seconds;
    account->seconds["unmeasured"] = rest - (bind - plugins.seconds);
    account->counts["bind"] = account->binding.count;
  } else if (account->extender_binds > 0) {
    account->seconds["bind"] = plugins.seconds + rest;
    account->seconds["bind.unmeasured"] = rest;
    account->counts["bind"] = account->Point("PostBind").count;
  } else {
    if (has_points) {
      account->seconds["bind"] = plugins.seconds;
      account->seconds["bind.unmeasured"] = 0;
      account->counts["bind"] = plugins.count;
    }
    account->seconds["unmeasured"] = rest;
  }
  if (cells.attempt.empty()) account->seconds.erase("unmeasured");
}

/// Attempts without a sum of their own: their stages added up stand for it.
void AddUpStages(const WindowCells& cells, Account* account) {
  if (!std::isnan(account->e2e.seconds)) return;
  account->seconds.erase("unmeasured");
  if (cells.algorithm.empty() || cells.extension_point.empty()) return;
  double all = 0;
  for (const StageName& name : StageNames()) {
    if (name.parent.empty()) all += account->Seconds(std::string(name.id));
  }
  if (std::isnan(all)) return;
  account->e2e.seconds = all;
  account->notes.emplace_back(
      "the attempts have no sum of their own: their stages are added up instead");
}

}  // namespace

Histograms GroupAll(const Facts& facts, std::vector<std::string>* warnings) {
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

WindowCells CutWindow(const Histograms& histograms, const Facts& facts, const TimeRange& window) {
  return {window,
          CellsOf(histograms.attempt, facts, window),
          CellsOf(histograms.algorithm, facts, window),
          CellsOf(histograms.binding, facts, window),
          CellsOf(histograms.extension_point, facts, window),
          CellsOf(histograms.permit_wait, facts, window),
          CellsOf(histograms.pod_scheduling, facts, window)};
}

std::vector<const HistogramCells*> Select(const std::vector<HistogramCells>& cells,
                                          std::string_view label, std::string_view value) {
  std::vector<const HistogramCells*> out;
  for (const HistogramCells& c : cells) {
    if (label.empty() || c.labels.Get(label) == value) out.push_back(&c);
  }
  return out;
}

Amount Total(const std::vector<const HistogramCells*>& cells) {
  Amount amount;
  for (const HistogramCells* c : cells) amount += {TotalCount(*c), TotalSum(*c)};
  return amount;
}

Amount Total(const std::vector<HistogramCells>& cells) { return Total(Select(cells, "", "")); }

bool HasBuckets(const std::vector<HistogramCells>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const HistogramCells& c) { return c.bounds.size() > 1; });
}

double Account::scheduled() const {
  const auto it = by_result.find("scheduled");
  return it == by_result.end() ? 0 : it->second.count;
}

double Account::failed() const { return e2e.count - scheduled(); }

double Account::Seconds(const std::string& stage) const {
  const auto it = seconds.find(stage);
  return it == seconds.end() ? 0 : it->second;
}

Amount Account::Point(const std::string& name) const {
  const auto it = points.find(name);
  return it == points.end() ? Amount{} : it->second;
}

Account MakeAccount(const WindowCells& cells) {
  Account account;
  account.window = cells.window;
  account.e2e = Total(cells.attempt);
  for (const HistogramCells& c : cells.attempt) {
    // 1.18 has no result label and observes successful binds only.
    const std::string result(c.labels.Has("result") ? c.labels.Get("result") : "scheduled");
    account.by_result[result] += {TotalCount(c), TotalSum(c)};
  }
  for (const HistogramCells& c : cells.extension_point) {
    account.points[std::string(c.labels.Get("extension_point"))] += {TotalCount(c), TotalSum(c)};
    if (c.labels.Get("extension_point") == "Bind" && c.labels.Get("status") == "Success") {
      account.bind_ok += {TotalCount(c), TotalSum(c)};
    }
  }
  account.algorithm = Total(cells.algorithm);
  account.binding = Total(cells.binding);
  account.permit_wait = Total(cells.permit_wait);
  account.pod_scheduling = Total(cells.pod_scheduling);
  account.has_binding = !cells.binding.empty();
  AccountLateFailures(cells, &account);
  account.algorithm_has_failures = AlgorithmCoversFailures(account);
  if (!cells.extension_point.empty()) {
    account.extender_binds = std::max(0.0, account.Point("PostBind").count - account.bind_ok.count);
  }
  AccountAlgorithm(cells, &account);
  if (!cells.extension_point.empty()) AccountPoints(kCyclePoints, &account);
  account.seconds["permit-wait"] = account.permit_wait.seconds;
  account.counts["permit-wait"] = account.permit_wait.count;
  AccountBind(cells, &account);
  AddUpStages(cells, &account);
  return account;
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
