#include "source/http/halving_source.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "promql/ast.h"
#include "promql/parser.h"
#include "schedlens/error.h"
#include "source/http/status_errors.h"

namespace schedlens {
namespace {

using promql::Selector;

constexpr std::int64_t kSmallestRange = 60 * 1000;

/// The question for the raw samples of a part of its range, (start, end].
Query RawPart(const Selector& selector, TimeMs start, TimeMs end) {
  Selector part = selector;
  part.range_ms = end - start;
  return {.promql = promql::ToString(*promql::MakeExpr(part, ValueKind::kMatrix)),
          .start = end,
          .end = end,
          .step_ms = 0};
}

std::optional<std::pair<Query, Query>> HalvesOfRaw(const Query& query) {
  promql::ExprPtr tree;
  try {
    tree = promql::Parse(query.promql);
  } catch (const Error&) {
    return std::nullopt;
  }
  const auto* selector = tree->As<Selector>();
  const bool raw = selector != nullptr && selector->range_ms > kSmallestRange &&
                   selector->shift == promql::TimeShift{};
  if (!raw) return std::nullopt;
  const TimeMs start = query.end - selector->range_ms;
  const TimeMs middle = start + selector->range_ms / 2;
  return std::pair(RawPart(*selector, start, middle), RawPart(*selector, middle, query.end));
}

/// Two questions for what one asks; nothing for what cannot be cut or is short enough.
std::optional<std::pair<Query, Query>> Halves(const Query& query) {
  if (query.instant()) return HalvesOfRaw(query);
  if (query.step_ms <= 0) return std::nullopt;
  const std::int64_t steps = (query.end - query.start) / query.step_ms;
  if (steps < 2) return std::nullopt;  // each half needs a range of its own
  Query first = query;
  Query second = query;
  first.end = query.start + std::max<std::int64_t>(steps / 2, 1) * query.step_ms;
  second.start = first.end + query.step_ms;
  // A single step would be an instant question: the halves overlap by one then.
  if (second.start >= query.start + steps * query.step_ms) second.start = first.end;
  return std::pair(first, second);
}

template <typename T>
void AppendLater(std::vector<T> more, std::vector<T>* samples) {
  for (T& sample : more) {
    // Servers before 3.0 count both edges of a range.
    if (samples->empty() || sample.t > samples->back().t) samples->push_back(std::move(sample));
  }
}

/// The answers to both halves as the answer to the whole, in label order.
Answer Joined(Answer first, Answer second) {
  std::map<Labels, Series> all;
  for (Answer* half : {&first, &second}) {
    for (Series& series : half->series) {
      Series& whole = all[series.labels];
      whole.labels = series.labels;
      AppendLater(std::move(series.samples), &whole.samples);
      AppendLater(std::move(series.histograms), &whole.histograms);
    }
  }
  const auto add = [](const std::vector<std::string>& more, std::vector<std::string>* to) {
    for (const std::string& words : more) {
      if (std::find(to->begin(), to->end(), words) == to->end()) to->push_back(words);
    }
  };
  add(second.warnings, &first.warnings);
  add(second.infos, &first.infos);
  first.series.clear();
  for (auto& [labels, series] : all) first.series.push_back(std::move(series));
  return first;
}

class HalvingSource final : public Source {
 public:
  explicit HalvingSource(std::unique_ptr<Source> server) : server_(std::move(server)) {}

  Answer Ask(const Query& query) override {
    try {
      return server_->Ask(query);
    } catch (const Error& error) {
      if (!TellsALimit(error.what())) throw;
      const auto halves = Halves(query);
      if (!halves) throw;
      Answer first = Ask(halves->first);
      return Joined(std::move(first), Ask(halves->second));
    }
  }

  std::vector<Answer> AskAll(const std::vector<Query>& queries) override {
    try {
      return server_->AskAll(queries);
    } catch (const Error& error) {
      if (!TellsALimit(error.what())) throw;
    }
    std::vector<Answer> answers;
    answers.reserve(queries.size());
    for (const Query& query : queries) answers.push_back(Ask(query));
    return answers;
  }

  void AskEach(const std::vector<Query>& queries,
               const std::function<void(std::size_t, Answer)>& take) override {
    std::vector<bool> answered(queries.size());
    try {
      server_->AskEach(queries, [&](std::size_t i, Answer answer) {
        answered[i] = true;
        take(i, std::move(answer));
      });
      return;
    } catch (const Error& error) {
      if (!TellsALimit(error.what())) throw;
    }
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (!answered[i]) take(i, Ask(queries[i]));
    }
  }

  SourceInfo Describe() override { return server_->Describe(); }

 private:
  std::unique_ptr<Source> server_;
};

}  // namespace

std::unique_ptr<Source> NewHalvingSource(std::unique_ptr<Source> server) {
  return std::make_unique<HalvingSource>(std::move(server));
}

}  // namespace schedlens
