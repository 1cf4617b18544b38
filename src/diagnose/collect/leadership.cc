#include "diagnose/collect/leadership.h"

#include <algorithm>
#include <map>

namespace schedlens {
namespace {

/// The period in which a process finished attempts.
struct Shift {
  std::size_t target = 0;
  TimeMs first = 0;
  TimeMs last = 0;
};

/// Processes that finished attempts, in the order in which they began to.
std::vector<Shift> ShiftsOf(const std::vector<ScrapeIncreases>& attempt) {
  std::map<std::size_t, Shift> shifts;
  for (const ScrapeIncreases& child : attempt) {
    for (std::size_t i = 0; i < child.cells(); ++i) {
      if (!(child.Count(i) > 0)) continue;
      const auto [at, fresh] =
          shifts.try_emplace(child.target, Shift{child.target, child.edges[i], child.edges[i + 1]});
      at->second.first = std::min(at->second.first, child.edges[i]);
      at->second.last = std::max(at->second.last, child.edges[i + 1]);
    }
  }
  std::vector<Shift> ordered;
  for (const auto& [target, shift] : shifts) ordered.push_back(shift);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Shift& a, const Shift& b) { return a.first < b.first; });
  return ordered;
}

/// When one replica's attempts end where another's begin, they overlap by two scrapes at most.
bool Follows(const Shift& before, const Shift& after, const Facts& facts) {
  TimeMs widest = 0;
  for (const std::size_t target : {before.target, after.target}) {
    const std::vector<TimeMs>& scrapes = facts.targets[target].scrapes;
    for (std::size_t i = 1; i < scrapes.size(); ++i) {
      widest = std::max(widest, scrapes[i] - scrapes[i - 1]);
    }
  }
  return after.first + 2 * widest >= before.last;
}

void AddElections(const Facts& facts, const TimeRange& window, std::vector<Message>* notes) {
  for (const Series& series : facts.Of("leader")) {
    for (std::size_t i = 1; i < series.samples.size(); ++i) {
      const Sample& sample = series.samples[i];
      const bool inside = sample.t > window.start && sample.t <= window.end;
      if (!inside || (sample.v > 0) == (series.samples[i - 1].v > 0)) continue;
      notes->push_back(
          Message(sample.v > 0 ? "leader.became" : "leader.stopped",
                  {{"target", NameLabels(series.labels).ToString()}, {"at", arg::Time(sample.t)}}));
    }
  }
}

}  // namespace

std::vector<Message> LeadershipNotes(const Facts& facts,
                                     const std::vector<ScrapeIncreases>& attempt,
                                     const TimeRange& window) {
  std::vector<Message> notes;
  const std::vector<Shift> shifts = ShiftsOf(attempt);
  for (std::size_t i = 1; i < shifts.size(); ++i) {
    const Shift& before = shifts[i - 1];
    const Shift& after = shifts[i];
    if (Follows(before, after, facts)) {
      notes.push_back(
          Message("leader.changed", {{"before", facts.targets[before.target].id.ToString()},
                                     {"until", arg::Time(before.last)},
                                     {"after", facts.targets[after.target].id.ToString()},
                                     {"from", arg::Time(after.first)}}));
    } else {
      notes.push_back(
          Message("leader.two", {{"one", facts.targets[before.target].id.ToString()},
                                 {"other", facts.targets[after.target].id.ToString()}}));
    }
  }
  AddElections(facts, window, &notes);
  return notes;
}

}  // namespace schedlens
