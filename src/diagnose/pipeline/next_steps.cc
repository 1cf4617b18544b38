#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "diagnose/explain/glossary.h"
#include "diagnose/pipeline/diagnose.h"
#include "promql/ast.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// What a diagnosis may ask beyond what it needs, and how much of it together.
constexpr std::size_t kMostRequests = 40;
constexpr std::size_t kTogether = 4;

/// A step that is a query, and its wordings with everything filled in.
struct Step {
  NextStep* step;
  const StepQuestion* question;
  std::vector<std::string> wordings;
};

/// The same query at one moment, whenever it is asked. Servers before 2.33 do not know `@`.
std::string AtTime(const std::string& query, TimeMs time, const Semantics& server) {
  const bool knows = server.IsVictoriaMetrics() || server.AtLeast(2, 33);
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(query), [&](promql::Expr& node) {
    auto* selector = std::get_if<promql::Selector>(&node.node);
    if (selector == nullptr || !knows) return;
    selector->shift.at = promql::TimeShift::At::kTime;
    selector->shift.at_time = time;
  });
  return promql::ToString(*tree);
}

std::string SelectorFor(const Investigation& gathered, AskedOf of) {
  if (of == AskedOf::kSchedulers) return gathered.facts.selector;
  const NeighbourFacts& neighbours = gathered.neighbours;
  return StepSelector(of, neighbours.cluster, neighbours.apiservers);
}

/// The steps that are queries, filled in; they point into the diagnosis.
std::vector<Step> Fill(const QuerySet& queries, const Investigation& gathered, Diagnosis* d) {
  std::vector<Step> filled;
  const TimeRange& window = d->window;
  const std::string length = FormatDuration(std::max<TimeMs>(1, window.end - window.start));
  // Of one finding, or of one cause behind it.
  const auto add = [&](std::vector<NextStep>* steps, const std::string& object) {
    for (NextStep& step : *steps) {
      const StepQuestion* question = QuestionOf(step.text);
      if (question == nullptr) continue;
      std::string selector = SelectorFor(gathered, question->of);
      if (!question->object_label.empty() && !object.empty()) {
        selector += (selector.empty() ? "" : ",") + std::string(question->object_label) + "=" +
                    QuotePromql(object);
      }
      filled.push_back({&step, question, {}});
      for (const std::string& statement : queries.Get(question->name).statements) {
        filled.back().wordings.push_back(
            AtTime(Substitute(statement, selector, length), window.end, d->source.semantics));
      }
      step.query = filled.back().wordings.front();
      step.text = WithQuery(std::move(step.text), step.query);
    }
  };
  for (Finding& finding : d->findings) {
    add(&finding.next_steps, "");
    for (CauseBehind& one : finding.behind) add(&one.next_steps, one.object);
  }
  return filled;
}

/// What came back for one query: an answer, or why there is none.
struct Reply {
  std::optional<Answer> answer;
  Message why;
};

/// Asks queries within a budget of requests; a failure is a reply.
class Asking {
 public:
  Asking(Source& source, TimeMs at) : source_(source), at_(at) {}

  std::map<std::string, Reply> Ask(const std::vector<std::string>& all) {
    for (std::size_t at = 0; at < all.size(); at += kTogether) {
      const std::size_t end = std::min(at + kTogether, all.size());
      AskTogether({all.begin() + static_cast<long>(at), all.begin() + static_cast<long>(end)});
    }
    return std::move(replies_);
  }

 private:
  Query QueryFor(const std::string& text) const { return {text, at_, at_, 0}; }

  void AskTogether(const std::vector<std::string>& some) {
    if (requests_ + some.size() <= kMostRequests) {
      std::vector<Query> queries;
      for (const std::string& text : some) queries.push_back(QueryFor(text));
      requests_ += some.size();
      try {
        source_.AskEach(queries, [&](std::size_t i, Answer answer) {
          replies_[some[i]].answer = std::move(answer);
        });
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kInterrupted) throw;
      }
    }
    // One failure ends all that are asked together: the others are worth a question of their own.
    for (const std::string& text : some) {
      if (!replies_[text].answer) AskAlone(text);
    }
  }

  void AskAlone(const std::string& text) {
    if (requests_ >= kMostRequests) {
      replies_[text].why = Message("answered.over_budget", {{"count", arg::Count(kMostRequests)}});
      return;
    }
    ++requests_;
    try {
      replies_[text].answer = source_.Ask(QueryFor(text));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kInterrupted) throw;
      replies_[text].why = Message("answered.failed", {{"error", error.what()}});
    }
  }

  Source& source_;
  const TimeMs at_;
  std::size_t requests_ = 0;
  std::map<std::string, Reply> replies_;
};

/// The first wording that has data, else the first.
void Settle(const Step& step, const std::map<std::string, Reply>& replies) {
  std::string chosen = step.wordings.front();
  for (const std::string& wording : step.wordings) {
    const Reply& reply = replies.at(wording);
    if (!reply.answer || reply.answer->series.empty()) continue;
    chosen = wording;
    break;
  }
  const Reply& reply = replies.at(chosen);
  step.step->query = chosen;
  step.step->text = WithQuery(std::move(step.step->text), chosen);
  step.step->answered =
      reply.answer ? ToStepAnswer(*reply.answer, step.question->unit) : StepAnswer{{}, reply.why};
}

/// The rest is counted.
constexpr std::size_t kMostShown = 5;

Message InUnit(double value, StepUnit unit) {
  constexpr const char* kTexts[] = {"answered.seconds", "answered.per_second", "answered.cpu",
                                    "answered.seats",   "answered.ratio",      "answered.count"};
  return Message(kTexts[static_cast<int>(unit)], {{"value", arg::Number(value)}});
}

}  // namespace

void WriteNextSteps(const QuerySet& queries, const Investigation& gathered, Diagnosis* diagnosis) {
  if (gathered.evidence) Fill(queries, gathered, diagnosis);
}

void AnswerNextSteps(Source& source, const QuerySet& queries, const Investigation& gathered,
                     Diagnosis* diagnosis) {
  if (!gathered.evidence) return;
  std::vector<Step> steps = Fill(queries, gathered, diagnosis);
  if (!gathered.request.neighbours) {
    std::erase_if(steps, [](const Step& s) { return s.question->of != AskedOf::kSchedulers; });
  }
  std::vector<std::string> texts;
  for (const Step& step : steps) {
    for (const std::string& wording : step.wordings) {
      if (std::ranges::find(texts, wording) != texts.end()) continue;
      texts.push_back(wording);
    }
  }
  const TimeMs at = diagnosis->window.end;
  const std::map<std::string, Reply> replies = Asking(source, at).Ask(texts);
  for (const Step& step : steps) Settle(step, replies);
  for (const Step& step : steps) {
    for (const std::string& wording : step.wordings) {
      const auto same = [&](const AskedQuery& asked) { return asked.promql == wording; };
      std::vector<AskedQuery>& noted = diagnosis->queries;
      const Reply& reply = replies.at(wording);
      if (!reply.answer || std::ranges::any_of(noted, same)) continue;
      noted.push_back({std::string(step.question->name), wording, at, reply.answer->series.size()});
    }
  }
}

StepAnswer ToStepAnswer(const Answer& answer, StepUnit unit) {
  if (answer.series.empty()) return {{}, Message("answered.empty")};
  std::vector<std::pair<double, Labels>> values;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    values.emplace_back(series.samples.back().v, series.labels);
  }
  if (values.empty()) return {{}, Message("answered.none_counted")};
  std::ranges::sort(values, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<Message> shown;
  for (std::size_t i = 0; i < std::min(values.size(), kMostShown); ++i) {
    const auto& [value, labels] = values[i];
    Message what = InUnit(value, unit);
    if (!labels.empty()) {
      what = Message("answered.of", {{"labels", labels.ToString()}, {"what", std::move(what)}});
    }
    shown.push_back(std::move(what));
  }
  if (values.size() > kMostShown) {
    shown.push_back(Message("answered.more", {{"count", arg::Count(values.size() - kMostShown)}}));
  }
  StepAnswer out{{}, Message("answered.values", {{"values", std::move(shown)}})};
  if (std::isfinite(values.front().first)) out.value = values.front().first;
  return out;
}

}  // namespace schedlens
