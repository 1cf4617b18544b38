#include "source/capture/recording.h"

// The jobs a recording is of: schedulers, and the API servers beside them.
// A recording made by scraping a process's own page.

#include <iterator>

#include "base/work_budget.h"
#include "kube/metrics.h"
#include "promql/parser.h"
#include "source/capture/capture_source.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

/// Longer recordings are asked for in rounds, so that their answers are merged as they come.
constexpr std::size_t kRound = 32;
/// Six weeks with API servers, half a year without: more is a slip in a time, or hours of waiting.
constexpr std::int64_t kMostQuestions = 20'000;

/// What the questions of a diagnosis draw on, and what else a reader of the file may want. The
/// groups keep single answers small.
constexpr const char* kGroups[] = {
    "scheduler_(plugin|framework)_.+_bucket",
    "scheduler_.+",
    "rest_client_.+",
    ("process_.+|go_(goroutines|threads|gc_duration_seconds.*|sched_.+)|workqueue_.+|"
     "leader_election_.+|kubernetes_build_info|up"),
};

constexpr std::string_view kSemanticsWord = "semantics: ";

/// The series of a selector in a part of the range: samples with start < t <= end.
struct Chunk {
  std::string selector;
  TimeRange range;
};

std::string Matchers(const RecordingPlan& plan, std::size_t group) {
  std::string text = fmt::format("__name__=~\"{}\"", kGroups[group]);
  // The first group is a part of the second.
  if (group == 1) text += fmt::format(",__name__!~\"{}\"", kGroups[0]);
  return plan.selector.empty() ? text : text + "," + plan.selector;
}

Query RawQuery(const Chunk& chunk) {
  // Servers before 3.0 include the left edge, newer ones do not: duplicates are dropped in merging.
  const TimeMs end = chunk.range.end;
  return {fmt::format("{{{}}}[{}]", chunk.selector, FormatDuration(end - chunk.range.start)), end,
          end, 0};
}

std::vector<Chunk> Cut(const RecordingPlan& plan) {
  const TimeRange whole{plan.range.start - 1, plan.range.end};
  std::vector<std::string> selectors;
  for (std::size_t i = 0; i < std::size(kGroups); ++i) selectors.push_back(Matchers(plan, i));
  selectors.insert(selectors.end(), plan.control_plane.begin(), plan.control_plane.end());
  const std::int64_t pieces = (whole.end - whole.start) / plan.chunk_ms + 1;
  if (pieces > kMostQuestions / static_cast<std::int64_t>(selectors.size())) {
    Raise(ErrorKind::kFailed,
          "recording: a range of {} hours, {} questions each, is more than {} questions; shorten "
          "--window, or --start and --end",
          pieces, selectors.size(), kMostQuestions);
  }
  std::vector<Chunk> chunks;
  for (TimeMs start = whole.start; start < whole.end; start += plan.chunk_ms) {
    for (const std::string& selector : selectors)
      chunks.push_back({selector, {start, std::min(start + plan.chunk_ms, whole.end)}});
  }
  if (!plan.alert.empty()) {
    chunks.push_back(
        {fmt::format("__name__=~\"ALERTS|ALERTS_FOR_STATE\",alertname={}", QuotePromql(plan.alert)),
         whole});
  }
  for (const std::string& name : plan.recorded) {
    chunks.push_back({"__name__=" + QuotePromql(name), whole});
  }
  return chunks;
}

/// A limit of the server or of schedlens, or a connection that broke under load: less may work.
bool MayBeTooMuch(const Error& error) {
  return error.kind() == ErrorKind::kFailed || error.kind() == ErrorKind::kTimeout;
}

class Recorder {
 public:
  Recorder(Source& source, const RecordingPlan& plan) : source_(source), plan_(plan) {}

  Exposition Run() {
    const std::vector<Chunk> chunks = Cut(plan_);
    planned_ = chunks.size();
    for (std::size_t at = 0; at < chunks.size(); at += kRound) {
      const std::size_t end = std::min(at + kRound, chunks.size());
      AskRound({chunks.begin() + static_cast<long>(at), chunks.begin() + static_cast<long>(end)});
    }
    Exposition out;
    out.series = collector_.Take();
    std::ranges::sort(out.series, {}, &Series::labels);
    for (const std::string& words : warnings_) out.warnings.push_back(SourceNote(words));
    return out;
  }

 private:
  /// Chunks may come in any order, and two selectors may have chosen the same series.
  void Add(const TimeRange& range, Answer answer) {
    warnings_.insert(answer.warnings.begin(), answer.warnings.end());
    warnings_.insert(answer.infos.begin(), answer.infos.end());
    const auto outside = [&](const auto& sample) {
      return sample.t <= range.start || sample.t > range.end;
    };
    for (Series& series : answer.series) {
      std::erase_if(series.samples, outside);
      std::erase_if(series.histograms, outside);
      collector_.Add(std::move(series));
    }
  }

  void AskRound(const std::vector<Chunk>& round) {
    std::vector<Query> queries;
    for (const Chunk& chunk : round) queries.push_back(RawQuery(chunk));
    AskEachHalving(source_, queries, MayBeTooMuch, [&](std::size_t i, Answer answer) {
      Add(round[i].range, std::move(answer));
      ++done_;
      if (plan_.progress) plan_.progress(done_, planned_);
    });
  }

  Source& source_;
  const RecordingPlan& plan_;
  SeriesCollector collector_;
  std::set<std::string> warnings_;
  std::size_t done_ = 0, planned_ = 0;
};

/// Types as their names tell them: families with `le` buckets are histograms, `_total` counters.
std::map<std::string, std::string> TypesOf(const std::vector<Series>& all) {
  std::map<std::string, std::string> types;
  for (const Series& series : all) {
    const std::string name(series.labels.Get(kMetricName));
    const std::string family = name.substr(0, name.rfind('_'));
    if (name.ends_with("_bucket") && series.labels.Has("le")) types[family] = "histogram";
    if (name.ends_with("_total")) types[family] = "counter";
  }
  return types;
}

/// `job=~"a|b"` of whatever has series that match within the range.
std::string JobsWith(Source& source, const std::string& matchers, const TimeRange& range) {
  const std::string length = FormatDuration(std::max<TimeMs>(range.end - range.start, 1));
  const Answer answer =
      source.Ask({fmt::format("count by (job) (count_over_time({{{}}}[{}]))", matchers, length),
                  range.end, range.end, 0});
  std::vector<Labels> found;
  for (const Series& series : answer.series) found.push_back(series.labels);
  return kube::JobMatcher(found);
}

class ScrapeRecorder {
 public:
  explicit ScrapeRecorder(const ScrapePlan& plan)
      : plan_(plan),
        up_({{"__name__", "up"}, {"job", "kube-scheduler"}, {"instance", plan.instance}}) {}

  Exposition Run() {
    const auto planned = static_cast<std::size_t>(plan_.duration_ms / plan_.interval_ms) + 1;
    const TimeMs begin = plan_.now();
    for (std::size_t i = 0; i < planned; ++i) {
      plan_.wait_until(begin + static_cast<TimeMs>(i) * plan_.interval_ms);
      const TimeMs time = plan_.now();
      // Of pages that take long there are fewer.
      if (time > begin + plan_.duration_ms + plan_.interval_ms) break;
      try {
        Scrape(time);
        TellFailures();
      } catch (const Error& error) {
        CheckBudget();
        if (i == 0 || error.kind() == ErrorKind::kInterrupted) throw;
        Append(up_, {time, 0});
        if (failures_++ == 0) first_ = time;
        last_ = time;
        why_ = error.what();
      }
      if (plan_.progress) plan_.progress(i + 1, planned);
    }
    TellFailures();
    out_.series = collector_.Take();
    return std::move(out_);
  }

 private:
  void Scrape(TimeMs time) {
    const Exposition page = ParseExposition(plan_.fetch(), plan_.instance, time);
    for (const Series& series : page.series) {
      Append(series.labels.With("job", "kube-scheduler").With("instance", plan_.instance),
             {time, series.samples.back().v});
    }
    out_.types.insert(page.types.begin(), page.types.end());
    Append(up_, {time, 1});
  }

  /// Scrapes that failed one after the other, in one line.
  void TellFailures() {
    if (failures_ == 1) {
      out_.warnings.push_back(
          Message("recording.scrape_failed", {{"at", arg::Time(first_)}, {"error", why_}}));
    } else if (failures_ > 1) {
      out_.warnings.push_back(Message("recording.scrapes_failed", {{"count", arg::Count(failures_)},
                                                                   {"first", arg::Time(first_)},
                                                                   {"last", arg::Time(last_)},
                                                                   {"error", why_}}));
    }
    failures_ = 0;
  }

  void Append(const Labels& labels, const Sample& sample) {
    collector_.Of(labels).samples.push_back(sample);
  }

  const ScrapePlan& plan_;
  const Labels up_;
  Exposition out_;
  SeriesCollector collector_;
  std::size_t failures_ = 0;
  TimeMs first_ = 0, last_ = 0;
  std::string why_;
};

/// Each in a group of its own, so that flags and alternatives stay inside.
std::string OneOf(const std::set<std::string, std::less<>>& patterns) {
  std::string all;
  for (const std::string& pattern : patterns) {
    all += fmt::format("{}(?:{})", all.empty() ? "" : "|", pattern);
  }
  return all;
}

}  // namespace

Exposition Record(Source& source, const RecordingPlan& plan) {
  Exposition out = Recorder(source, plan).Run();
  out.types = TypesOf(out.series);
  return out;
}

std::string SemanticsComment(const Semantics& semantics) {
  return std::string(kSemanticsWord) + ToString(semantics);
}

std::optional<Semantics> SemanticsOf(const std::vector<std::string>& comments) {
  for (const std::string& comment : comments) {
    if (!comment.starts_with(kSemanticsWord)) continue;
    try {
      return ParseSemantics(comment.substr(kSemanticsWord.size()));
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::string FindSchedulers(Source& source, const TimeRange& range) {
  return JobsWith(source, fmt::format("__name__=~\"{}{}\"", kube::kOwnPrefix, kube::kOwnCounts),
                  range);
}

std::string FindApiServers(Source& source, const std::string& within, const TimeRange& range) {
  std::string matchers =
      fmt::format("__name__=\"{}\",verb=\"POST\",resource=\"pods\",subresource=\"binding\"",
                  CountOf(kube::ControlPlaneMetric::kApiserverRequestDuration));
  if (!within.empty()) matchers += "," + within;
  return JobsWith(source, matchers, range);
}

Exposition RecordScrapes(const ScrapePlan& plan) { return ScrapeRecorder(plan).Run(); }

AskedMetrics::AskedMetrics(const std::vector<std::string>& questions) {
  for (const std::string& promql : questions) {
    promql::ExprPtr tree;
    try {
      tree = promql::Parse(promql);
    } catch (const Error&) {
      continue;  // who asks it is told
    }
    for (const auto* selector : promql::NodesOf<promql::Selector>(*tree)) Add(*selector);
  }
  if (!patterns_.empty()) pattern_.emplace(OneOf(patterns_));
}

void AskedMetrics::Add(const promql::Selector& selector) {
  std::vector<promql::Matcher> of_name;
  std::ranges::copy_if(selector.matchers, std::back_inserter(of_name),
                       [](const promql::Matcher& matcher) { return matcher.name == kMetricName; });
  if (of_name.empty()) {
    everything_ = true;
  } else if (of_name.size() == 1 && of_name.front().op == promql::MatchOp::kEqual) {
    names_.insert(of_name.front().value);
  } else if (of_name.size() == 1 && of_name.front().op == promql::MatchOp::kRegex) {
    const std::string& pattern = of_name.front().value;
    const promql::MatcherRegex regex(pattern);
    if (const std::vector<std::string>* names = regex.literals()) {
      names_.insert(names->begin(), names->end());
    } else {
      patterns_.insert(pattern);
    }
  } else {
    others_.push_back(std::move(of_name));
  }
}

bool AskedMetrics::Wants(std::string_view metric) const {
  if (everything_ || names_.contains(metric)) return true;
  // Patterns that compile one by one may be too large together.
  if (pattern_ && (!pattern_->ok() || pattern_->Matches(metric))) return true;
  const Labels labels({{kMetricName, metric}});
  return std::ranges::any_of(
      others_, [&](const auto& matchers) { return promql::Accept(matchers, labels); });
}

bool AskedMetrics::IsWithin(const AskedMetrics& other) const {
  return other.everything_ ||
         (!everything_ && others_.empty() && std::ranges::includes(other.names_, names_) &&
          std::ranges::includes(other.patterns_, patterns_));
}

}  // namespace schedlens
