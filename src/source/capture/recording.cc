#include "source/capture/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "contract/notes.h"
#include "model/quote.h"
#include "model/text.h"
#include "schedlens/error.h"
#include "source/capture/series_collector.h"
#include "source/capture/where_samples_are.h"

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
  void Warn(const std::set<std::string>& words) { warnings_.insert(words.begin(), words.end()); }
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

LongRange WholeOf(const RecordingPlan& plan) {
  return {{plan.range.start - 1, plan.range.end}, plan.chunk_ms};
}

std::vector<Chunk> Cut(const RecordingPlan& plan, const std::vector<PieceRun>& runs) {
  std::vector<Chunk> chunks;
  const TimeRange whole = WholeOf(plan).whole;
  const std::vector<std::string> selectors = SelectorsOf(plan);
  for (const PieceRun& run : runs) {
    for (std::int64_t i = run.first; i < run.end; ++i) {
      const TimeMs start = whole.start + i * plan.chunk_ms;
      for (const std::string& selector : selectors)
        chunks.push_back({selector, {start, std::min(start + plan.chunk_ms, whole.end)}});
    }
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

void RequireFewEnough(const WhereSamplesAre& where, std::size_t selectors) {
  const auto most = kMostQuestions / static_cast<std::int64_t>(selectors);
  if (where.Pieces() <= most) return;
  std::string text = fmt::format(
      "recording: samples in {} pieces of the range, {} questions each, are more than {} questions;"
      " shorten --window, or --start and --end",
      where.Pieces(), selectors, kMostQuestions);
  if (!where.trouble.empty()) text += "; where samples are was not answered: " + where.trouble;
  throw Error(ErrorKind::kFailed, text);
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
    const std::vector<Chunk> chunks = Cut(plan_, RunsWithSamples());
    std::vector<Chunk> missing;
    for (const Chunk& chunk : chunks) TakeHeld(chunk, missing);
    planned_ = std::max(chunks.size(), missing.size());
    done_ = planned_ - missing.size();
    for (std::size_t at = 0; at < missing.size(); at += kRound) {
      const std::size_t end = std::min(at + kRound, missing.size());
      AskRound({missing.begin() + static_cast<long>(at), missing.begin() + static_cast<long>(end)});
    }
    return collected_.Take();
  }

 private:
  std::vector<PieceRun> RunsWithSamples() {
    const std::vector<std::string> selectors = SelectorsOf(plan_);
    WhereSamplesAre where = FindSamples(source_, selectors, WholeOf(plan_), [&](std::size_t asked) {
      if (plan_.progress) plan_.progress(asked, 0);
    });
    RequireFewEnough(where, selectors.size());
    collected_.Warn(where.warnings);
    return std::move(where.runs);
  }

  /// Takes what an earlier run had of the chunk, whole or in pieces; the rest is missing.
  void TakeHeld(const Chunk& chunk, std::vector<Chunk>& missing) {
    std::optional<Answer> answer;
    if (plan_.held) answer = plan_.held(RawQuery(chunk));
    if (answer) {
      collected_.Add(std::move(*answer), chunk.range);
      ++held_;
      return;
    }
    if (plan_.held && !IsSmallest(chunk)) {
      const std::size_t before = held_;
      std::vector<Chunk> pieces;
      const auto [first, second] = Halves(chunk);
      TakeHeld(first, pieces);
      TakeHeld(second, pieces);
      if (held_ > before) {
        missing.insert(missing.end(), pieces.begin(), pieces.end());
        return;
      }
    }
    missing.push_back(chunk);
  }

  void Add(const Chunk& chunk, Answer answer) {
    answer.warnings.insert(answer.warnings.end(), answer.infos.begin(), answer.infos.end());
    answer.infos.clear();
    if (plan_.keep) plan_.keep(RawQuery(chunk), answer);
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
  std::size_t held_ = 0;
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
