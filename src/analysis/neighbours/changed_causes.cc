#include "analysis/neighbours/changed_causes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "analysis/neighbours/pods.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// The configurations that a webhook is written in.
std::set<std::string> ConfigurationsOf(const NeighbourFacts& facts, const std::string& webhook) {
  std::set<std::string> names;
  for (const Series& series : facts.Of("objects")) {
    const Labels& labels = series.labels;
    const std::string_view metric = labels.Get(kMetricName);
    const bool validating =
        metric == NameOf(Neighbour::kKubeValidatingwebhookconfigurationWebhookClientconfigService);
    const bool mutating =
        metric == NameOf(Neighbour::kKubeMutatingwebhookconfigurationWebhookClientconfigService);
    if ((!validating && !mutating) || labels.Get("webhook_name") != webhook) continue;
    names.emplace(ObjectLabel(
        labels, validating ? "validatingwebhookconfiguration" : "mutatingwebhookconfiguration"));
  }
  return names;
}

/// An object as changes call it: with its kind in front, if it has one.
bool Is(const std::string& changed, const std::string& name) {
  return !name.empty() && (changed == name || changed.ends_with(" " + name));
}

bool IsAbout(const ClusterChange& change, const CauseBehind& cause, const NeighbourFacts& facts) {
  if (cause.id == "etcd.leader") return change.what.id == "change.etcd.leader";
  if (Is(change.object, cause.object)) return true;
  if (cause.id != "apiserver.webhook") return false;
  const std::set<std::string> names = ConfigurationsOf(facts, cause.object);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return Is(change.object, name); });
}

Evidence Told(const ClusterChange& change) {
  const double s = change.distance_seconds;
  // Known to be before only where even the latest is; else the span that it lies in.
  const double latest = s + static_cast<double>(change.latest - change.at) / 1000;
  const double earliest = s + static_cast<double>(change.earliest - change.at) / 1000;
  const bool before = latest <= 0;
  const double distance = before ? -s : std::max(std::abs(earliest), latest);
  return {Message(before ? "evidence.behind.changed.before" : "evidence.behind.changed.after",
                  {{"what", change.what}, {"distance", arg::Duration(distance)}}),
          ""};
}

}  // namespace

void SayWhatChanged(const std::vector<ClusterChange>& changes, const NeighbourFacts& facts,
                    std::vector<Finding>* findings) {
  for (Finding& finding : *findings) {
    for (CauseBehind& cause : finding.behind) {
      const auto change =
          std::find_if(changes.begin(), changes.end(), [&](const ClusterChange& one) {
            const bool timed = !one.after_onset && !one.what.id.starts_with("change.load");
            return timed && IsAbout(one, cause, facts);
          });
      if (change != changes.end()) cause.evidence.push_back(Told(*change));
    }
  }
}

}  // namespace schedlens
