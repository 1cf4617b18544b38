#include "source/remembered.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "promql/evaluate.h"
#include "promql/parser.h"
#include "promql/series_store.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using promql::Matcher;
using promql::MatchOp;
using promql::Selector;

/// A range selector at one time.
struct RawQuestion {
  std::vector<Matcher> matchers;
  TimeRange range;
};

std::optional<RawQuestion> RawOf(const Query& query) {
  if (!query.instant()) return std::nullopt;
  promql::ExprPtr tree;
  try {
    tree = promql::Parse(query.promql);
  } catch (const Error&) {
    return std::nullopt;  // the server may know more than our dialect
  }
  const auto* selector = promql::WithoutParens(*tree).As<Selector>();
  if (selector == nullptr || selector->range_ms == 0 || selector->shift != promql::TimeShift{} ||
      selector->edges != promql::Edges::kPlain) {
    return std::nullopt;
  }
  return RawQuestion{selector->matchers, {query.end - selector->range_ms, query.end}};
}

/// Whether every series that `narrow` accepts passes `wide`.
bool Implies(const std::vector<Matcher>& narrow, const Matcher& wide) {
  return std::any_of(narrow.begin(), narrow.end(), [&](const Matcher& matcher) {
    if (matcher == wide) return true;
    if (matcher.op != MatchOp::kEqual || matcher.name != wide.name) return false;
    const promql::SeriesStore only(
        {{.labels = Labels({{matcher.name, matcher.value}}), .samples = {}, .histograms = {}}});
    return !only.Select({wide}).empty();
  });
}

bool Covers(const RawQuestion& wide, const RawQuestion& narrow) {
  return wide.range.start <= narrow.range.start && wide.range.end >= narrow.range.end &&
         std::all_of(wide.matchers.begin(), wide.matchers.end(),
                     [&](const Matcher& matcher) { return Implies(narrow.matchers, matcher); });
}

class RememberingSource : public Source {
 public:
  RememberingSource(std::unique_ptr<Source> source, std::size_t most_samples)
      : source_(std::move(source)), room_(most_samples) {}

  Answer Ask(const Query& query) override { return std::move(AskAll({query}).front()); }

  std::vector<Answer> AskAll(const std::vector<Query>& queries) override {
    std::vector<Answer> answers(queries.size());
    std::vector<std::size_t> asked;
    std::vector<Query> unknown;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (auto known = Recall(queries[i])) {
        answers[i] = std::move(*known);
      } else {
        asked.push_back(i);
        unknown.push_back(queries[i]);
      }
    }
    if (unknown.empty()) return answers;
    std::vector<Answer> fresh = source_->AskAll(unknown);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Remember(unknown[i], fresh[i]);
      answers[asked[i]] = std::move(fresh[i]);
    }
    return answers;
  }

  SourceInfo Describe() override { return source_->Describe(); }

 private:
  struct Known {
    RawQuestion question;
    promql::SeriesStore store;
  };

  std::optional<Answer> Recall(const Query& query) const {
    if (known_.empty()) return std::nullopt;
    const auto raw = RawOf(query);
    if (!raw) return std::nullopt;
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) {
      return Covers(known.question, *raw);
    });
    if (found == known_.end()) return std::nullopt;
    promql::EvaluateOptions options;
    options.semantics = source_->Describe().semantics;
    return promql::Evaluate(found->store, query, options);
  }

  void Remember(const Query& query, const Answer& answer) {
    if (!answer.warnings.empty() || !answer.infos.empty()) return;
    const auto raw = RawOf(query);
    if (!raw) return;
    const SourceInfo info = source_->Describe();
    if (!info.exact && !info.semantics.IsVictoriaMetrics()) return;
    std::size_t samples = 0;
    for (const Series& series : answer.series) {
      if (!series.histograms.empty()) return;
      samples += series.samples.size();
    }
    if (samples > room_) return;
    room_ -= samples;
    known_.push_back({*raw, promql::SeriesStore(answer.series)});
  }

  std::unique_ptr<Source> source_;
  std::size_t room_;
  std::vector<Known> known_;
};

}  // namespace

std::unique_ptr<Source> Remembering(std::unique_ptr<Source> source, std::size_t most_samples) {
  return std::make_unique<RememberingSource>(std::move(source), most_samples);
}

}  // namespace schedlens
