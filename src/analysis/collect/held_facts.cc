#include "analysis/collect/held_facts.h"

#include <set>
#include <utility>

#include "model/text.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens {

HeldFacts::HeldFacts(Source& source, const Facts& facts, const QuerySet& queries,
                     const std::string& selector)
    : source_(source), facts_(facts) {
  const std::string window = FormatDuration(facts.fetched.end - facts.fetched.start);
  for (const Question& question : queries.questions()) {
    if (!IsOfSchedulers(question)) continue;
    for (const std::string& statement : question.statements) {
      const std::string text = Substitute(statement, selector, window);
      const promql::ExprPtr tree = promql::Parse(text);
      const auto* raw = tree->As<promql::Selector>();
      if (raw != nullptr && raw->range_ms > 0) questions_[text] = raw->matchers;
    }
  }
}

bool HeldFacts::Holds(const Query& query) const {
  return query.instant() && query.end == facts_.fetched.end && questions_.contains(query.promql);
}

Answer HeldFacts::FromFacts(const Query& query) const {
  const std::vector<promql::Matcher>& matchers = questions_.at(query.promql);
  Answer answer;
  answer.kind = ValueKind::kMatrix;
  std::set<Labels> taken;  // two questions may have asked for the same series
  const auto take = [&](const std::vector<Series>& all) {
    for (const Series& series : all) {
      if (!promql::Accept(matchers, series.labels)) continue;
      if (taken.insert(series.labels).second) answer.series.push_back(series);
    }
  };
  for (const auto& [question, series] : facts_.answers) take(series);
  take(facts_.superseded);
  return answer;
}

Answer HeldFacts::Ask(const Query& query) {
  return Holds(query) ? FromFacts(query) : source_.Ask(query);
}

std::vector<Answer> HeldFacts::AskAll(const std::vector<Query>& queries) {
  std::vector<Query> others;
  for (const Query& query : queries) {
    if (!Holds(query)) others.push_back(query);
  }
  std::vector<Answer> asked = others.empty() ? std::vector<Answer>() : source_.AskAll(others);
  std::vector<Answer> answers;
  auto next = asked.begin();
  for (const Query& query : queries) {
    answers.push_back(Holds(query) ? FromFacts(query) : std::move(*next++));
  }
  return answers;
}

}  // namespace schedlens
