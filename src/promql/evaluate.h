#pragma once

#include <cstdint>
#include <string_view>

#include "base/source.h"
#include "promql/series_store.h"
#include "schedlens/semantics.h"

namespace schedlens::promql {

struct EvaluateOptions {
  Semantics semantics;
  /// How far back an instant selector looks for a sample.
  std::int64_t lookback_ms = 5 * 60 * 1000;
};

/// Answers the query over the store as the server of `options.semantics` would: values to the bit,
/// series in its order (instant vectors as they come, matrices by label), annotations in its words.
/// Throws Error(kUsage) for a text outside the dialect or a function that version does not know,
/// Error(kFailed) for what the server itself refuses (many-to-many matches, equal label sets).
Answer Evaluate(const SeriesStore& store, const Query& query, const EvaluateOptions& options);

}  // namespace schedlens::promql
