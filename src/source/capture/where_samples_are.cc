#include "source/capture/where_samples_are.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "model/text.h"
#include "model/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// So few pieces are asked for as they are.
constexpr std::int64_t kFewPieces = 24;
/// Below 50 points VictoriaMetrics answers at the times it was asked for.
constexpr std::int64_t kSteps = 48;
/// With more of the steps filled, a closer look would spare little.
constexpr std::int64_t kFewFilled = kSteps / 4;
constexpr std::size_t kMostProbes = 16;

/// A run in `count` steps of so many pieces; the last step may reach beyond the run.
struct Steps {
  explicit Steps(const PieceRun& of)
      : run(of),
        pieces((of.end - of.first + kSteps - 1) / kSteps),
        count((of.end - of.first + pieces - 1) / pieces) {}
  PieceRun At(std::int64_t step) const {
    const std::int64_t first = run.first + step * pieces;
    return {first, std::min(first + pieces, run.end)};
  }
  PieceRun run;
  std::int64_t pieces;
  std::int64_t count;
};

/// A sample at each step that holds one of any of the selectors.
Query StepsQuery(const std::vector<std::string>& selectors, const LongRange& range,
                 const Steps& steps) {
  const std::int64_t step_ms = steps.pieces * range.piece_ms;
  std::string text;
  for (const std::string& selector : selectors) {
    text += fmt::format("{}count(last_over_time({{{}}}[{}]))", text.empty() ? "" : " or ", selector,
                        FormatDuration(step_ms));
  }
  const TimeMs first = range.whole.start + steps.run.first * range.piece_ms + step_ms;
  return {.promql = std::move(text),
          .start = first,
          .end = first + (steps.count - 1) * step_ms,
          .step_ms = step_ms};
}

/// The filled steps as runs, neighbours joined.
std::vector<PieceRun> FilledRuns(const Steps& steps, const Query& query, const Answer& answer) {
  std::vector<bool> filled(static_cast<std::size_t>(steps.count));
  for (const Series& series : answer.series) {
    for (const Sample& sample : series.samples) {
      if (sample.t < query.start || sample.t > query.end) continue;
      filled[static_cast<std::size_t>((sample.t - query.start) / query.step_ms)] = true;
    }
  }
  std::vector<PieceRun> runs;
  for (std::int64_t i = 0; i < steps.count; ++i) {
    if (!filled[static_cast<std::size_t>(i)]) continue;
    const PieceRun one = steps.At(i);
    if (!runs.empty() && runs.back().end == one.first) {
      runs.back().end = one.end;
    } else {
      runs.push_back(one);
    }
  }
  return runs;
}

std::int64_t Sum(const std::vector<PieceRun>& runs) {
  std::int64_t sum = 0;
  for (const PieceRun& run : runs) sum += run.end - run.first;
  return sum;
}

/// In order, those that touch joined.
std::vector<PieceRun> Joined(std::vector<PieceRun> runs) {
  std::sort(runs.begin(), runs.end(),
            [](const PieceRun& a, const PieceRun& b) { return a.first < b.first; });
  std::vector<PieceRun> joined;
  for (const PieceRun& run : runs) {
    if (!joined.empty() && joined.back().end == run.first) {
      joined.back().end = run.end;
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

}  // namespace

std::int64_t LongRange::Pieces() const {
  const std::int64_t length = whole.end - whole.start;
  return length <= 0 ? 0 : (length - 1) / piece_ms + 1;
}

std::int64_t WhereSamplesAre::Pieces() const { return Sum(runs); }

WhereSamplesAre FindSamples(Source& source, const std::vector<std::string>& selectors,
                            const LongRange& range, const std::function<void(std::size_t)>& asked) {
  WhereSamplesAre found;
  const std::int64_t all = range.Pieces();
  if (all == 0) return found;
  if (all <= kFewPieces || selectors.empty()) {
    found.runs.push_back({0, all});
    return found;
  }
  std::deque<PieceRun> open = {{0, all}};
  for (std::size_t questions = 0; !open.empty() && questions < kMostProbes;) {
    const Steps steps(open.front());
    open.pop_front();
    const Query query = StepsQuery(selectors, range, steps);
    ++questions;
    if (asked) asked(questions);
    Answer answer;
    try {
      answer = source.Ask(query);
    } catch (const Error& error) {
      CheckBudget();
      if (error.kind() != ErrorKind::kFailed && error.kind() != ErrorKind::kTimeout) throw;
      found.trouble = error.what();
      found.runs.push_back(steps.run);
      continue;
    }
    found.warnings.insert(answer.warnings.begin(), answer.warnings.end());
    const std::vector<PieceRun> runs = FilledRuns(steps, query, answer);
    const bool closer = steps.pieces > 1 && Sum(runs) <= kFewFilled * steps.pieces;
    if (closer) {
      open.insert(open.end(), runs.begin(), runs.end());
    } else {
      found.runs.insert(found.runs.end(), runs.begin(), runs.end());
    }
  }
  found.runs.insert(found.runs.end(), open.begin(), open.end());
  found.runs = Joined(std::move(found.runs));
  return found;
}

}  // namespace schedlens
