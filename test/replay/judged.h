#pragma once

// One diagnosis judged against exact truth: its first finding, stage shares, the tail's proven
// shares, proven quantiles and estimates.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contract/diagnosis.h"
#include "replay/stage_truth.h"

namespace schedlens::test {

inline bool IsCause(const std::string& id) {
  return id.rfind("quantile.", 0) != 0 && id.rfind("data.", 0) != 0;
}

/// What one diagnosis got right and how far off it was; fractions unless named.
struct Held {
  int runs = 0, first_right = 0, all_named = 0, wrong_certain = 0;
  std::vector<double> share_errors;  ///< the largest of each run
  int tails = 0, tails_held = 0;
  std::vector<double> leading_low;       ///< proven tail share of the leading stage, from below
  std::vector<double> leading_estimate;  ///< its estimate's distance from the truth
  int quantiles = 0, quantiles_held = 0;
  std::vector<double> p99_ratio, p99_estimate, p99_server;
  std::vector<std::string> notes;  ///< what is not as it should be

  /// Says of which run the notes are.
  void Label(const std::string& run) {
    for (std::string& note : notes) note += "\t" + run;
  }

  void Merge(const Held& other) {
    runs += other.runs;
    first_right += other.first_right;
    all_named += other.all_named;
    wrong_certain += other.wrong_certain;
    tails += other.tails;
    tails_held += other.tails_held;
    quantiles += other.quantiles;
    quantiles_held += other.quantiles_held;
    const auto append = [](auto* to, const auto& from) {
      to->insert(to->end(), from.begin(), from.end());
    };
    append(&share_errors, other.share_errors);
    append(&leading_low, other.leading_low);
    append(&leading_estimate, other.leading_estimate);
    append(&p99_ratio, other.p99_ratio);
    append(&p99_estimate, other.p99_estimate);
    append(&p99_server, other.p99_server);
    append(&notes, other.notes);
  }
};

inline double Middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? NAN : values[values.size() / 2];
}

/// The value that this part of all does not exceed.
inline double AtPart(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  if (values.empty()) return NAN;
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

inline double Most(const std::vector<double>& values) {
  return values.empty() ? NAN : *std::max_element(values.begin(), values.end());
}

inline double Least(const std::vector<double>& values) {
  return values.empty() ? NAN : *std::min_element(values.begin(), values.end());
}

/// The first cause is right when it is one of the `expected`. Causes that the data cannot tell
/// apart are all `possible` with one share: then any of them. `true_besides` are causes that the
/// truth of this run shows although the scenario is not about them.
inline void JudgeFindings(const Diagnosis& d, const std::vector<std::string>& expected,
                          const std::vector<std::string>& true_besides, Held* held) {
  std::vector<const Finding*> causes;
  if (d.verdict != Verdict::kNoIncident) {
    for (const Finding& f : d.findings) {
      if (IsCause(f.id)) causes.push_back(&f);
    }
  }
  const auto among = [](const std::vector<std::string>& ids, const std::string& id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  const auto is_true = [&](const std::string& id) {
    return among(expected, id) || among(true_besides, id);
  };
  ++held->runs;
  bool right = false;
  for (const Finding* f : causes) {
    const Finding& first = *causes.front();
    const bool tied = f->confidence == Confidence::kPossible &&
                      first.confidence == Confidence::kPossible && f->share && first.share &&
                      f->share->value == first.share->value;
    right = right || ((f == &first || tied) && is_true(f->id));
  }
  if (expected.empty()) {
    right = std::all_of(causes.begin(), causes.end(),
                        [](const Finding* f) { return f->confidence == Confidence::kPossible; });
  }
  held->first_right += right;
  if (!right) held->notes.push_back("first " + (causes.empty() ? "none" : causes.front()->id));
  held->all_named += std::all_of(expected.begin(), expected.end(), [&](const std::string& id) {
    return std::any_of(causes.begin(), causes.end(), [&](const Finding* f) { return f->id == id; });
  });
  for (const Finding* f : causes) {
    if (f->confidence != Confidence::kCertain || is_true(f->id)) continue;
    ++held->wrong_certain;
    held->notes.push_back("certain " + f->id);
  }
}

inline void JudgeStages(const Diagnosis& d, const WindowTruth& truth, double tolerance,
                        Held* held) {
  if (!(truth.all.all > 0)) return;  // nothing ended in the window
  std::map<std::string, const StageTime*> stages;
  for (const StageTime& stage : d.stages) stages[stage.id] = &stage;
  const auto share = [&](const std::string& id) {
    const auto it = stages.find(id);
    return it == stages.end() ? std::nullopt : it->second->share.value;
  };
  const bool separate = d.release < "1.21";
  const bool remainder_is_bind = !share("unmeasured").has_value();
  const auto all = truth.all.Shares(separate, remainder_is_bind);
  const auto slowest = truth.slowest.Shares(separate, remainder_is_bind);
  double worst = 0;
  for (const auto& [id, want] : all) {
    const double error = std::abs(share(id).value_or(0) - want);
    if (error > tolerance) held->notes.push_back(fmt::format("{} off {:.4f}", id, error));
    worst = std::max(worst, error);
  }
  held->share_errors.push_back(worst);
  std::string leading;
  for (const auto& [id, want] : slowest) {
    const auto it = stages.find(id);
    if (it == stages.end() || !it->second->tail_time_share) continue;
    const Measured& tail = *it->second->tail_time_share;
    ++held->tails;
    if (tail.low.value_or(0) - 1e-4 <= want && want <= tail.high.value_or(1) + 1e-4) {
      ++held->tails_held;
    } else {
      held->notes.push_back(fmt::format("tail {} {:.4f} not in {:.4f}..{:.4f}", id, want,
                                        tail.low.value_or(0), tail.high.value_or(1)));
    }
    const bool top = id.find('.') == std::string::npos;
    if (top && (leading.empty() || want > slowest.at(leading))) leading = id;
  }
  if (leading.empty()) return;
  const Measured& tail = *stages.at(leading)->tail_time_share;
  held->leading_low.push_back(tail.low.value_or(0));
  if (tail.value) held->leading_estimate.push_back(std::abs(*tail.value - slowest.at(leading)));
}

/// A scrape's timestamp is when it began, to the millisecond.
inline double EdgeSlack(double truth) { return 2e-3 * truth + 1e-4; }

inline void JudgeQuantiles(const Diagnosis& d, const WindowTruth& truth, Held* held) {
  if (d.quantiles.empty()) return;
  const std::pair<std::string, std::string> scheduled{"result", "scheduled"};
  for (const QuantileRow& row : d.quantiles) {
    if (row.metric != d.quantiles.front().metric || row.labels.empty() ||
        row.labels.front() != scheduled) {
      continue;
    }
    const auto it = truth.quantiles.find(row.q);
    if (it == truth.quantiles.end()) continue;
    const double want = it->second, slack = EdgeSlack(want);
    const double low = row.interval.low.value_or(0), high = row.interval.high.value_or(HUGE_VAL);
    ++held->quantiles;
    if (low <= want + slack && want - slack <= high) {
      ++held->quantiles_held;
    } else {
      held->notes.push_back(
          fmt::format("q{} {:.4g} not in {:.4g}..{:.4g}", row.q, want, low, high));
    }
    if (row.q != 0.99) continue;
    held->p99_ratio.push_back(low > 0 ? high / low : HUGE_VAL);
    if (row.estimate.value) {
      held->p99_estimate.push_back(std::abs(*row.estimate.value / want - 1));
    }
    if (row.shown) held->p99_server.push_back(std::abs(*row.shown / want - 1));
  }
}

/// One scenario or recording with the window given, and with it found.
struct Outcome {
  std::string name;
  bool applies = false;
  std::size_t causes = 0;  ///< expected
  Held given{}, found{};
};

}  // namespace schedlens::test
