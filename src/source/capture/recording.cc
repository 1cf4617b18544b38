#include "source/capture/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "contract/source.h"
#include "model/quote.h"
#include "model/text.h"
#include "schedlens/error.h"
#include "source/capture/series_collector.h"

namespace schedlens {
namespace {

constexpr std::int64_t kSmallestChunk = 60 * 1000;
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
  const std::string length = FormatDuration(chunk.range.end - chunk.range.start);
  return {.promql = fmt::format("{{{}}}[{}]", chunk.selector, length),
          .start = chunk.range.end,
          .end = chunk.range.end,
          .step_ms = 0};
}

/// Samples of all answers by series. Chunks may come in any order, and two selectors may have
/// chosen the same series.
class Collected {
 public:
  void Add(Answer answer, const TimeRange& range) {
    warnings_.insert(answer.warnings.begin(), answer.warnings.end());
    const auto outside = [&](const auto& sample) {
      return sample.t <= range.start || sample.t > range.end;
    };
    for (Series& series : answer.series) {
      std::erase_if(series.samples, outside);
      std::erase_if(series.histograms, outside);
      collector_.Add(std::move(series));
    }
  }
  Exposition Take() {
    Exposition out;
    out.series = collector_.Take();
    std::sort(out.series.begin(), out.series.end(),
              [](const Series& a, const Series& b) { return a.labels < b.labels; });
    for (const std::string& words : warnings_) out.warnings.push_back(SourceNote(words));
    return out;
  }

 private:
  SeriesCollector collector_;
  std::set<std::string> warnings_;
};

/// What is asked for piece by piece.
std::vector<std::string> SelectorsOf(const RecordingPlan& plan) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < std::size(kGroups); ++i) all.push_back(Matchers(plan, i));
  all.insert(all.end(), plan.neighbours.begin(), plan.neighbours.end());
  return all;
}

void RequireFewEnough(std::int64_t pieces, std::size_t selectors) {
  if (pieces <= kMostQuestions / static_cast<std::int64_t>(selectors)) return;
  throw Error(ErrorKind::kFailed,
              fmt::format("recording: a range of {} hours, {} questions each, is more than {} "
                          "questions; shorten --window, or --start and --end",
                          pieces, selectors, kMostQuestions));
}

std::vector<Chunk> Cut(const RecordingPlan& plan) {
  std::vector<Chunk> chunks;
  const TimeRange whole{plan.range.start - 1, plan.range.end};
  const std::vector<std::string> selectors = SelectorsOf(plan);
  RequireFewEnough((whole.end - whole.start) / plan.chunk_ms + 1, selectors.size());
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

bool IsSmallest(const Chunk& chunk) {
  return chunk.range.end - chunk.range.start <= kSmallestChunk;
}

std::pair<Chunk, Chunk> Halves(const Chunk& chunk) {
  const TimeMs middle = chunk.range.start + (chunk.range.end - chunk.range.start) / 2;
  return {{chunk.selector, {chunk.range.start, middle}},
          {chunk.selector, {middle, chunk.range.end}}};
}

/// A limit of the server or of schedlens, or a connection that broke under load: less may work.
bool MayBeTooMuch(const Error& error) {
  return error.kind() == ErrorKind::kFailed || error.kind() == ErrorKind::kTimeout;
}

/// One recording while it runs.
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
    return collected_.Take();
  }

 private:
  void Add(const Chunk& chunk, Answer answer) {
    answer.warnings.insert(answer.warnings.end(), answer.infos.begin(), answer.infos.end());
    answer.infos.clear();
    collected_.Add(std::move(answer), chunk.range);
  }

  void Count() {
    ++done_;
    if (plan_.progress) plan_.progress(done_, planned_);
  }

  void AskRound(const std::vector<Chunk>& round) {
    std::vector<Query> queries;
    for (const Chunk& chunk : round) queries.push_back(RawQuery(chunk));
    std::vector<bool> answered(round.size());
    try {
      source_.AskEach(queries, [&](std::size_t i, Answer answer) {
        Add(round[i], std::move(answer));
        answered[i] = true;
        Count();
      });
      return;
    } catch (const Error& error) {
      if (!MayBeTooMuch(error)) throw;
    }
    for (std::size_t i = 0; i < round.size(); ++i) {
      if (answered[i]) continue;
      AskHalving(round[i]);
      Count();
    }
  }

  /// Asks for one chunk alone, halving it where it is too much.
  void AskHalving(const Chunk& chunk) {
    try {
      Add(chunk, source_.Ask(RawQuery(chunk)));
      return;
    } catch (const Error& error) {
      if (!MayBeTooMuch(error) || IsSmallest(chunk)) throw;
    }
    const auto [first, second] = Halves(chunk);
    AskHalving(first);
    AskHalving(second);
  }

  Source& source_;
  const RecordingPlan& plan_;
  Collected collected_;
  std::size_t done_ = 0;
  std::size_t planned_ = 0;
};

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

}  // namespace schedlens
