#include "cli/commands/capture_neighbours.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "analysis/alert/target.h"
#include "analysis/glossary/step_questions.h"
#include "contract/query.h"
#include "promql/matcher.h"
#include "promql/parser.h"
#include "promql/rewrite.h"
#include "source/capture/recording.h"

namespace schedlens {
namespace {

using promql::Matcher;
using Matchers = std::vector<Matcher>;

/// The cluster that a selector asks for, as a matcher; empty where it asks for none.
std::string ClusterOf(const std::string& selector) {
  Matchers matchers = promql::ParseMatchers(selector).value_or(Matchers());
  std::erase_if(matchers, [](const Matcher& one) { return one.name != "cluster"; });
  return MatchersText(matchers);
}

/// What every selector of the question asks for, in all its wordings.
std::vector<Matchers> SelectorsOf(const Question& question, const std::string& within) {
  std::vector<Matchers> all;
  for (const std::string& statement : question.statements) {
    promql::Rewrite(promql::Parse(Substitute(statement, within, "1m")), [&](promql::Expr& node) {
      const auto* selector = std::get_if<promql::Selector>(&node.node);
      if (selector != nullptr) all.push_back(selector->matchers);
    });
  }
  return all;
}

/// Whether all that `narrow` chooses is chosen by `wide`, as far as their texts tell.
bool Covers(const Matchers& wide, const Matchers& narrow) {
  return std::all_of(wide.begin(), wide.end(), [&](const Matcher& asked) {
    return std::any_of(narrow.begin(), narrow.end(), [&](const Matcher& given) {
      if (given == asked) return true;
      return given.op == promql::MatchOp::kEqual && given.name == asked.name &&
             promql::Accept(std::span(&asked, 1), Labels({{given.name, given.value}}));
    });
  });
}

/// One selector for those that differ in the metric's name alone.
std::vector<Matchers> Together(const std::vector<Matchers>& selectors) {
  std::vector<Matchers> groups;
  for (Matchers one : selectors) {
    const auto name = std::find_if(one.begin(), one.end(),
                                   [](const Matcher& each) { return each.name == kMetricName; });
    std::rotate(one.begin(), name, name + 1);
    one.front().op = promql::MatchOp::kRegex;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Matchers& group) {
      return std::equal(group.begin() + 1, group.end(), one.begin() + 1, one.end());
    });
    if (same == groups.end()) {
      groups.push_back(std::move(one));
    } else {
      same->front().value += "|" + one.front().value;
    }
  }
  return groups;
}

}  // namespace

std::vector<std::string> NeighbourSelectors(Source& source, const std::string& selector,
                                            const TimeRange& range) {
  const std::string cluster = ClusterOf(selector);
  const std::string jobs = FindApiServers(source, cluster, range);
  const std::string apiservers = jobs.empty() || cluster.empty() ? jobs : cluster + "," + jobs;
  const QuerySet queries = QuerySet::Embedded();
  std::vector<Matchers> all;
  for (const Question& question : queries.questions()) {
    if (!IsOfNeighbours(question)) continue;
    const bool of_processes = question.name == kNeighbourProcesses;
    if (of_processes && jobs.empty()) continue;
    const auto some = SelectorsOf(question, of_processes ? apiservers : cluster);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::vector<Matchers> more;
  for (const StepQuestion& step : StepQuestions()) {
    if (step.of == AskedOf::kSchedulers) continue;
    const std::string within = StepSelector(step.of, cluster, apiservers);
    for (Matchers& one : SelectorsOf(queries.Get(step.name), within)) {
      const auto covers = [&](const Matchers& wide) { return Covers(wide, one); };
      if (std::any_of(all.begin(), all.end(), covers)) continue;
      if (std::none_of(more.begin(), more.end(), covers)) more.push_back(std::move(one));
    }
  }
  const std::vector<Matchers> joined = Together(more);
  all.insert(all.end(), joined.begin(), joined.end());
  std::vector<std::string> texts;
  std::transform(all.begin(), all.end(), std::back_inserter(texts), MatchersText);
  return texts;
}

}  // namespace schedlens
