#include "analysis/neighbours/seen.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Processes that answered one of the questions and were scraped in the window.
std::set<Labels> ProcessesOf(const NeighbourFacts& facts, const TimeRange& window,
                             std::initializer_list<std::string_view> questions) {
  std::set<Labels> processes;
  for (const std::string_view question : questions) {
    const Series* before = nullptr;
    for (const Series& series : facts.Of(question)) {
      if (before != nullptr && OfOneProcess(series.labels, before->labels)) continue;
      before = &series;
      const Labels process = ProcessLabels(series.labels);
      const std::vector<TimeMs>& scrapes = facts.scrapes.at(process);
      const auto first = std::lower_bound(scrapes.begin(), scrapes.end(), window.start);
      if (first != scrapes.end() && *first <= window.end) processes.insert(process);
    }
  }
  return processes;
}

bool Exposes(const NeighbourFacts& facts, std::string_view question, const std::string& name) {
  const std::vector<Series>& all = facts.Of(question);
  return std::any_of(all.begin(), all.end(),
                     [&](const Series& series) { return series.labels.Get("__name__") == name; });
}

Message Missing(std::string_view metric, Message adds) {
  return Message("neighbours.missing.metric",
                 {{"metric", arg::Metric(metric)}, {"adds", Value(std::move(adds))}});
}

void ListMissing(const NeighbourFacts& facts, std::vector<Message>* out) {
  if (!Exposes(facts, "bindings", SumOf(Neighbour::kApiserverRequestSliDuration)) &&
      !Exposes(facts, "bindings", SumOf(Neighbour::kApiserverRequestSloDuration))) {
    out->push_back(Missing(NameOf(Neighbour::kApiserverRequestSliDuration),
                           Message("neighbours.adds.outside")));
  }
  const struct {
    std::string_view question;
    Neighbour metric;
    Message adds;
  } wanted[] = {
      {"etcd_requests", Neighbour::kEtcdRequestDuration, Message("neighbours.adds.storage")},
      {"admission", Neighbour::kApiserverAdmissionStepAdmissionDuration,
       Message("neighbours.adds.admission")},
      {"flowcontrol", Neighbour::kApiserverFlowcontrolRequestWaitDuration,
       Message("neighbours.adds.flowcontrol")},
      {"processes", Neighbour::kGoSchedLatencies, Message("neighbours.adds.cpu")},
  };
  for (const auto& row : wanted) {
    if (!Exposes(facts, row.question, SumOf(row.metric))) {
      out->push_back(Missing(NameOf(row.metric), row.adds));
    }
  }
  if (!Exposes(facts, "processes", SumOf(kube::Metric::kRestRequest))) {
    out->push_back(
        Missing(NameOf(kube::Metric::kRestRequest), Message("neighbours.adds.own_calls")));
  }
}

/// No fewer than were seen; how many more nobody knows.
Measured AtLeast(double seen) {
  return {seen, seen, std::nullopt, "count", BasisKind::kNeighbours};
}

std::optional<Measured> Covered(const Between& part, double whole) {
  if (!(whole > 0)) return std::nullopt;
  const auto share = [&](double x) { return std::min(1.0, x / whole); };
  return Bounded(share(part.low), share(part.value), share(part.high), "1", BasisKind::kNeighbours);
}

/// As many servers more as make up for the bindings that are missing, if they answered alike.
void CountServers(const BindingPath& path, NeighbourSeen* out) {
  out->covered = path.others_bind ? std::nullopt : Covered(path.bindings, path.calls);
  for (const auto& [instance, server] : path.servers) {
    if (server.bindings.value < 1) continue;
    out->servers.push_back(
        {instance, MeasuredOf(server.bindings, 1, "count"), MeasuredOf(server.seconds, 1, "s")});
  }
  std::stable_sort(out->servers.begin(), out->servers.end(), [](const auto& a, const auto& b) {
    return a.bindings.value > b.bindings.value;
  });
  if (!path.some_missing) return;
  out->instances.low = out->seen + 1;
  out->instances.value.reset();
  if (path.bindings.value < 1) {
    out->missing.emplace_back("neighbours.missing.bindings");
    return;
  }
  const double answering = static_cast<double>(out->servers.size());
  const double all = std::round(answering * path.calls / path.bindings.value);
  out->instances.value = std::max(out->seen + 1, all);
  out->missing.push_back(
      Message("neighbours.missing.instances", {{"seen", arg::Count(out->seen)},
                                               {"all", arg::Count(*out->instances.value)},
                                               {"covered", arg::Share(*out->covered->value)}}));
}

NeighbourSeen ApiServers(const NeighbourFacts& facts, const TimeBreakdown& breakdown,
                         const std::optional<BindingPath>& path) {
  NeighbourSeen out;
  out.seen = static_cast<double>(
      ProcessesOf(facts, breakdown.window,
                  {"bindings", "requests", "etcd_requests", "admission", "flowcontrol"})
          .size());
  out.instances = AtLeast(out.seen);
  if (out.seen < 1) {
    out.missing.emplace_back("neighbours.missing.apiserver");
    return out;
  }
  if (path) {
    out.bindings = MeasuredOf(path->bindings, 1, "count");
    CountServers(*path, &out);
  } else if (breakdown.bind_ok.count >= 1) {
    out.missing.emplace_back("neighbours.missing.bindings");
  }
  ListMissing(facts, &out.missing);
  return out;
}

NeighbourSeen Etcd(const NeighbourFacts& facts, const TimeRange& window) {
  NeighbourSeen out;
  out.seen = static_cast<double>(ProcessesOf(facts, window, {"etcd"}).size());
  out.instances = AtLeast(out.seen);
  if (out.seen < 1) out.missing.emplace_back("neighbours.missing.etcd");
  return out;
}

NeighbourSeen StateMetrics(const NeighbourFacts& facts, const TimeRange& window,
                           const std::optional<Impact>& impact) {
  NeighbourSeen out;
  out.seen = static_cast<double>(ProcessesOf(facts, window, {"pods", "objects"}).size());
  out.instances = AtLeast(out.seen);
  if (out.seen < 1) {
    out.missing.emplace_back("neighbours.missing.kube_state_metrics");
    return out;
  }
  if (!facts.Has("pods")) out.missing.emplace_back("neighbours.missing.pods");
  if (impact && impact->coverage.kube_state_metrics) {
    out.covered =
        Covered(Between::Exactly(impact->coverage.pods_seen), impact->coverage.pods_scheduled);
  }
  return out;
}

}  // namespace

NeighboursSeen LookAround(const NeighbourFacts& facts, const TimeBreakdown& breakdown,
                          const std::optional<BindingPath>& path,
                          const std::optional<Impact>& impact) {
  return {ApiServers(facts, breakdown, path), Etcd(facts, breakdown.window),
          StateMetrics(facts, breakdown.window, impact)};
}

std::vector<Message> WhoElseBinds(const BindingPath& path, const TimeBreakdown& breakdown) {
  if (!path.others_bind) return {};
  const double extender = breakdown.extender_binds;
  const std::vector<Argument> args = {{"bindings", arg::Count(path.bindings.value)},
                                      {"binds", arg::Count(path.calls)},
                                      {"extender", arg::Count(extender)}};
  constexpr double kSame = 1.02;
  const bool explained = extender >= 1 && path.bindings.low <= kSame * (path.calls + extender);
  if (explained) return {Message("neighbours.extender_binds", args)};
  return {Message("neighbours.others_bind", {args[0], args[1]})};
}

}  // namespace schedlens
