#include "diagnose/collect/held_facts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens {

HeldSeries::HeldSeries(const Facts& facts) {
  std::set<Labels> taken;  // two questions may have asked for the same series
  const auto take = [&](const std::vector<Series>& answer) {
    for (const Series& series : answer) {
      if (!taken.insert(series.labels).second) continue;
      for (const auto& [name, value] : ProcessOf(series.labels)) {
        by_label_[std::string(name)][std::string(value)].push_back(
            static_cast<std::uint32_t>(all_.size()));
      }
      all_.push_back(&series);
    }
  };
  for (const auto& [question, answer] : facts.answers) take(answer);
  take(facts.superseded);
}

std::vector<const Series*> HeldSeries::Select(std::span<const promql::Matcher> matchers) const {
  static const Ids kNone;
  std::vector<promql::CompiledMatcher> compiled;
  const Ids* fewest = nullptr;
  for (const promql::Matcher& matcher : matchers) {
    compiled.emplace_back(matcher);
    const auto label = by_label_.find(matcher.name);
    if (label == by_label_.end() || matcher.op != promql::MatchOp::kEqual) continue;
    if (matcher.value.empty()) continue;
    const auto at = label->second.find(matcher.value);
    const Ids& ids = at == label->second.end() ? kNone : at->second;
    if (fewest == nullptr || ids.size() < fewest->size()) fewest = &ids;
  }
  std::vector<const Series*> selected;
  const auto add = [&](const Series* series) {
    const bool accepted = std::all_of(
        compiled.begin(), compiled.end(),
        [&](promql::CompiledMatcher& matcher) { return matcher.Accepts(series->labels); });
    if (accepted) selected.push_back(series);
  };
  if (fewest == nullptr) {
    std::for_each(all_.begin(), all_.end(), add);
  } else {
    for (const std::uint32_t id : *fewest) add(all_[id]);
  }
  return selected;
}

HeldFacts::HeldFacts(Source& source, const Facts& facts, const HeldSeries& series,
                     const QuerySet& queries, const std::string& selector)
    : source_(source), facts_(facts), series_(series) {
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
  Answer answer;
  answer.kind = ValueKind::kMatrix;
  for (const Series* series : series_.Select(questions_.at(query.promql))) {
    answer.series.push_back(*series);
  }
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
