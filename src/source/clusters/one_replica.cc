#include "source/clusters/one_replica.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

/// Labels that tell processes apart.
constexpr std::string_view kOfProcesses[] = {"cluster", "namespace", "job", "pod", "instance"};

bool TellsProcessesApart(std::string_view name) {
  return std::find(std::begin(kOfProcesses), std::end(kOfProcesses), name) !=
         std::end(kOfProcesses);
}

std::optional<OneReplica> ByLabel(const std::vector<Series>& starts, const std::string& label) {
  std::map<Labels, std::map<std::string, double>> processes;
  std::map<std::string, std::size_t> seen;
  for (const Series& series : starts) {
    if (series.samples.empty() || !series.labels.Has(label)) return std::nullopt;
    const std::string value(series.labels.Get(label));
    processes[series.labels.Without(label)][value] = series.samples.back().v;
    ++seen[value];
  }
  OneReplica found{label, "", 0};
  for (const auto& [process, replicas] : processes) {
    if (replicas.size() < 2) continue;
    ++found.processes;
    const double start = replicas.begin()->second;
    const bool same = std::all_of(replicas.begin(), replicas.end(),
                                  [&](const auto& replica) { return replica.second == start; });
    if (!same) return std::nullopt;
  }
  const auto whole = std::find_if(seen.begin(), seen.end(), [&](const auto& replica) {
    return replica.second == processes.size();
  });
  if (found.processes == 0 || whole == seen.end()) return std::nullopt;
  found.value = whole->first;
  return found;
}

}  // namespace

std::optional<OneReplica> FindOneReplica(Source& source, const std::string& selector,
                                         const TimeRange& range) {
  const Query query{
      fmt::format("last_over_time({}{{{}}}[{}])", NameOf(kube::Metric::kProcessStart), selector,
                  FormatDuration(std::max<TimeMs>(range.end - range.start, 1))),
      range.end, range.end, 0};
  const std::vector<Series> starts = source.Ask(query).series;
  std::set<std::string> names;
  for (const Series& series : starts) {
    for (const auto& [name, value] : series.labels) {
      if (!TellsProcessesApart(name)) names.insert(std::string(name));
    }
  }
  for (const std::string& name : names) {
    if (auto found = ByLabel(starts, name)) return found;
  }
  return std::nullopt;
}

}  // namespace schedlens
