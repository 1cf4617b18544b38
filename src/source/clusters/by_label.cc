#include "source/clusters/by_label.h"

#include "kube/metrics.h"
#include "promql/parser.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

using promql::Aggregation;
using promql::Expr;
using promql::Grouping;
using promql::Selector;

class LabelSliceSource : public Source {
 public:
  LabelSliceSource(std::vector<Series> series, SourceInfo info,
                   std::map<std::string, std::vector<Series>> expressions, AskedTimes asked)
      : local_(NewLocalSource(std::move(series), std::move(info))),
        expressions_(std::move(expressions)),
        asked_(asked) {}

  Answer Ask(const Query& query) override {
    const auto found = expressions_.find(query.promql);
    const bool on_edge = (query.start - asked_.start) % asked_.step_ms == 0;
    if (found == expressions_.end() || (query.instant() && !on_edge)) return local_->Ask(query);
    Answer answer;
    answer.kind = query.instant() ? ValueKind::kVector : ValueKind::kMatrix;
    for (const Series& series : found->second) {
      Series cut{.labels = series.labels, .samples = {}, .histograms = {}};
      for (const Sample& sample : series.samples) {
        if (sample.t >= query.start && sample.t <= query.end) cut.samples.push_back(sample);
      }
      if (!cut.samples.empty()) answer.series.push_back(std::move(cut));
    }
    return answer;
  }
  SourceInfo Describe() override { return local_->Describe(); }

 private:
  std::unique_ptr<Source> local_;
  std::map<std::string, std::vector<Series>> expressions_;
  AskedTimes asked_;
};

/// Labels that tell processes apart.
constexpr std::string_view kOfProcesses[] = {"cluster", "namespace", "job", "pod", "instance"};

std::optional<OneReplica> ByLabel(const std::vector<Series>& starts, const std::string& label) {
  std::map<Labels, std::map<std::string, double>> processes;
  std::map<std::string, std::size_t> seen;
  for (const Series& series : starts) {
    if (series.samples.empty() || !series.labels.Has(label)) return std::nullopt;
    const std::string value(series.labels.Get(label));
    processes[series.labels.Without(label)][value] = series.samples.back().v;
    ++seen[value];
  }
  OneReplica found{label, "", 0};
  for (const auto& [process, replicas] : processes) {
    if (replicas.size() < 2) continue;
    ++found.processes;
    const double start = replicas.begin()->second;
    const bool same =
        std::ranges::all_of(replicas, [&](const auto& replica) { return replica.second == start; });
    if (!same) return std::nullopt;
  }
  const auto whole = std::ranges::find_if(
      seen, [&](const auto& replica) { return replica.second == processes.size(); });
  if (found.processes == 0 || whole == seen.end()) return std::nullopt;
  found.value = whole->first;
  return found;
}

constexpr std::int64_t kSmallestStep = 15'000;
/// Samples in memory for all values together, and what one value's metrics come to.
constexpr double kMostSamples = 8e6;
constexpr double kSeriesEach = 600;
constexpr double kFewestColumns = 24;
constexpr double kMostColumns = 240;

/// What the metrics of a diagnosis are told apart by. Processes and their places are summed.
constexpr const char* kMeasurementLabels[] = {
    "job",   "le",   "result", "profile", "extension_point", "status",    "plugin", "attempts",
    "queue", "verb", "url",    "host",    "call_type",       "operation", "work",   "type",
    "event"};

/// Questions that make no sense of sums: the alert is asked as it is, and who leads is one process.
bool IsLeftOut(const std::string& question) { return question == "alert" || question == "leader"; }

std::string OwnCount(std::string_view metric, const std::string& selector) {
  return Substitute(std::string(metric) + "{$selector}", selector, "");
}

/// The attempts' counter by both of its names, wrapped as `text`.
std::string OverOwnCounts(const char* text, const std::string& selector) {
  std::vector<std::string> parts;
  for (const kube::Metric metric : {kube::Metric::kAttempt, kube::Metric::kE2e}) {
    parts.push_back(fmt::format(fmt::runtime(text), OwnCount(CountOf(metric), selector)));
  }
  return fmt::format("{}", fmt::join(parts, " or "));
}

Query Instant(std::string promql, TimeMs at) {
  return {.promql = std::move(promql), .start = at, .end = at, .step_ms = 0};
}

/// The edges of columns: multiples of the step before and after an anchor.
AskedTimes MakeGrid(const LabelPlan& plan, std::size_t values) {
  const double columns = std::clamp(kMostSamples / (kSeriesEach * static_cast<double>(values)),
                                    kFewestColumns, kMostColumns);
  const double length = static_cast<double>(plan.range.end - plan.range.start);
  std::int64_t step = std::max(kSmallestStep, std::int64_t{std::llround(length / columns)});
  TimeMs anchor = plan.range.end;
  if (plan.window) {
    anchor = plan.window->end;
    // Columns of whole milliseconds: both edges are met exactly by about as many as are wanted, or
    // the first lies less than a millisecond a column inside the window.
    const std::int64_t whole = plan.window->end - plan.window->start;
    const std::int64_t wanted = std::max<std::int64_t>(1, whole / step);
    std::int64_t parts = wanted;
    while (2 * parts > wanted && whole % parts != 0) --parts;
    step = whole / (2 * parts > wanted ? parts : wanted);
  }
  step = std::max<std::int64_t>(step, 1);
  return {anchor - (anchor - plan.range.start) / step * step, step,
          anchor + (plan.range.end - anchor) / step * step};
}

struct Part {
  std::vector<Series> counters, gauges, releases;
  std::map<std::string, std::vector<Series>> expressions;
  std::map<TimeMs, double> scraped, processes;
};

std::map<TimeMs, double> ByTime(const std::vector<Sample>& samples) {
  std::map<TimeMs, double> out;
  for (const Sample& sample : samples) out.emplace(sample.t, sample.v);
  return out;
}

class Splitter {
 public:
  Splitter(Source& source, const QuerySet& queries, const LabelPlan& plan)
      : source_(source), queries_(queries), plan_(plan), kept_(plan.kept) {
    kept_.insert(std::begin(kMeasurementLabels), std::end(kMeasurementLabels));
    if (!plan.selector.empty()) kept_.merge(LabelsOf("x{" + plan.selector + "}"));
    kept_.insert(plan.label);
  }

  std::vector<LabelSlice> Run() {
    const std::size_t values = CountValues();
    if (values == 0) return {};
    grid_ = MakeGrid(plan_, values);
    PlanQuestions();
    std::vector<Query> asked;
    for (const auto& question : questions_) asked.push_back(question.query);
    std::vector<Answer> answers = source_.AskAll(asked);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      AddNotes(answers[i], &notes_);
      for (Series& series : answers[i].series) {
        Part& part = parts_[std::string(series.labels.Get(plan_.label))];
        questions_[i].take(part, std::move(series));
      }
    }
    std::vector<LabelSlice> slices;
    for (auto& [value, part] : parts_) {
      slices.push_back({value, nullptr, {}});
      slices.back().source = MakeSlice(part, &slices.back().lost);
    }
    return slices;
  }

 private:
  struct Planned {
    Query query;
    std::function<void(Part&, Series)> take;  ///< a series of the answer
  };

  /// How many values the schedulers' own metrics have.
  std::size_t CountValues() {
    const std::string counted = OverOwnCounts(
        ("count by (" + plan_.label + ") (count_over_time({}[" +
         FormatDuration(std::max<std::int64_t>(plan_.range.end - plan_.range.start, 1)) + "]))")
            .c_str(),
        plan_.selector);
    const Answer answer = source_.Ask(Instant(counted, plan_.range.end));
    const bool labelled = std::ranges::any_of(
        answer.series, [&](const Series& series) { return series.labels.Has(plan_.label); });
    if (!answer.series.empty() && !labelled) {
      Raise(ErrorKind::kUsage, "--by {0}: the schedulers' metrics have no label {0} here",
            plan_.label);
    }
    return answer.series.size();
  }

  Query Ranged(std::string promql) const {
    return {std::move(promql), grid_.start, grid_.end, grid_.step_ms};
  }

  void PlanQuestions() {
    const std::string window = FormatDuration(plan_.range.end - plan_.range.start);
    for (const Question& question : queries_.questions()) {
      if (IsLeftOut(question.name) || !IsOfSchedulers(question)) continue;
      for (const std::string& statement : question.statements) {
        const std::string raw = Substitute(statement, plan_.selector, window);
        const std::string text = Aggregated(raw, plan_.label, kept_);
        if (question.name == "release") {
          questions_.push_back({Instant(text, plan_.range.end), [](Part& part, Series series) {
                                  part.releases.push_back(std::move(series));
                                }});
        } else {
          questions_.push_back(
              {Ranged(text), [](Part& part, Series series) {
                 const bool counter = IsCounterName(series.labels.Get(kMetricName));
                 (counter ? part.counters : part.gauges).push_back(std::move(series));
               }});
        }
      }
    }
    for (const std::string& expression : plan_.expressions) {
      questions_.push_back({Ranged(expression), [this, expression](Part& part, Series series) {
                              series.labels = series.labels.Only({kept_.begin(), kept_.end()});
                              part.expressions[expression].push_back(std::move(series));
                            }});
    }
    const std::string by = "by (" + plan_.label + ") ";
    questions_.push_back(
        {Ranged("max " + by + "(" + OverOwnCounts("timestamp({})", plan_.selector) + ")"),
         [](Part& part, const Series& series) { part.scraped = ByTime(series.samples); }});
    // A standby has no attempts yet; without start times those who have some must do.
    questions_.push_back(
        {Ranged("count " + by + "(" +
                OwnCount(NameOf(kube::Metric::kProcessStart), plan_.selector) + ") or count " + by +
                "(count by (" + plan_.label + ", job, instance, pod) (" +
                OverOwnCounts("{}", plan_.selector) + "))"),
         [](Part& part, const Series& series) { part.processes = ByTime(series.samples); }});
  }

  /// Edges at which something was scraped since the edge before.
  static std::vector<TimeMs> EdgesOf(const Part& part) {
    std::vector<TimeMs> edges;
    double before = -INFINITY;
    for (const auto& [t, scraped] : part.scraped) {
      if (scraped > before) edges.push_back(t);
      before = std::max(before, scraped);
    }
    return edges;
  }

  std::unique_ptr<Source> MakeSlice(Part& part, std::vector<TimeRange>* lost) {
    SourceInfo info = source_.Describe();
    info.warnings.insert(info.warnings.end(), notes_.begin(), notes_.end());
    const std::vector<TimeMs> edges = EdgesOf(part);
    std::vector<double> processes;
    for (const TimeMs t : edges) {
      const auto at = part.processes.find(t);
      processes.push_back(at == part.processes.end() ? 1 : at->second);
    }
    for (auto* all : {&part.counters, &part.gauges}) {
      for (Series& series : *all) {
        std::erase_if(series.samples, [&](const Sample& sample) {
          return !std::ranges::binary_search(edges, sample.t);
        });
      }
      std::erase_if(*all, [](const Series& series) { return series.samples.empty(); });
    }
    *lost = DropBrokenColumns(edges, processes, part.counters);
    if (!lost->empty()) {
      info.warnings.push_back(
          Message("by_label.columns", {{"count", arg::Count(lost->size())},
                                       {"all", arg::Count(edges.size() - 1)},
                                       {"step", FormatDuration(grid_.step_ms)},
                                       {"first", arg::Time(lost->front().start)},
                                       {"last", arg::Time(lost->back().end)}}));
    }
    const bool alone = std::ranges::all_of(processes, [](double count) { return count == 1; });
    std::vector<Series> series = std::move(part.counters);
    for (Series& gauge : part.gauges) {
      // A sum of start times is meaningless.
      if (!alone && gauge.labels.Get(kMetricName) == NameOf(kube::Metric::kProcessStart)) continue;
      series.push_back(std::move(gauge));
    }
    AddReleases(part, &series);
    return NewLabelSlice(std::move(series), std::move(info), std::move(part.expressions), grid_);
  }

  /// The metrics that tell a release by being there, where no question brought them already.
  static void AddReleases(Part& part, std::vector<Series>* series) {
    std::set<std::string> names;
    for (const Series& one : *series) names.emplace(one.labels.Get(kMetricName));
    for (Series& one : part.releases) {
      if (!names.contains(std::string(one.labels.Get(kMetricName)))) {
        series->push_back(std::move(one));
      }
    }
  }

  Source& source_;
  const QuerySet& queries_;
  const LabelPlan& plan_;
  std::set<std::string> kept_;
  AskedTimes grid_;
  std::vector<Planned> questions_;
  std::vector<Message> notes_;
  std::map<std::string, Part> parts_;
};

void Keep(Aggregation& aggregation, const std::string& label) {
  std::vector<std::string>& labels = aggregation.labels;
  if (aggregation.grouping == Grouping::kWithout) {
    std::erase(labels, label);
    return;
  }
  aggregation.grouping = Grouping::kBy;
  if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
}

std::size_t ColumnOf(const std::vector<TimeMs>& times, TimeMs t) {
  return static_cast<std::size_t>(std::ranges::lower_bound(times, t) - times.begin());
}

/// Column i ends at times[i]; the first edge ends none.
std::vector<bool> BrokenColumns(const std::vector<TimeMs>& times,
                                const std::vector<double>& processes,
                                const std::vector<Series>& counters) {
  std::vector<bool> broken(times.size(), false);
  for (std::size_t i = 1; i < times.size(); ++i) broken[i] = processes[i] != processes[i - 1];
  for (const Series& series : counters) {
    for (std::size_t k = 1; k < series.samples.size(); ++k) {
      if (series.samples[k].v >= series.samples[k - 1].v) continue;
      const std::size_t column = ColumnOf(times, series.samples[k].t);
      if (processes[column] > 1) broken[column] = true;
    }
  }
  return broken;
}

/// Takes the increases of broken columns out of one counter.
void Flatten(const std::vector<TimeMs>& times, const std::vector<bool>& broken, Series& series) {
  double lost = 0;
  double before = 0;  // a counter born in a column started at zero
  for (std::size_t k = 0; k < series.samples.size(); ++k) {
    Sample& sample = series.samples[k];
    const std::size_t column = ColumnOf(times, sample.t);
    const std::size_t since = k == 0 ? column : ColumnOf(times, series.samples[k - 1].t) + 1;
    const bool touched = std::any_of(broken.begin() + static_cast<std::ptrdiff_t>(since),
                                     broken.begin() + static_cast<std::ptrdiff_t>(column) + 1,
                                     [](bool b) { return b; });
    if (touched) lost += sample.v - before;
    before = sample.v;
    sample.v -= lost;
  }
}

}  // namespace

std::unique_ptr<Source> NewLabelSlice(std::vector<Series> series, SourceInfo info,
                                      std::map<std::string, std::vector<Series>> expressions,
                                      AskedTimes asked) {
  return std::make_unique<LabelSliceSource>(std::move(series), std::move(info),
                                            std::move(expressions), asked);
}

std::optional<OneReplica> FindOneReplica(Source& source, const std::string& selector,
                                         const TimeRange& range) {
  const Query query{
      fmt::format("last_over_time({}{{{}}}[{}])", NameOf(kube::Metric::kProcessStart), selector,
                  FormatDuration(std::max<TimeMs>(range.end - range.start, 1))),
      range.end, range.end, 0};
  const std::vector<Series> starts = source.Ask(query).series;
  std::set<std::string> names;
  for (const Series& series : starts) {
    for (const auto& [name, value] : series.labels) {
      if (std::ranges::find(kOfProcesses, name) == std::end(kOfProcesses)) names.emplace(name);
    }
  }
  for (const std::string& name : names) {
    if (auto found = ByLabel(starts, name)) return found;
  }
  return std::nullopt;
}

std::vector<LabelSlice> SplitByLabel(Source& source, const QuerySet& queries,
                                     const LabelPlan& plan) {
  return Splitter(source, queries, plan).Run();
}

std::string Aggregated(std::string_view question, std::string_view label,
                       const std::set<std::string>& labels) {
  const promql::ExprPtr tree = promql::Parse(question);
  const auto* raw = tree->As<Selector>();
  if (raw == nullptr) return KeepingLabel(question, std::string(label));
  Expr instant = *tree;
  std::get<Selector>(instant.node).range_ms = 0;
  std::set<std::string> kept = labels;
  kept.insert({std::string(label), "__name__"});
  const bool gauge = !raw->name.empty() && !IsCounterName(raw->name);
  return fmt::format("{} by ({}) ({})", gauge ? "max" : "sum", fmt::join(kept, ", "),
                     promql::ToString(instant));
}

std::string KeepingLabel(std::string_view expression, const std::string& label) {
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(expression), [&](Expr& node) {
    if (auto* aggregation = std::get_if<Aggregation>(&node.node)) Keep(*aggregation, label);
  });
  return promql::ToString(*tree);
}

std::set<std::string> LabelsOf(std::string_view expression) {
  std::set<std::string> labels;
  const promql::ExprPtr tree = promql::Parse(expression);
  for (const Selector* selector : promql::NodesOf<Selector>(*tree)) {
    for (const promql::Matcher& matcher : selector->matchers) labels.insert(matcher.name);
  }
  for (const Aggregation* aggregation : promql::NodesOf<Aggregation>(*tree)) {
    if (aggregation->grouping != Grouping::kBy) continue;
    labels.insert(aggregation->labels.begin(), aggregation->labels.end());
  }
  labels.erase("__name__");
  return labels;
}

std::vector<TimeRange> DropBrokenColumns(const std::vector<TimeMs>& times,
                                         const std::vector<double>& processes,
                                         std::vector<Series>& counters) {
  const std::vector<bool> broken = BrokenColumns(times, processes, counters);
  std::vector<TimeRange> columns;
  for (std::size_t i = 1; i < broken.size(); ++i) {
    if (broken[i]) columns.push_back({times[i - 1], times[i]});
  }
  if (columns.empty()) return columns;
  for (Series& series : counters) Flatten(times, broken, series);
  return columns;
}

}  // namespace schedlens
