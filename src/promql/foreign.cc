#include "promql/foreign.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "promql/lexer.h"
#include "promql/parser.h"
#include "promql/type_check.h"

namespace schedlens::promql {
namespace {

/// The functions of Prometheus 3.14 and of VictoriaMetrics that are not in the table of functions.
constexpr std::string_view kForeignNames[] = {"acos",
                                              "acosh",
                                              "alias",
                                              "asin",
                                              "asinh",
                                              "atan",
                                              "atanh",
                                              "bitmap_and",
                                              "buckets_limit",
                                              "cos",
                                              "cosh",
                                              "count_eq_over_time",
                                              "count_gt_over_time",
                                              "count_le_over_time",
                                              "count_values_over_time",
                                              "distinct_over_time",
                                              "drop_common_labels",
                                              "drop_empty_series",
                                              "duration_over_time",
                                              "geomean_over_time",
                                              "histogram_over_time",
                                              "histogram_share",
                                              "hoeffding_bound_upper",
                                              "increase_pure",
                                              "info",
                                              "integrate",
                                              "interpolate",
                                              "iqr_over_time",
                                              "keep_last_value",
                                              "keep_next_value",
                                              "label_copy",
                                              "label_del",
                                              "label_graphite_group",
                                              "label_keep",
                                              "label_lowercase",
                                              "label_map",
                                              "label_match",
                                              "label_mismatch",
                                              "label_move",
                                              "label_set",
                                              "label_transform",
                                              "label_uppercase",
                                              "label_value",
                                              "labels_equal",
                                              "lag",
                                              "lifetime",
                                              "limit_offset",
                                              "median_over_time",
                                              "mode_over_time",
                                              "now",
                                              "outlier_iqr_over_time",
                                              "quantiles",
                                              "quantiles_over_time",
                                              "range_avg",
                                              "range_first",
                                              "range_last",
                                              "range_max",
                                              "range_median",
                                              "range_min",
                                              "range_normalize",
                                              "range_quantile",
                                              "range_stddev",
                                              "range_sum",
                                              "range_trim_outliers",
                                              "rate_over_sum",
                                              "remove_resets",
                                              "rollup",
                                              "rollup_candlestick",
                                              "rollup_delta",
                                              "rollup_increase",
                                              "rollup_rate",
                                              "running_avg",
                                              "running_max",
                                              "running_min",
                                              "running_sum",
                                              "scrape_interval",
                                              "share_gt_over_time",
                                              "share_le_over_time",
                                              "sin",
                                              "sinh",
                                              "smooth_exponential",
                                              "sort_by_label",
                                              "sort_by_label_desc",
                                              "sort_by_label_numeric",
                                              "sort_by_label_numeric_desc",
                                              "stale_samples_over_time",
                                              "start",
                                              "start_timestamp",
                                              "step",
                                              "sum2_over_time",
                                              "sum_eq_over_time",
                                              "tan",
                                              "tanh",
                                              "tfirst_over_time",
                                              "timezone_offset",
                                              "tlast_change_over_time",
                                              "tlast_over_time",
                                              "tmax_over_time",
                                              "tmin_over_time",
                                              "ttf",
                                              "union",
                                              "zscore_over_time"};

/// What of one node cannot be evaluated; empty when all can.
std::string ForeignPart(const Expr& node) {
  if (const auto* call = node.As<Call>(); call && call->function->id == FunctionId::kForeign) {
    return fmt::format("function \"{}\"", call->function->name);
  }
  if (const auto* aggregation = node.As<Aggregation>()) {
    if (aggregation->op >= AggregateOp::kLimitk) {
      return fmt::format("\"{}\"", ToString(aggregation->op));
    }
  }
  if (const auto* binary = node.As<Binary>()) {
    if (binary->op >= BinaryOp::kAtan2) return fmt::format("\"{}\"", ToString(binary->op));
    if (!binary->matching.fill.empty()) return fmt::format("\"{}\"", binary->matching.fill);
  }
  if (const auto* selector = node.As<Selector>()) {
    if (selector->range_ms == 0 && selector->edges != Edges::kPlain) {
      return fmt::format("\"{}\" of an instant selector",
                         selector->edges == Edges::kAnchored ? "anchored" : "smoothed");
    }
  }
  return "";
}

/// The first argument of the node that lacks the range which its function wants; null without.
const Expr* WithoutRange(const Expr& node, std::size_t* index) {
  const auto* call = node.As<Call>();
  if (call == nullptr || call->function->id == FunctionId::kForeign) return nullptr;
  const std::vector<ValueKind>& wanted = call->function->arguments;
  for (std::size_t i = 0; i < call->args.size() && !wanted.empty(); ++i) {
    if (wanted[std::min(i, wanted.size() - 1)] != ValueKind::kMatrix) continue;
    if (call->args[i]->kind == ValueKind::kMatrix) continue;
    *index = i;
    return call->args[i].get();
  }
  return nullptr;
}

void RefuseImpliedRange(const Expr& node, std::string_view text) {
  std::size_t i = 0;
  const Expr* arg = WithoutRange(node, &i);
  if (arg == nullptr) return;
  ThrowAt(text, arg->begin,
          fmt::format("expected range vector as argument {} of {}, found {}", i + 1,
                      node.As<Call>()->function->name, KindName(arg->kind)));
}

}  // namespace

const Function* FindForeignFunction(std::string_view name) {
  static const std::vector<Function> table = [] {
    std::vector<Function> functions;
    for (const std::string_view each : kForeignNames) {
      functions.push_back({.id = FunctionId::kForeign, .name = each, .arguments = {}});
    }
    return functions;
  }();
  for (const Function& function : table) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

void RefuseForeign(const Expr& tree, std::string_view text, const Semantics& semantics) {
  Walk(tree, [&](const Expr& node) {
    const std::string part = ForeignPart(node);
    if (!part.empty()) {
      const auto* binary = node.As<Binary>();
      ThrowAt(text, binary ? binary->lhs->end : node.begin,
              part + " is outside the dialect: only a server that knows it can evaluate it");
    }
    std::size_t i = 0;
    const Expr* arg = WithoutRange(node, &i);
    const bool implied = arg != nullptr && WithoutParens(*arg).As<Selector>() != nullptr;
    if (!implied || !semantics.IsVictoriaMetrics()) RefuseImpliedRange(node, text);
  });
}

namespace {

/// Throws for what only VictoriaMetrics reads.
void RefuseMetricsQl(const Expr& tree, std::string_view text) {
  Walk(tree, [&](const Expr& node) {
    RefuseImpliedRange(node, text);
    const auto* binary = node.As<Binary>();
    if (binary == nullptr || !IsConditional(binary->op)) return;
    ThrowAt(text, binary->lhs->end,
            fmt::format("only VictoriaMetrics knows \"{}\"", ToString(binary->op)));
  });
}

}  // namespace

ExprPtr ParsePrometheus(std::string_view text) {
  ExprPtr tree = Parse(text);
  RefuseMetricsQl(*tree, text);
  return tree;
}

}  // namespace schedlens::promql
