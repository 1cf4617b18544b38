#include "analysis/neighbours/neighbour_facts.h"

#include <algorithm>
#include <set>

#include "contract/notes.h"
#include "kube/discovery.h"
#include "model/quote.h"
#include "model/text.h"

namespace schedlens {
namespace {

/// What the names of the questions about pods begin with.
constexpr std::string_view kPods = "neighbour_pod";

std::string_view ShortName(const Question& question) {
  return std::string_view(question.name).substr(kNeighbourPrefix.size());
}

/// When each question is asked for.
struct Ranges {
  TimeRange facts, pods;
};

/// The first wording that a process answers counts, as for the scheduler's own questions.
void Ask(Source& source, const std::vector<const Question*>& questions, const std::string& selector,
         const Ranges& ranges, NeighbourFacts* facts) {
  std::vector<Query> queries;
  std::vector<const Question*> asked;
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
    facts->queries.push_back(
        {asked[i]->name, queries[i].promql, queries[i].end, answers[i].series.size()});
    AddNotes(answers[i], &facts->warnings);
    const std::string_view name = ShortName(*asked[i]);
    std::set<Labels> here;
    for (Series& series : answers[i].series) {
      const Labels process = ProcessLabels(series.labels);
      if (answered[name].contains(process)) continue;
      here.insert(process);
      facts->answers[std::string(name)].push_back(std::move(series));
    }
    answered[name].merge(here);
  }
}

void NoteScrapes(NeighbourFacts* facts) {
  for (const auto& [question, answer] : facts->answers) {
    for (const Series& series : answer) {
      std::vector<TimeMs>& times = facts->scrapes[ProcessLabels(series.labels)];
      for (const Sample& sample : series.samples) times.push_back(sample.t);
    }
  }
  for (auto& [process, times] : facts->scrapes) {
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
  }
}

}  // namespace

const std::vector<Series>& NeighbourFacts::Of(std::string_view question) const {
  static const std::vector<Series> kNone;
  const auto it = answers.find(std::string(question));
  return it == answers.end() ? kNone : it->second;
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
