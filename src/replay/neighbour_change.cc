#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "diagnose/pipeline/past_the_door.h"
#include "replay/latency_shape.h"
#include "replay/setting_change.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::Distribution;

/// A part of the call below which it is none.
constexpr double kNone = 1e-3;
/// From this part of the call's growth on something is a cause of its own, as for a diagnosis.
constexpr double kOfGrowth = 0.1;
/// From this part of the call's growth on storage leads: others may have waited for the same disk.
constexpr double kLeads = 0.5;
/// From this part on they likely have: no second cause is left to be seen.
constexpr double kTakesAlong = 0.8;

Error Missing(const std::string& change, const std::string& why) {
  return Error(ErrorKind::kInsufficientData, fmt::format("--set {}: {}", change, why));
}

/// Of the whole as parts of 1.
Between PartOf(const Between& gone, const Between& whole) {
  const auto part = [](double a, double b) { return b > 0 ? std::clamp(a / b, 0.0, 1.0) : 0.0; };
  Between out{part(gone.low, whole.high), part(gone.value, whole.value),
              part(gone.high, whole.low > 0 ? whole.low : whole.value)};
  out.value = std::clamp(out.value, out.low, out.high);
  return out;
}

/// Whether something else of the path is proven to have grown too: then some calls may be slow for
/// that alone.
bool OthersGrew(const PathEvidence& path, const std::string& webhook) {
  const double least = kOfGrowth * path.RequestGrowth().value;
  const auto grew = [&](const std::optional<Between>& part, const std::optional<Between>& before) {
    return part && path.Growth(*part, before).low > least;
  };
  const BindingPath none;
  const BindingPath& before = path.before ? *path.before : none;
  bool any = grew(path.now.network, before.network) ||
             grew(path.now.flowcontrol, before.flowcontrol) ||
             (!webhook.empty() && grew(path.now.inside, before.inside));
  for (const auto& [name, part] : path.now.webhooks) {
    const auto was = before.webhooks.find(name);
    const bool other = name != webhook;
    any = any || (other && grew(part, was == before.webhooks.end() ? std::nullopt
                                                                   : std::optional(was->second)));
  }
  return any;
}

/// What goes, of the call now and in the quiet period.
struct Gone {
  Between now, quiet;
  bool alone = true;  ///< nothing else is known to have grown
};

void TakeAway(const Gone& gone, const Investigation& investigation, Changed* changed) {
  const auto& segments = changed->likely.scenario.segments;
  const Distribution now = segments.back().conditions.costs[Cost::kBindApi].wall;
  const Distribution quiet =
      changed->likely.has_baseline ? segments.front().conditions.costs[Cost::kBindApi].wall : now;
  const auto set = [](Distribution wall, Fitted* fitted) {
    fitted->now().costs[Cost::kBindApi].wall = std::move(wall);
  };
  const GonePart likely{gone.now.value, gone.quiet.value}, most{gone.now.high, gone.quiet.high};
  const bool evenly = GrewEvenly(now, quiet);
  set(Without(now, quiet, changed->cheapest ? most : likely, evenly), &changed->likely);
  // Where nearly every call is slow none is slow for something else alone.
  set(Without(now, quiet, {gone.now.low, gone.quiet.low}, gone.alone || evenly), &changed->extreme);
  changed->differ = changed->cheaper = true;
  MayCalm(LoopPoints(), investigation, changed);
}

Message Describe(const char* id, const Between& part) {
  return Message(id, {{"share", arg::Share(part.value)},
                      {"low", arg::Share(part.low)},
                      {"high", arg::Share(part.high)}});
}

PathEvidence PathOf(const std::string& change, const Investigation& investigation) {
  auto path = MeasurePath(investigation);
  if (path) return std::move(*path);
  throw Missing(change,
                "no API server's figures of bindings are in this data "
                "(apiserver_request_duration_seconds); `schedlens doctor` says what is missing");
}

/// Of the call in the quiet period, what the webhook had of it then. Without a quiet period it is
/// what it has now; a webhook that was not there had nothing.
Between PartInQuiet(const PathEvidence& path, const std::string& webhook) {
  const BindingPath& quiet = path.before ? *path.before : path.now;
  const auto own = quiet.webhooks.find(webhook);
  return own == quiet.webhooks.end() ? Between::Exactly(0) : PartOf(own->second, quiet.request);
}

/// Storage's growth. Its best guess is all by which the inside of the API server has grown: what
/// has no metric of its own there has no reason to take longer than in the quiet period.
Between StorageGrowth(const PathEvidence& path) {
  Between growth = path.Growth(*path.now.storage, path.before->storage);
  const double inside = path.Growth(path.now.inside, path.before->inside).value;
  growth.value = std::clamp(inside, growth.low, growth.high);
  return growth;
}

}  // namespace

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
  const std::string shown = change.key + "=removed";
  const std::string name = change.key.substr(change.key.find('.') + 1);
  const PathEvidence path = PathOf(shown, investigation);
  const auto& known = path.now.webhooks_everywhere;
  if (!known.contains(name)) {
    std::vector<std::string> names;
    for (const auto& [webhook, seconds] : known) names.push_back(webhook);
    throw Missing(shown, names.empty() ? "no webhook was measured in this window "
                                         "(apiserver_admission_webhook_admission_duration_seconds)"
                                       : fmt::format("no such webhook was measured; did you "
                                                     "mean {}?",
                                                     Nearest(name, names)));
  }
  const auto own = path.now.webhooks.find(name);
  if (own == path.now.webhooks.end()) {
    throw Missing(shown,
                  "webhooks are not measured by resource, and what would tell the bindings' part "
                  "is not in this data (apiserver_request_sli_duration_seconds)");
  }
  const Between part = PartOf(own->second, path.now.request);
  if (part.high < kNone) {
    changed->Say("whatif.webhook.not_on_path", {{"name", name}});
    return;
  }
  TakeAway({part, PartInQuiet(path, name), !OthersGrew(path, name)}, investigation, changed);
  Message text = Describe("whatif.webhook", part);
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
  const Between growth = StorageGrowth(path);
  Between part = PartOf(growth, path.now.request);
  const double whole = path.RequestGrowth().value;
  if (growth.value > kLeads * whole) part.high = 1;
  changed->assumptions.push_back(Describe("whatif.storage", part));
  if (growth.value > kTakesAlong * whole) part.value = 1;
  TakeAway({part, Between::Exactly(0), !OthersGrew(path, "")}, investigation, changed);
}

}  // namespace schedlens
