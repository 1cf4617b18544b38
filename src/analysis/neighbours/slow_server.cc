#include "analysis/neighbours/slow_server.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Fewer requests have no mean to speak of.
constexpr double kLeast = 20;

struct Requests {
  Meter count, seconds;
  explicit Requests(const NeighbourFacts& facts) : count(facts), seconds(facts) {}
};
using Kind = std::pair<std::string, std::string>;  // verb, subresource

std::map<Kind, Requests> RequestsByKind(const NeighbourFacts& facts) {
  std::map<Kind, Requests> kinds;
  const std::string sum = SumOf(Neighbour::kApiserverRequestDuration);
  const std::string count = CountOf(Neighbour::kApiserverRequestDuration);
  for (const std::string_view question : {"bindings", "requests"}) {
    for (const Series& series : facts.Of(question)) {
      const std::string_view name = series.labels.Get("__name__");
      if (name != sum && name != count) continue;
      const Kind kind{series.labels.Get("verb"), series.labels.Get("subresource")};
      Requests& requests = kinds.try_emplace(kind, facts).first->second;
      (name == sum ? requests.seconds : requests.count).Add(series);
    }
  }
  return kinds;
}

/// What servers answered of one kind.
struct Answered {
  double count = 0, seconds = 0, servers = 0;
};

/// Of each server what the others answered that answered any: those before it and those behind it.
std::vector<Answered> OthersOf(const std::vector<Answered>& own) {
  std::vector<Answered> others(own.size());
  const auto take = [](auto one, auto end, auto other) {
    for (Answered sum; one != end; ++one, ++other) {
      *other = {other->count + sum.count, other->seconds + sum.seconds,
                other->servers + sum.servers};
      if (one->count < 1) continue;
      sum = {sum.count + one->count, sum.seconds + one->seconds, sum.servers + 1};
    }
  };
  take(own.begin(), own.end(), others.begin());
  take(own.rbegin(), own.rend(), others.rbegin());
  return others;
}

/// Adds one kind of requests to each server that can be compared by it.
void Compare(const Requests& requests, const TimeRange& window,
             std::map<Labels, ServerAgainstOthers>* servers) {
  const std::vector<Labels> processes = requests.count.processes();
  std::vector<Answered> own;
  for (const Labels& one : processes) {
    own.push_back({requests.count.IncreaseOf(one, window).low,
                   requests.seconds.IncreaseOf(one, window).low, 1});
  }
  const std::vector<Answered> others = OthersOf(own);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (own[i].count < kLeast || others[i].count < kLeast) continue;
    ServerAgainstOthers& server = (*servers)[processes[i]];
    server.instance = processes[i].Get("instance");
    server.others = std::max(server.others, others[i].servers);
    server.requests += own[i].count;
    server.seconds += own[i].seconds;
    server.expected += own[i].count * others[i].seconds / others[i].count;
  }
}

}  // namespace

std::vector<ServerAgainstOthers> CompareServers(const NeighbourFacts& facts,
                                                const TimeRange& window) {
  std::map<Labels, ServerAgainstOthers> servers;
  for (const auto& [kind, requests] : RequestsByKind(facts)) Compare(requests, window, &servers);
  std::vector<ServerAgainstOthers> all;
  for (auto& [process, server] : servers) all.push_back(std::move(server));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.seconds * b.expected > b.seconds * a.expected;
  });
  return all;
}

}  // namespace schedlens
