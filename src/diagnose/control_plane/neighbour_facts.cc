#include "diagnose/control_plane/neighbour_facts.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/source.h"
#include "base/text.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

/// What the names of the questions about pods begin with. Their answers are the longest: they are
/// asked first, since what begins last ends last.
constexpr std::string_view kPods = "neighbour_pod";
/// A question about the state at the end, whose samples tell no scrape.
constexpr std::string_view kOwners = "pod_owners";

std::string_view ShortName(const Question& question) {
  return std::string_view(question.name).substr(kNeighbourPrefix.size());
}

/// When each question is asked for.
struct Ranges {
  TimeRange facts, pods;
};

/// The first wording that a process answers counts, as for the scheduler's own questions.
void Ask(Source& source, std::vector<const Question*> questions, const std::string& selector,
         const Ranges& ranges, NeighbourFacts* facts) {
  std::vector<Query> queries;
  std::vector<const Question*> asked;
  std::stable_partition(questions.begin(), questions.end(),
                        [](const Question* question) { return question->name.starts_with(kPods); });
  for (const Question* question : questions) {
    const TimeRange& range = question->name.starts_with(kPods) ? ranges.pods : ranges.facts;
    const std::string window = FormatDuration(range.end - range.start);
    for (const std::string& statement : question->statements) {
      queries.push_back({Substitute(statement, selector, window), range.end, range.end, 0});
      asked.push_back(question);
    }
  }
  std::vector<Answer> answers = source.AskAll(queries);
  std::map<std::string_view, std::set<Labels>> answered;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Answer answer = std::move(answers[i]);  // gone when its series are kept
    facts->queries.push_back(
        {asked[i]->name, queries[i].promql, queries[i].end, answer.series.size()});
    AddNotes(answer, &facts->warnings);
    const std::string_view name = ShortName(*asked[i]);
    std::set<Labels> here;
    std::vector<Series>& kept = facts->answers[std::string(name)];
    kept.reserve(kept.size() + answer.series.size());
    for (Series& series : answer.series) {
      // One process has most series of an answer, one after the other.
      if (kept.empty() || here.empty() || !OfOneProcess(series.labels, kept.back().labels)) {
        const Labels process = ProcessLabels(series.labels);
        if (answered[name].contains(process)) continue;
        here.insert(process);
      }
      kept.push_back(std::move(series));
    }
    answered[name].merge(here);
  }
}

/// Ascending, each once. Many series have few times.
void NoteTimes(const Series& series, std::vector<TimeMs>* times) {
  for (const Sample& sample : series.samples) {
    const auto at = std::lower_bound(times->begin(), times->end(), sample.t);
    if (at == times->end() || *at != sample.t) times->insert(at, sample.t);
  }
}

void NoteScrapes(NeighbourFacts* facts) {
  for (const auto& [question, answer] : facts->answers) {
    if (question == kOwners) continue;
    const Series* last = nullptr;
    std::vector<TimeMs>* times = nullptr;
    for (const Series& series : answer) {
      if (last == nullptr || !OfOneProcess(series.labels, last->labels)) {
        times = &facts->scrapes[ProcessLabels(series.labels)];
      }
      NoteTimes(series, times);
      last = &series;
    }
  }
}

}  // namespace

const std::vector<Series>& NeighbourFacts::Of(std::string_view question) const {
  static const std::vector<Series> kNone;
  const auto it = answers.find(std::string(question));
  return it == answers.end() ? kNone : it->second;
}

bool OfOneProcess(const Labels& a, const Labels& b) {
  constexpr std::string_view kNames[] = {"instance", "job", "cluster"};
  return std::all_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return a.Get(name) == b.Get(name); });
}

Labels ProcessLabels(const Labels& labels) { return labels.Only({"cluster", "job", "instance"}); }

std::string ClusterSelector(const Facts& facts) {
  std::set<std::string> clusters;
  for (const Target& target : facts.targets) clusters.emplace(target.id.Get("cluster"));
  if (clusters.size() != 1 || clusters.begin()->empty()) return "";
  return "cluster=" + QuotePromql(*clusters.begin());
}

NeighbourFacts CollectNeighbours(Source& source, const QuerySet& queries, const Facts& facts,
                                 const TimeRange& pods) {
  NeighbourFacts found;
  if (facts.targets.empty()) return found;
  std::vector<const Question*> first, second;
  for (const Question& question : queries.questions()) {
    if (!IsOfNeighbours(question)) continue;
    (question.name == kNeighbourProcesses ? second : first).push_back(&question);
  }
  found.cluster = ClusterSelector(facts);
  Ask(source, first, found.cluster, {facts.fetched, pods}, &found);
  std::vector<Labels> apiservers;
  for (const Series& series : found.Of("bindings")) {
    apiservers.push_back(ProcessLabels(series.labels));
  }
  const std::string jobs = kube::JobMatcher(apiservers);
  if (!jobs.empty()) {
    found.apiservers = found.cluster.empty() ? jobs : found.cluster + "," + jobs;
    Ask(source, second, found.apiservers, {facts.fetched, pods}, &found);
  }
  NoteScrapes(&found);
  return found;
}

}  // namespace schedlens
