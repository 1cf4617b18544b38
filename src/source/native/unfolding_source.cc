#include "source/native/unfolding_source.h"

#include <re2/re2.h>

#include <iterator>

#include "base/not_finite.h"
#include "promql/evaluate.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

using promql::Expr;
using promql::ExprPtr;
using promql::Matcher;
using promql::MatchOp;
using promql::Selector;
using promql::Subquery;
using promql::TimeShift;

bool HasHistograms(const Answer& answer) {
  return std::ranges::any_of(answer.series,
                             [](const Series& series) { return !series.histograms.empty(); });
}

/// Prometheus 3 and what is as new; VictoriaMetrics has no native histograms.
bool MayFold(const Semantics& semantics) { return semantics.AtLeast(3, 0); }

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
  for (const Selector* selector : promql::NodesOf<Selector>(*asked.tree)) {
    std::string names = NamesOfHistograms(*selector);
    if (!names.empty()) asked.names.insert(std::move(names));
  }
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
    if (!MayFold(server_->Describe().semantics)) return server_->AskEach(queries, take);
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

  SourceInfo Describe() override {
    SourceInfo info = server_->Describe();
    info.native_only = folded_.native_only();
    std::vector<Message> names;
    for (const std::string& name : info.native_only) names.push_back(Verbatim(name));
    if (!names.empty())
      info.warnings.push_back(Message("source.native_only", {{"metrics", names}}));
    return info;
  }

 private:
  void Complete(std::vector<Asked>& all) {
    std::set<std::string> names;
    TimeRange range{all.empty() ? 0 : all.front().query->end, 0};
    bool doubtful = folded_.any();
    for (const Asked& asked : all) {
      if (asked.names.empty()) continue;
      names.insert(asked.names.begin(), asked.names.end());
      for (const RawReading& reading : ReadingsOf(*asked.tree, *asked.query, 0)) {
        range.start = std::min(range.start, reading.range.start);
        range.end = std::max(range.end, reading.range.end);
      }
      doubtful = doubtful || asked.answer->series.empty() || HasHistograms(*asked.answer);
    }
    if (doubtful && !names.empty() && MayFold(server_->Describe().semantics)) {
      folded_.Find(*server_, names, range);
    }
    Round round;
    std::vector<std::pair<const Asked*, std::set<std::size_t>>> plans;
    for (const Asked& asked : all) {
      const bool own =
          asked.Raw() != nullptr && !asked.names.empty() && HasHistograms(*asked.answer);
      if (own || IsFolded(asked)) plans.emplace_back(&asked, Plan(asked, round));
    }
    if (plans.empty()) return;
    round.Ask(*server_);
    for (const auto& [asked, answers] : plans) Replace(*asked, answers, round);
  }

  bool IsFolded(const Asked& asked) const {
    const auto folded = [&](const Selector& one) { return !folded_.MeantBy(one).empty(); };
    return !asked.names.empty() && promql::FindNode<Selector>(*asked.tree, folded) != nullptr;
  }

  /// Where in the round the native form of a raw question is answered; of any other expression all
  /// that its selectors read.
  std::set<std::size_t> Plan(const Asked& asked, Round& round) const {
    std::set<std::size_t> answers;
    const bool raw = asked.Raw() != nullptr;
    for (RawReading& reading :
         ReadingsOf(*asked.tree, *asked.query, raw ? 0 : promql::kLookbackMs)) {
      if (!raw) answers.insert(round.Add(RawQuestion(reading)));
      const std::vector<std::string> metrics = folded_.MeantBy(reading.selector);
      if (metrics.empty()) continue;
      reading.selector = NativeForm(reading.selector, metrics);
      answers.insert(round.Add(RawQuestion(reading)));
    }
    return answers;
  }

  void Replace(const Asked& asked, const std::set<std::size_t>& answers, const Round& round) {
    const Selector* raw = asked.Raw();
    std::vector<Series> series;
    if (raw != nullptr) series = std::move(asked.answer->series);
    std::set<Labels> had;  // the native form of a question may have been in its own answer
    for (const Series& one : series) had.insert(one.labels);
    std::vector<std::string> warnings = std::move(asked.answer->warnings);
    for (const std::size_t i : answers) {
      std::ranges::copy(round[i].warnings, std::back_inserter(warnings));
      std::ranges::copy_if(round[i].series, std::back_inserter(series),
                           [&](const Series& one) { return !had.contains(one.labels); });
    }
    series = Unfold(std::move(series), raw != nullptr);
    if (raw != nullptr) {
      std::erase_if(series,
                    [&](const Series& one) { return !promql::Accept(raw->matchers, one.labels); });
      asked.answer->series = std::move(series);
    } else {
      const promql::EvaluateOptions options{.semantics = server_->Describe().semantics};
      try {
        *asked.answer =
            promql::Evaluate(promql::SeriesStore(std::move(series)), *asked.query, options);
      } catch (const Error&) {
        // What the evaluator refuses stays as the server answered it.
      }
    }
    std::ranges::move(warnings, std::back_inserter(asked.answer->warnings));
  }

  /// The histograms in classic form: if raw each by itself, else so that they can be added up.
  std::vector<Series> Unfold(std::vector<Series> series, bool raw) {
    LearnBounds(series, &folded_.bounds());
    std::vector<Series> exponential;
    std::ranges::copy_if(series, std::back_inserter(exponential),
                         [&](const Series& one) { return folded_.IsExponential(one); });
    const KnownBounds bounds = raw ? folded_.bounds() : CommonBounds(series, folded_.bounds());
    series = UnfoldHistograms(std::move(series), bounds);
    std::ranges::move(exponential, std::back_inserter(series));
    return series;
  }

  std::unique_ptr<Source> server_;
  FoldedMetrics folded_;
};

/// In so many steps a range is searched.
constexpr std::int64_t kSteps = 12;

/// The sums of histograms show their bounds; those of floats that the metric is there as such.
Query SumsOf(const std::vector<std::string>& names, const TimeRange& range) {
  const std::int64_t length = std::max<std::int64_t>(range.end - range.start, 0);
  const std::int64_t step = std::max(promql::kLookbackMs, (length + kSteps - 1) / kSteps);
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

/// A metric and the labels of one of its histograms, without `le`.
using Child = std::pair<std::string, Labels>;

/// Whether the buckets cannot be exponential ones.
bool ShowsCustomBuckets(const NativeHistogram& histogram) {
  const auto plain = [](const NativeBucket& bucket) { return bucket.boundaries == 0; };
  const auto own = [](const NativeBucket& bucket) {
    return bucket.lower <= 0 || std::isinf(bucket.upper) || !IsPowerEdge(bucket.lower) ||
           !IsPowerEdge(bucket.upper);
  };
  return std::ranges::all_of(histogram.buckets, plain) &&
         std::ranges::any_of(histogram.buckets, own);
}

/// As the server writes the bounds of classic histograms: `0.5`, `1.0`, `+Inf`.
std::string BoundText(double bound) {
  std::string text = FormatNumber(bound);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

/// The classic series of an answer, as far as they are of known metrics.
struct ClassicForm {
  std::map<Child, std::set<TimeMs>> times;
  std::map<std::pair<std::string, double>, std::string> bound_texts;
};

ClassicForm ClassicOf(const std::vector<Series>& all, const KnownBounds& known) {
  ClassicForm classic;
  for (const Series& series : all) {
    if (series.samples.empty()) continue;
    const std::string family = FamilyOfClassic(series.labels.Get(kMetricName));
    if (family.empty() || !known.contains(family)) continue;
    const Labels labels = series.labels.Without({std::string(kMetricName), "le"});
    std::set<TimeMs>& times = classic.times[{family, labels}];
    for (const Sample& sample : series.samples) times.insert(sample.t);
    const auto bound = ParseNumber(series.labels.Get("le"));
    if (bound) classic.bound_texts.emplace(std::pair(family, *bound), series.labels.Get("le"));
  }
  return classic;
}

/// The known bounds that lie inside no bucket of these histograms with something in it.
std::set<double> BoundsOf(const std::vector<NativeSample>& samples, std::set<double> known) {
  for (const NativeSample& sample : samples) {
    for (const NativeBucket& bucket : sample.h.buckets) {
      if (bucket.lower >= bucket.upper) continue;  // of zeros alone
      known.erase(known.upper_bound(bucket.lower), known.lower_bound(bucket.upper));
    }
  }
  return known;
}

/// The counts of the histogram up to each bound, and to infinity.
std::vector<double> Cumulative(const NativeHistogram& histogram,
                               const std::vector<double>& bounds) {
  std::vector<double> counts;
  double sum = 0;
  auto bucket = histogram.buckets.begin();
  for (const double bound : bounds) {
    while (bucket != histogram.buckets.end() && bucket->upper <= bound) sum += (bucket++)->count;
    counts.push_back(sum);
  }
  counts.push_back(histogram.count);
  return counts;
}

using Unfolded = std::map<Labels, std::vector<Sample>>;

void UnfoldOne(const Series& series, const std::set<double>& known, const ClassicForm& classic,
               Unfolded* out) {
  const std::string name(series.labels.Get(kMetricName));
  const Labels labels = series.labels.Without(kMetricName);
  const std::set<double> seen = BoundsOf(series.histograms, known);
  const std::vector<double> bounds(seen.begin(), seen.end());
  std::vector<std::vector<Sample>*> buckets;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    const double bound = i < bounds.size() ? bounds[i] : kInfinity;
    const auto text = classic.bound_texts.find({name, bound});
    const std::string le = text == classic.bound_texts.end() ? BoundText(bound) : text->second;
    buckets.push_back(&(*out)[labels.With(kMetricName, name + "_bucket").With("le", le)]);
  }
  std::vector<Sample>& sums = (*out)[labels.With(kMetricName, name + "_sum")];
  std::vector<Sample>& counts = (*out)[labels.With(kMetricName, name + "_count")];
  const auto there = classic.times.find({name, labels});
  for (const NativeSample& sample : series.histograms) {
    if (there != classic.times.end() && there->second.contains(sample.t)) continue;
    const std::vector<double> upto = Cumulative(sample.h, bounds);
    for (std::size_t i = 0; i < upto.size(); ++i) buckets[i]->push_back({sample.t, upto[i]});
    sums.push_back({sample.t, sample.h.sum});
    counts.push_back({sample.t, sample.h.count});
  }
}

constexpr std::string_view kSuffixes[] = {"_bucket", "_sum", "_count"};
constexpr std::string_view kAnySuffix = "(_bucket|_sum|_count)?";

/// The regular expression with every suffix at a name's end, and every choice of suffixes, optional
/// and any of the three.
std::string WithAnySuffix(std::string regex) {
  constexpr char kSuffix[] = "(?:bucket|sum|count)";
  static const RE2 kSome(fmt::format("_\\({0}(?:\\|{0})*\\)|_{0}(\\z|[|)])", kSuffix), RE2::Latin1);
  RE2::GlobalReplace(&regex, kSome, std::string(kAnySuffix) + "\\1");
  return regex;
}

}  // namespace

std::unique_ptr<Source> NewUnfoldingSource(std::unique_ptr<Source> server) {
  return std::make_unique<UnfoldingSource>(std::move(server));
}

void FoldedMetrics::Find(Source& server, const std::set<std::string>& names,
                         const TimeRange& range) {
  std::vector<std::string> fresh;
  std::ranges::set_difference(names, asked_, std::back_inserter(fresh));
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
  for (const Series& series : answer.series) {
    const std::string name(series.labels.Get(kMetricName));
    const bool fresh = !series.histograms.empty() && bounds_.try_emplace(name).second;
    if (fresh) exponential_.insert(name);
  }
  if (!exponential_.empty()) LearnBounds(answer.series, &bounds_);
  const auto job = [](const Series& series) { return std::string(series.labels.Get("job")); };
  std::map<std::pair<std::string, std::string>, std::set<TimeMs>> classic;
  std::map<std::string, TimeMs> buckets;  // until when there are any; 0: never
  for (const Series& series : answer.series) {
    const std::string_view name = series.labels.Get(kMetricName);
    const std::string family = FamilyOfClassic(name);
    for (const Sample& sample : series.samples) {
      classic[{family, job(series)}].insert(sample.t);
      if (name.ends_with("_bucket")) buckets[family] = std::max(buckets[family], sample.t);
    }
  }
  for (const Series& series : answer.series) {
    const std::string name(series.labels.Get(kMetricName));
    if (!bounds_.contains(name)) continue;
    const std::set<TimeMs>& both = classic[{name, job(series)}];
    const bool alone = std::ranges::any_of(
        series.histograms, [&](const NativeSample& sample) { return !both.contains(sample.t); });
    if (!alone) continue;
    found_.insert(name);
    if (buckets[name] < series.histograms.back().t) native_only_.insert(name);
  }
}

bool FoldedMetrics::IsExponential(const Series& series) const {
  return !series.histograms.empty() && exponential_.contains(series.labels.Get(kMetricName));
}

std::vector<std::string> FoldedMetrics::MeantBy(const promql::Selector& selector) const {
  std::vector<std::string> meant;
  if (found_.empty() || NamesOfHistograms(selector).empty()) return meant;
  std::ranges::copy_if(found_, std::back_inserter(meant),
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
  return {promql::ToString(*promql::MakeExpr(ranged, ValueKind::kMatrix)), reading.range.end,
          reading.range.end, 0};
}

void LearnBounds(const std::vector<Series>& series, KnownBounds* known) {
  const auto name = [](const Series& one) { return std::string(one.labels.Get(kMetricName)); };
  for (const Series& one : series) {
    if (std::ranges::any_of(one.histograms, ShowsCustomBuckets, &NativeSample::h)) {
      known->try_emplace(name(one));
    }
  }
  for (const Series& one : series) {
    const auto at = known->find(name(one));
    if (at == known->end()) continue;
    for (const NativeSample& sample : one.histograms) {
      for (const NativeBucket& bucket : sample.h.buckets) {
        // The first bucket of positive bounds is shown to begin at zero, which is no bound.
        if (bucket.lower != 0 && std::isfinite(bucket.lower)) at->second.insert(bucket.lower);
        if (std::isfinite(bucket.upper)) at->second.insert(bucket.upper);
      }
    }
  }
}

KnownBounds CommonBounds(const std::vector<Series>& series, KnownBounds known) {
  for (const Series& one : series) {
    const auto bounds = known.find(one.labels.Get(kMetricName));
    if (bounds != known.end()) bounds->second = BoundsOf(one.histograms, std::move(bounds->second));
  }
  return known;
}

std::vector<Series> UnfoldHistograms(std::vector<Series> series, const KnownBounds& known) {
  const ClassicForm classic = ClassicOf(series, known);
  Unfolded unfolded;
  bool any = false;
  for (Series& one : series) {
    const auto bounds = known.find(one.labels.Get(kMetricName));
    if (one.histograms.empty() || bounds == known.end()) continue;
    UnfoldOne(one, bounds->second, classic, &unfolded);
    one.histograms.clear();
    any = true;
  }
  if (!any) return series;
  std::erase_if(series,
                [](const Series& one) { return one.samples.empty() && one.histograms.empty(); });
  for (Series& one : series) {
    const auto more = unfolded.find(one.labels);
    if (more == unfolded.end()) continue;
    // The times of both differ.
    one.samples.insert(one.samples.end(), more->second.begin(), more->second.end());
    std::ranges::sort(one.samples, {}, &Sample::t);
    unfolded.erase(more);
  }
  for (auto& [labels, samples] : unfolded) {
    if (!samples.empty()) series.push_back({labels, std::move(samples), {}});
  }
  std::ranges::sort(series, {}, &Series::labels);
  return series;
}

std::string FamilyOfClassic(std::string_view name) {
  std::string family = FamilyOf(name);
  return family == name ? "" : family;
}

std::string NamesOfHistograms(const Selector& selector) {
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name != kMetricName) continue;
    if (matcher.op == MatchOp::kEqual) {
      const std::string family = FamilyOfClassic(matcher.value);
      if (family.empty() || EscapeRegex(family) != family) return "";
      return family + std::string(kAnySuffix);
    }
    if (matcher.op != MatchOp::kRegex) continue;
    std::string names = WithAnySuffix(matcher.value);
    const bool open = matcher.value.find_first_of(".[\\") != std::string::npos;
    return names == matcher.value && !open ? "" : names;
  }
  return "";
}

bool MeansClassic(const Selector& selector, std::string_view metric) {
  std::vector<Matcher> of_name;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name == kMetricName) of_name.push_back(matcher);
  }
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
    const std::string name = std::string(metric) + std::string(suffix);
    return promql::Accept(of_name, Labels{{kMetricName, name}});
  });
}

Selector NativeForm(const Selector& selector, const std::vector<std::string>& metrics) {
  Selector native = selector;
  native.name.clear();
  std::erase_if(native.matchers, [](const Matcher& matcher) {
    return matcher.name == kMetricName || matcher.name == "le";
  });
  native.matchers.insert(native.matchers.begin(),
                         Matcher{.op = MatchOp::kRegex,
                                 .name = std::string(kMetricName),
                                 .value = fmt::format("{}", fmt::join(metrics, "|"))});
  return native;
}

}  // namespace schedlens
