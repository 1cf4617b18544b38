#include "source/native/unfolding_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "promql/ast.h"
#include "promql/evaluate.h"
#include "promql/matcher.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using promql::Expr;
using promql::ExprPtr;
using promql::Selector;
using promql::Subquery;
using promql::TimeShift;

bool HasHistograms(const Answer& answer) {
  return std::ranges::any_of(answer.series,
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

constexpr std::int64_t kUnfoldLookback = promql::EvaluateOptions().lookback_ms;

class UnfoldingSource final : public Source {
 public:
  explicit UnfoldingSource(std::unique_ptr<Source> server) : server_(std::move(server)) {}

  Answer Ask(const Query& query) override { return std::move(AskAll({query}).front()); }

  std::vector<Answer> AskAll(const std::vector<Query>& queries) override {
    std::vector<Answer> answers = server_->AskAll(queries);
    std::vector<Asked> all;
    for (std::size_t i = 0; i < queries.size(); ++i)
      all.push_back(AskedOf(queries[i], &answers[i]));
    Complete(all);
    return answers;
  }

  /// What needs no second look is handed over at once.
  void AskEach(const std::vector<Query>& queries,
               const std::function<void(std::size_t, Answer)>& take) override {
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

  SourceInfo Describe() override { return server_->Describe(); }

 private:
  void Complete(std::vector<Asked>& all) {
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
      const bool own =
          asked.Raw() != nullptr && !asked.names.empty() && HasHistograms(*asked.answer);
      if (own || IsFolded(asked)) plans.emplace_back(&asked, Plan(asked, round));
    }
    if (plans.empty()) return;
    round.Ask(*server_);
    for (const auto& [asked, parts] : plans) Replace(*asked, parts, round);
  }

  bool IsFolded(const Asked& asked) const {
    bool folded = false;
    if (asked.names.empty()) return folded;
    promql::Walk(*asked.tree, [&](const promql::Expr& node) {
      const auto* selector = node.As<Selector>();
      folded = folded || (selector != nullptr && !folded_.MeantBy(*selector).empty());
    });
    return folded;
  }

  /// The native form of a raw question; of any other expression all that its selectors read.
  std::vector<Part> Plan(const Asked& asked, Round& round) const {
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

  void Replace(const Asked& asked, const std::vector<Part>& parts, const Round& round) {
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

  /// The selector's series, `own` among them, histograms unfolded.
  std::vector<Series> Read(const Part& part, const Round& round, std::vector<Series> own) {
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

  /// Widens the range to what the question reads.
  static void FindRange(const Asked& asked, TimeRange* range) {
    for (const RawReading& reading : ReadingsOf(*asked.tree, *asked.query, 0)) {
      range->start = std::min(range->start, reading.range.start);
      range->end = std::max(range->end, reading.range.end);
    }
  }

  std::unique_ptr<Source> server_;
  FoldedMetrics folded_;
};

/// How far an instant selector of the server looks back, and in how many steps a range is searched.
constexpr std::int64_t kLookback = 5 * 60 * 1000;
constexpr std::int64_t kSteps = 12;

/// The sums of histograms show their bounds; those of floats that the metric is there as such.
Query SumsOf(const std::vector<std::string>& names, const TimeRange& range) {
  const std::int64_t length = std::max<std::int64_t>(range.end - range.start, 0);
  const std::int64_t step = std::max(kLookback, (length + kSteps - 1) / kSteps);
  const std::string text = fmt::format("sum by (__name__, job) ({{__name__=~{}}})",
                                       QuotePromql(fmt::format("{}", fmt::join(names, "|"))));
  const std::int64_t steps = length / step;
  return {.promql = text,
          .start = range.end - steps * step,
          .end = range.end,
          .step_ms = steps == 0 ? 0 : step};
}

/// The times at which something is read that is shifted against the query's.
TimeRange Shifted(TimeRange range, const TimeShift& shift, const Query& query) {
  if (shift.at == TimeShift::At::kTime) range = {shift.at_time, shift.at_time};
  if (shift.at == TimeShift::At::kStart) range = {query.start, query.start};
  if (shift.at == TimeShift::At::kEnd) range = {query.end, query.end};
  return {range.start - shift.offset_ms, range.end - shift.offset_ms};
}

void AddReadings(const Expr& expr, const TimeRange& range, const Query& query,
                 std::int64_t lookback_ms, std::vector<RawReading>* to) {
  if (const auto* selector = expr.As<Selector>()) {
    TimeRange times = Shifted(range, selector->shift, query);
    // A modifier of a window's edges looks past them, no farther than an instant selector does.
    times.start -= selector->range_ms + lookback_ms;
    if (selector->edges == promql::Edges::kSmoothed) times.end += lookback_ms;
    Selector plain;
    plain.name = selector->name;
    plain.matchers = selector->matchers;
    to->push_back({std::move(plain), times});
  } else if (const auto* subquery = expr.As<Subquery>()) {
    TimeRange times = Shifted(range, subquery->shift, query);
    times.start -= subquery->range_ms;
    AddReadings(*subquery->expr, times, query, lookback_ms, to);
  } else {
    for (const Expr* child : promql::Children(expr)) {
      AddReadings(*child, range, query, lookback_ms, to);
    }
  }
}

}  // namespace

std::unique_ptr<Source> NewUnfoldingSource(std::unique_ptr<Source> server) {
  return std::make_unique<UnfoldingSource>(std::move(server));
}

void FoldedMetrics::Find(Source& server, const std::set<std::string>& names,
                         const TimeRange& range) {
  std::vector<std::string> fresh;
  std::set_difference(names.begin(), names.end(), asked_.begin(), asked_.end(),
                      std::back_inserter(fresh));
  if (fresh.empty()) return;
  asked_.insert(fresh.begin(), fresh.end());
  try {
    Learn(server.Ask(SumsOf(fresh, range)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kFailed) throw;
  }
}

void FoldedMetrics::Learn(const Answer& answer) {
  LearnBounds(answer.series, &bounds_);
  const auto job = [](const Series& series) { return std::string(series.labels.Get("job")); };
  std::map<std::pair<std::string, std::string>, std::set<TimeMs>> classic;
  for (const Series& series : answer.series) {
    const std::string family = FamilyOfClassic(series.labels.Get(kMetricName));
    for (const Sample& sample : series.samples) classic[{family, job(series)}].insert(sample.t);
  }
  for (const Series& series : answer.series) {
    const std::string name(series.labels.Get(kMetricName));
    if (!bounds_.contains(name)) continue;
    const std::set<TimeMs>& both = classic[{name, job(series)}];
    const bool alone = std::ranges::any_of(
        series.histograms, [&](const NativeSample& sample) { return !both.contains(sample.t); });
    if (alone) found_.insert(name);
  }
}

std::vector<std::string> FoldedMetrics::MeantBy(const promql::Selector& selector) const {
  std::vector<std::string> meant;
  if (found_.empty() || NamesOfHistograms(selector).empty()) return meant;
  std::copy_if(found_.begin(), found_.end(), std::back_inserter(meant),
               [&](const std::string& metric) { return MeansClassic(selector, metric); });
  return meant;
}

std::vector<RawReading> ReadingsOf(const Expr& expr, const Query& query, std::int64_t lookback_ms) {
  std::vector<RawReading> readings;
  AddReadings(expr, {query.start, query.end}, query, lookback_ms, &readings);
  return readings;
}

Query RawQuestion(const RawReading& reading) {
  Selector ranged = reading.selector;
  ranged.range_ms = std::max<std::int64_t>(reading.range.end - reading.range.start, 1);
  return {.promql = promql::ToString(*promql::MakeExpr(ranged, ValueKind::kMatrix)),
          .start = reading.range.end,
          .end = reading.range.end,
          .step_ms = 0};
}

}  // namespace schedlens
