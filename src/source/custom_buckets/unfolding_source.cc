#include "source/custom_buckets/unfolding_source.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "promql/evaluate.h"
#include "promql/matcher.h"
#include "promql/parser.h"
#include "promql/series_store.h"
#include "schedlens/error.h"
#include "source/custom_buckets/classic_names.h"
#include "source/custom_buckets/folded_metrics.h"
#include "source/custom_buckets/readings.h"
#include "source/custom_buckets/unfold.h"

namespace schedlens {
namespace {

using promql::ExprPtr;
using promql::Selector;

bool HasHistograms(const Answer& answer) {
  return std::any_of(answer.series.begin(), answer.series.end(),
                     [](const Series& series) { return !series.histograms.empty(); });
}

/// Prometheus 3 and what is as new; VictoriaMetrics has no native histograms.
bool MayHaveCustomBuckets(const Semantics& semantics) { return semantics.AtLeast(3, 0); }

/// A question, its tree (null outside our dialect) and what the server answered.
struct Asked {
  const Query* query;
  ExprPtr tree;
  std::set<std::string> names;  ///< of histograms that it may mean
  Answer* answer;

  /// The question's selector where it asks for raw samples, else null.
  const Selector* Raw() const {
    const auto* selector = tree == nullptr ? nullptr : tree->As<Selector>();
    const bool plain = selector != nullptr && selector->range_ms > 0 && query->instant() &&
                       selector->shift == promql::TimeShift{};
    return plain ? selector : nullptr;
  }
};

Asked AskedOf(const Query& query, Answer* answer) {
  Asked asked{&query, nullptr, {}, answer};
  try {
    asked.tree =
        promql::Parse(query.promql, {query.instant() ? 0 : query.step_ms, query.end - query.start});
  } catch (const Error&) {
    return asked;  // the server's business
  }
  promql::Walk(*asked.tree, [&](const promql::Expr& node) {
    const auto* selector = node.As<Selector>();
    if (selector == nullptr) return;
    std::string names = NamesOfHistograms(*selector);
    if (!names.empty()) asked.names.insert(std::move(names));
  });
  return asked;
}

/// Questions asked in one go, each text and time once.
class Round {
 public:
  std::size_t Add(Query query) {
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      if (queries_[i].promql == query.promql && queries_[i].end == query.end) return i;
    }
    queries_.push_back(std::move(query));
    return queries_.size() - 1;
  }
  void Ask(Source& server) { answers_ = server.AskAll(queries_); }
  const Answer& operator[](std::size_t i) const { return answers_[i]; }

 private:
  std::vector<Query> queries_;
  std::vector<Answer> answers_;
};

/// What one selector reads: its own answer is there already, or is one of the round.
struct Part {
  Selector selector;
  std::vector<std::size_t> answers;
};

class UnfoldingSource final : public Source {
 public:
  explicit UnfoldingSource(std::unique_ptr<Source> server) : server_(std::move(server)) {}

  Answer Ask(const Query& query) override { return std::move(AskAll({query}).front()); }
  std::vector<Answer> AskAll(const std::vector<Query>& queries) override;
  void AskEach(const std::vector<Query>& queries,
               const std::function<void(std::size_t, Answer)>& take) override;
  SourceInfo Describe() override { return server_->Describe(); }

 private:
  void Complete(std::vector<Asked>& all);
  bool IsFolded(const Asked& asked) const;
  std::vector<Part> Plan(const Asked& asked, Round& round) const;
  void Replace(const Asked& asked, const std::vector<Part>& parts, const Round& round);
  std::vector<Series> Read(const Part& part, const Round& round, std::vector<Series> own);
  static void FindRange(const Asked& asked, TimeRange* range);

  std::unique_ptr<Source> server_;
  FoldedMetrics folded_;
};

constexpr std::int64_t kUnfoldLookback = promql::EvaluateOptions().lookback_ms;

std::vector<Answer> UnfoldingSource::AskAll(const std::vector<Query>& queries) {
  std::vector<Answer> answers = server_->AskAll(queries);
  std::vector<Asked> all;
  for (std::size_t i = 0; i < queries.size(); ++i) all.push_back(AskedOf(queries[i], &answers[i]));
  Complete(all);
  return answers;
}

/// What needs no second look is handed over at once.
void UnfoldingSource::AskEach(const std::vector<Query>& queries,
                              const std::function<void(std::size_t, Answer)>& take) {
  if (!MayHaveCustomBuckets(Describe().semantics)) return server_->AskEach(queries, take);
  std::vector<Answer> answers(queries.size());
  std::vector<Asked> all;
  std::vector<std::size_t> held;
  server_->AskEach(queries, [&](std::size_t i, Answer answer) {
    Asked asked = AskedOf(queries[i], &answers[i]);
    const bool whole = !answer.series.empty() && !HasHistograms(answer) && !IsFolded(asked);
    if (asked.names.empty() || whole) {
      take(i, std::move(answer));
      return;
    }
    answers[i] = std::move(answer);
    all.push_back(std::move(asked));
    held.push_back(i);
  });
  Complete(all);
  for (const std::size_t i : held) take(i, std::move(answers[i]));
}

bool UnfoldingSource::IsFolded(const Asked& asked) const {
  bool folded = false;
  if (asked.names.empty()) return folded;
  promql::Walk(*asked.tree, [&](const promql::Expr& node) {
    const auto* selector = node.As<Selector>();
    folded = folded || (selector != nullptr && !folded_.MeantBy(*selector).empty());
  });
  return folded;
}

/// Widens the range to what the question reads.
void UnfoldingSource::FindRange(const Asked& asked, TimeRange* range) {
  for (const RawReading& reading : ReadingsOf(*asked.tree, *asked.query, 0)) {
    range->start = std::min(range->start, reading.range.start);
    range->end = std::max(range->end, reading.range.end);
  }
}

void UnfoldingSource::Complete(std::vector<Asked>& all) {
  std::set<std::string> names;
  TimeRange range{all.empty() ? 0 : all.front().query->end, 0};
  bool doubtful = folded_.any();
  for (const Asked& asked : all) {
    if (asked.names.empty()) continue;
    names.insert(asked.names.begin(), asked.names.end());
    FindRange(asked, &range);
    doubtful = doubtful || asked.answer->series.empty() || HasHistograms(*asked.answer);
  }
  if (doubtful && !names.empty() && MayHaveCustomBuckets(Describe().semantics)) {
    folded_.Find(*server_, names, range);
  }
  Round round;
  std::vector<std::pair<const Asked*, std::vector<Part>>> plans;
  for (const Asked& asked : all) {
    const bool own = asked.Raw() != nullptr && !asked.names.empty() && HasHistograms(*asked.answer);
    if (own || IsFolded(asked)) plans.emplace_back(&asked, Plan(asked, round));
  }
  if (plans.empty()) return;
  round.Ask(*server_);
  for (const auto& [asked, parts] : plans) Replace(*asked, parts, round);
}

/// The native form of a raw question; of any other expression all that its selectors read.
std::vector<Part> UnfoldingSource::Plan(const Asked& asked, Round& round) const {
  std::vector<Part> parts;
  for (RawReading& reading :
       ReadingsOf(*asked.tree, *asked.query, asked.Raw() ? 0 : kUnfoldLookback)) {
    Part part{reading.selector, {}};
    if (asked.Raw() == nullptr) part.answers.push_back(round.Add(RawQuestion(reading)));
    const std::vector<std::string> metrics = folded_.MeantBy(reading.selector);
    if (!metrics.empty()) {
      reading.selector = NativeForm(reading.selector, metrics);
      part.answers.push_back(round.Add(RawQuestion(reading)));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// The selector's series, `own` among them, histograms unfolded.
std::vector<Series> UnfoldingSource::Read(const Part& part, const Round& round,
                                          std::vector<Series> own) {
  std::set<Labels> had;  // the native form of a question may have been in its own answer
  for (const Series& series : own) had.insert(series.labels);
  for (const std::size_t i : part.answers) {
    const std::vector<Series>& more = round[i].series;
    std::copy_if(more.begin(), more.end(), std::back_inserter(own),
                 [&](const Series& series) { return !had.contains(series.labels); });
  }
  LearnBounds(own, &folded_.bounds());
  own = UnfoldHistograms(std::move(own), folded_.bounds());
  std::erase_if(own, [&](const Series& series) {
    return !promql::Accept(part.selector.matchers, series.labels);
  });
  return own;
}

void UnfoldingSource::Replace(const Asked& asked, const std::vector<Part>& parts,
                              const Round& round) {
  std::vector<Series> series;
  std::vector<std::string> warnings = std::move(asked.answer->warnings);
  for (const Part& part : parts) {
    for (const std::size_t i : part.answers) {
      warnings.insert(warnings.end(), round[i].warnings.begin(), round[i].warnings.end());
    }
    std::vector<Series> own;
    if (asked.Raw() != nullptr) own = std::move(asked.answer->series);
    own = Read(part, round, std::move(own));
    std::move(own.begin(), own.end(), std::back_inserter(series));
  }
  if (asked.Raw() != nullptr) {
    asked.answer->series = std::move(series);
  } else {
    promql::EvaluateOptions options;
    options.semantics = Describe().semantics;
    try {
      *asked.answer =
          promql::Evaluate(promql::SeriesStore(std::move(series)), *asked.query, options);
    } catch (const Error&) {
      // What the evaluator refuses stays as the server answered it.
    }
  }
  asked.answer->warnings.insert(asked.answer->warnings.end(), warnings.begin(), warnings.end());
}

}  // namespace

std::unique_ptr<Source> NewUnfoldingSource(std::unique_ptr<Source> server) {
  return std::make_unique<UnfoldingSource>(std::move(server));
}

}  // namespace schedlens
