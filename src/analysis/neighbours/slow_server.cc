#include "analysis/neighbours/slow_server.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "kube/neighbour_metrics.h"

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

/// Adds one kind of requests to each server that can be compared by it.
void Compare(const Requests& requests, const TimeRange& window,
             std::map<Labels, ServerAgainstOthers>* servers) {
  const std::vector<Labels> processes = requests.count.processes();
  for (const Labels& one : processes) {
    const double own = requests.count.IncreaseOf(one, window).low;
    double count = 0, seconds = 0, others = 0;
    for (const Labels& other : processes) {
      const double n = requests.count.IncreaseOf(other, window).low;
      if (other == one || n < 1) continue;
      count += n;
      seconds += requests.seconds.IncreaseOf(other, window).low;
      others += 1;
    }
    if (own < kLeast || count < kLeast) continue;
    ServerAgainstOthers& server = (*servers)[one];
    server.instance = one.Get("instance");
    server.others = std::max(server.others, others);
    server.requests += own;
    server.seconds += requests.seconds.IncreaseOf(one, window).low;
    server.expected += own * seconds / count;
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
