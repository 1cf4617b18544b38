#include "diagnose/collect/facts.h"

#include <algorithm>
#include <set>

#include "base/source.h"
#include "base/text.h"
#include "diagnose/collect/duplicates.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

/// Asked with the alert, and the samples of `attempt` for whoever evaluates the set by itself.
constexpr std::string_view kAskedElsewhere[] = {"alert", "e2e"};

/// Instant questions about the state at the end, not raw samples.
constexpr std::string_view kInstantQuestions[] = {"release"};

/// The questions with the longest answers. They are asked first: what begins last ends last.
constexpr std::string_view kLongest[] = {"extension_point", "plugin_execution", "rest_request",
                                         "pod_scheduling"};

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What finds the targets seen so far.
std::string SelectorOf(const std::vector<Target>& targets) {
  std::vector<Labels> schedulers;
  for (const Target& target : targets) schedulers.push_back(target.id);
  return kube::JobMatcher(schedulers);
}

/// One wording of one question, and what it was answered.
struct Asked {
  std::string question;
  Query query;
  Answer answer;
};

std::vector<Asked> AskQuestions(Source& source, const std::vector<const Question*>& questions,
                                const std::string& selector, const TimeRange& range) {
  std::vector<Asked> asked;
  const std::string window = FormatDuration(range.end - range.start);
  for (const Question* question : questions) {
    for (const std::string& statement : question->statements) {
      const std::string query = Substitute(statement, selector, window);
      asked.push_back({question->name, {query, range.end, range.end, 0}, {}});
    }
  }
  std::vector<Asked*> order;
  for (Asked& one : asked) order.push_back(&one);
  std::stable_partition(order.begin(), order.end(),
                        [](const Asked* one) { return IsOneOf(one->question, kLongest); });
  std::vector<Query> queries;
  for (const Asked* one : order) queries.push_back(one->query);
  std::vector<Answer> answers = source.AskAll(queries);
  for (std::size_t i = 0; i < order.size(); ++i) order[i]->answer = std::move(answers[i]);
  return asked;
}

/// Until the targets are known, those of the scheduler's own metrics are told by their process.
Labels TargetOrProcess(const Facts& facts, const TargetIndex& index, const Labels& labels) {
  if (facts.targets.empty()) return ProcessOf(labels);
  const auto target = index.Find(labels);
  return target ? facts.targets[*target].id : NameLabels(labels);
}

void Keep(std::vector<Asked> asked, Facts* facts) {
  const TargetIndex index(facts->targets);
  std::map<std::string, std::set<Labels>> answered;  // question -> targets with an earlier wording
  for (std::size_t i = 0; i < asked.size();) {
    const std::string question = asked[i].question;
    std::set<Labels>& done = answered[question];
    for (; i < asked.size() && asked[i].question == question; ++i) {
      Answer& answer = asked[i].answer;
      facts->queries.push_back(
          {question, asked[i].query.promql, asked[i].query.end, answer.series.size()});
      AddNotes(answer, &facts->warnings);
      std::set<Labels> here;
      for (Series& series : answer.series) {
        const Labels id = TargetOrProcess(*facts, index, series.labels);
        if (done.contains(id)) {
          facts->superseded.push_back(std::move(series));
          continue;
        }
        here.insert(id);
        facts->answers[question].push_back(std::move(series));
      }
      done.insert(here.begin(), here.end());
    }
  }
}

/// The series whose metrics only a kube-scheduler exposes.
std::vector<const Series*> OwnSeries(const Facts& facts) {
  std::vector<const Series*> own;
  for (const std::string_view question : kOwnQuestions) {
    for (const Series& series : facts.Of(question)) own.push_back(&series);
  }
  return own;
}

}  // namespace

const std::vector<Series>& Facts::Of(std::string_view question) const {
  static const std::vector<Series> kNone;
  const auto it = answers.find(std::string(question));
  return it == answers.end() ? kNone : it->second;
}

Facts Collect(Source& source, const QuerySet& queries, const std::string& selector,
              const TimeRange& range) {
  Facts facts;
  facts.fetched = range;
  facts.selector = facts.given_selector = selector;
  std::vector<const Question*> own, rest;
  for (const Question& question : queries.questions()) {
    if (IsOneOf(question.name, kAskedElsewhere) || !IsOfSchedulers(question)) continue;
    (IsOneOf(question.name, kOwnQuestions) ? own : rest).push_back(&question);
  }
  Keep(AskQuestions(source, own, selector, range), &facts);
  facts.targets = TargetsOf(OwnSeries(facts));
  if (selector.empty()) facts.selector = SelectorOf(facts.targets);
  if (facts.Has("attempt") || facts.Has("algorithm")) {
    Keep(AskQuestions(source, rest, facts.selector, range), &facts);
  }
  for (const auto& [question, answer] : facts.answers) {
    if (IsOneOf(question, kInstantQuestions)) continue;
    AddToTargets(answer, &facts.targets);
  }
  DropDuplicates(&facts);
  return facts;
}

TimeRange ScrapedRange(const Facts& facts) {
  TimeRange range{facts.fetched.end, facts.fetched.start};
  for (const Target& target : facts.targets) {
    range.start = std::min(range.start, target.scrapes.front());
    range.end = std::max(range.end, target.scrapes.back());
  }
  return range;
}

}  // namespace schedlens
