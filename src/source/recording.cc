#include "source/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::int64_t kSmallestChunk = 60 * 1000;
/// Longer recordings are asked for in rounds, so that their answers are merged as they come.
constexpr std::size_t kRound = 24;

/// What the questions of a diagnosis draw on, and what a reader of the file may want beside it. The
/// groups keep single answers small.
constexpr const char* kGroups[] = {
    "scheduler_(plugin|framework)_.+_bucket",
    "scheduler_.+",
    "rest_client_.+",
    ("process_.+|go_(goroutines|threads|gc_duration_seconds.*|sched_.+)|workqueue_.+|"
     "leader_election_.+|kubernetes_build_info|up"),
};

constexpr const char* kOwnMetrics =
    "scheduler_(scheduling_attempt|e2e_scheduling|scheduling_algorithm)_duration_seconds_count";

constexpr std::string_view kSemanticsWord = "semantics: ";

/// Part of the range: samples with start < t <= end.
struct Chunk {
  std::size_t group = 0;
  TimeRange range;
};

std::string Matchers(const RecordingPlan& plan, std::size_t group) {
  std::string text = fmt::format("__name__=~\"{}\"", kGroups[group]);
  // The first group is a part of the second.
  if (group == 1) text += fmt::format(",__name__!~\"{}\"", kGroups[0]);
  return plan.selector.empty() ? text : text + "," + plan.selector;
}

std::string Escaped(std::string_view text, bool regex) {
  std::string out;
  for (const char c : text) {
    if (regex && std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos)
      out += "\\\\";
    if (c == '"' || (!regex && c == '\\')) out += '\\';
    out += c;
  }
  return out;
}

Query RawQuery(const std::string& selector, const TimeRange& range) {
  // Servers before 3.0 include the left edge, newer ones do not: duplicates are dropped in merging.
  return {.promql = fmt::format("{}[{}]", selector, FormatDuration(range.end - range.start)),
          .start = range.end,
          .end = range.end,
          .step_ms = 0};
}

/// Samples of all answers by series. Chunks may come in any order.
class Collected {
 public:
  void Add(Answer answer, const TimeRange& range) {
    for (const auto* notes : {&answer.warnings, &answer.infos})
      warnings_.insert(notes->begin(), notes->end());
    for (Series& series : answer.series) {
      auto& samples = samples_[series.labels];
      for (const Sample& sample : series.samples) {
        if (sample.t > range.start && sample.t <= range.end) samples.push_back(sample);
      }
      if (!series.histograms.empty()) {
        warnings_.insert("native histograms have no text form and are not in this recording");
      }
    }
  }
  Exposition Take() {
    Exposition out;
    for (auto& [labels, samples] : samples_) {
      std::sort(samples.begin(), samples.end(),
                [](const Sample& a, const Sample& b) { return a.t < b.t; });
      if (!samples.empty()) {
        out.series.push_back({.labels = labels, .samples = std::move(samples), .histograms = {}});
      }
    }
    out.warnings.assign(warnings_.begin(), warnings_.end());
    return out;
  }

 private:
  std::map<Labels, std::vector<Sample>> samples_;
  std::set<std::string> warnings_;
};

std::vector<Chunk> Cut(const RecordingPlan& plan) {
  std::vector<Chunk> chunks;
  const TimeRange whole{plan.range.start - 1, plan.range.end};
  for (TimeMs start = whole.start; start < whole.end; start += plan.chunk_ms) {
    const TimeRange part{start, std::min(start + plan.chunk_ms, whole.end)};
    for (std::size_t group = 0; group < std::size(kGroups); ++group)
      chunks.push_back({group, part});
  }
  return chunks;
}

/// A limit of the server, of ours, or a connection that broke under the load: less may go through.
bool MayBeTooMuch(const Error& error) {
  return error.kind() == ErrorKind::kFailed || error.kind() == ErrorKind::kTimeout;
}

/// Asks for one chunk alone, halving it where it is too much.
void AskHalving(Source& source, const RecordingPlan& plan, const Chunk& chunk,
                Collected& collected) {
  try {
    collected.Add(source.Ask(RawQuery("{" + Matchers(plan, chunk.group) + "}", chunk.range)),
                  chunk.range);
    return;
  } catch (const Error& error) {
    if (!MayBeTooMuch(error) || chunk.range.end - chunk.range.start <= kSmallestChunk) throw;
  }
  const TimeMs middle = chunk.range.start + (chunk.range.end - chunk.range.start) / 2;
  AskHalving(source, plan, {chunk.group, {chunk.range.start, middle}}, collected);
  AskHalving(source, plan, {chunk.group, {middle, chunk.range.end}}, collected);
}

void AskRound(Source& source, const RecordingPlan& plan, const std::vector<Chunk>& round,
              Collected& collected) {
  std::vector<Query> queries;
  for (const Chunk& chunk : round) {
    queries.push_back(RawQuery("{" + Matchers(plan, chunk.group) + "}", chunk.range));
  }
  std::vector<Answer> answers;
  try {
    answers = source.AskAll(queries);
  } catch (const Error& error) {
    if (!MayBeTooMuch(error)) throw;
    for (const Chunk& chunk : round) AskHalving(source, plan, chunk, collected);
    return;
  }
  for (std::size_t i = 0; i < round.size(); ++i)
    collected.Add(std::move(answers[i]), round[i].range);
}

/// Types as their names tell them: families with `le` buckets are histograms, `_total` counters.
std::map<std::string, std::string> TypesOf(const std::vector<Series>& all) {
  std::map<std::string, std::string> types;
  for (const Series& series : all) {
    const std::string name(series.labels.Get(kMetricName));
    const auto family = [&name](std::string_view suffix) {
      return name.substr(0, name.size() - suffix.size());
    };
    if (name.ends_with("_bucket") && series.labels.Has("le"))
      types[family("_bucket")] = "histogram";
    if (name.ends_with("_total")) types[family("_total")] = "counter";
  }
  return types;
}

void AddLabels(const ScrapePlan& plan, Exposition& page) {
  for (Series& series : page.series) {
    series.labels = series.labels.With("job", "kube-scheduler").With("instance", plan.instance);
  }
}

}  // namespace

std::string FindSchedulers(Source& source, const TimeRange& range) {
  const std::string length = FormatDuration(std::max<TimeMs>(range.end - range.start, 1));
  const Answer answer = source.Ask(
      {.promql = fmt::format("count by (job) (count_over_time({{__name__=~\"{}\"}}[{}]))",
                             kOwnMetrics, length),
       .start = range.end,
       .end = range.end,
       .step_ms = 0});
  std::set<std::string> jobs;
  for (const Series& series : answer.series) {
    if (!series.labels.Has("job")) return "";
    jobs.insert(Escaped(series.labels.Get("job"), true));
  }
  return jobs.empty() ? "" : fmt::format("job=~\"{}\"", fmt::join(jobs, "|"));
}

Exposition Record(Source& source, const RecordingPlan& plan) {
  Collected collected;
  const std::vector<Chunk> chunks = Cut(plan);
  for (std::size_t at = 0; at < chunks.size(); at += kRound) {
    const std::size_t end = std::min(at + kRound, chunks.size());
    AskRound(source, plan,
             {chunks.begin() + static_cast<long>(at), chunks.begin() + static_cast<long>(end)},
             collected);
    if (plan.progress) plan.progress(end, chunks.size());
  }
  if (!plan.alert.empty()) {
    const TimeRange whole{plan.range.start - 1, plan.range.end};
    const std::string alerts = fmt::format(
        "{{__name__=~\"ALERTS|ALERTS_FOR_STATE\",alertname=\"{}\"}}", Escaped(plan.alert, false));
    collected.Add(source.Ask(RawQuery(alerts, whole)), whole);
  }
  Exposition out = collected.Take();
  out.types = TypesOf(out.series);
  return out;
}

Exposition RecordScrapes(const ScrapePlan& plan) {
  Exposition out;
  std::map<Labels, std::size_t> index;
  const auto append = [&](const Labels& labels, const Sample& sample) {
    const auto [at, fresh] = index.emplace(labels, out.series.size());
    if (fresh) out.series.push_back({.labels = labels, .samples = {}, .histograms = {}});
    out.series[at->second].samples.push_back(sample);
  };
  const Labels up({{"__name__", "up"}, {"job", "kube-scheduler"}, {"instance", plan.instance}});
  const auto planned = static_cast<std::size_t>(plan.duration_ms / plan.interval_ms) + 1;
  const TimeMs begin = plan.now();
  for (std::size_t i = 0; i < planned; ++i) {
    plan.wait_until(begin + static_cast<TimeMs>(i) * plan.interval_ms);
    const TimeMs time = plan.now();
    try {
      Exposition page = ParseExposition(plan.fetch(), plan.instance, time);
      AddLabels(plan, page);
      for (const Series& series : page.series)
        append(series.labels, {time, series.samples.back().v});
      out.types.insert(page.types.begin(), page.types.end());
      append(up, {time, 1});
    } catch (const Error& error) {
      if (i == 0 || error.kind() == ErrorKind::kAuth || error.kind() == ErrorKind::kInterrupted) {
        throw;
      }
      append(up, {time, 0});
      out.warnings.push_back(
          fmt::format("the scrape at {} failed: {}", FormatTime(time), error.what()));
    }
    if (plan.progress) plan.progress(i + 1, planned);
  }
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

}  // namespace schedlens
