#pragma once

// What an alert (or any) expression asks: which quantile of which histogram, over which window,
// against which threshold.

#include <optional>

#include "promql/ast.h"

namespace schedlens::promql {

/// The parts of an expression around its first histogram_quantile. Texts are cut out of the
/// expression as written, so they can be asked again word for word.
struct AlertExpression {
  std::string expr;  ///< the whole text, MetricsQL's templates written out
  ExprPtr ast;

  bool is_histogram_quantile = false;  ///< false: none found, only `comparison`... may be set
  std::string quantile_expression;     ///< the histogram_quantile(...) call
  std::optional<double> quantile;      ///< empty when it is not a literal
  std::string family;               ///< metric name without `_bucket`; empty when a regex names it
  bool native = false;              ///< the metric has no `_bucket` suffix
  std::string selector;             ///< matchers without braces, `__name__` left out
  std::vector<Matcher> matchers;    ///< the same, read
  std::string selector_expression;  ///< the selector as written, range and modifiers included
  std::string inner_expression;     ///< `rate(...)`, or the selector when there is no function
  std::string function;             ///< "rate", "increase", ... empty without
  std::int64_t range_ms = 0;        ///< of the selector; 0 without
  std::int64_t offset_ms = 0;       ///< of the selector

  Grouping grouping = Grouping::kNone;    ///< of the innermost aggregation
  std::vector<std::string> by;            ///< labels of `by (...)`
  std::vector<std::string> without;       ///< labels of `without (...)`
  std::vector<std::string> aggregations;  ///< all between quantile and selector, outermost first
  /// An aggregation *around* the quantile (`avg(histogram_quantile(...))`), innermost first.
  std::vector<std::string> outer_aggregations;

  std::string comparison;           ///< ">", ">=", ... as if the quantile stood on the left
  std::optional<double> threshold;  ///< in the quantile's own unit: `1000 * q > 3000` is 3
  double scale = 1;                 ///< what the quantile was multiplied with before comparing
  double added = 0;                 ///< what was added to that before comparing
  /// The side of the comparison that is measured, as written: of a quantile the comparison around
  /// it, else the outermost one, through and / or / unless. The whole text without a comparison.
  std::string compared_expression;
  std::optional<double> compared_with;  ///< the other side, where it is a number
  std::string other_expression;         ///< the other side; empty without a comparison
  /// What stands around the quantile and is not part of the answer: `and on () up == 1`,
  /// `avg_over_time(...)`. Innermost first.
  std::vector<std::string> outside;
};

/// Whether the expression selects a `scheduler_...` metric.
bool IsAboutScheduler(const Expr& expr);

/// Looks for histogram_quantile inside comparisons, and / or / unless clauses, parentheses,
/// aggregations and arithmetic with numbers. An expression without a quantile is data: metric,
/// function, window, comparison and the number compared with, as `threshold`, are filled in if
/// found. Throws Error(kUsage) when the text does not parse.
AlertExpression ParseAlertExpression(std::string_view expr);

/// An expression with `or` between two parts that both look at a kube-scheduler's own metrics, once
/// with each part alone: `(a or b) > 1` is `(a) > 1` and `(b) > 1`. Word for word itself where
/// there is no such `or`; at most 16. Throws Error(kUsage) when it does not parse.
std::vector<std::string> Alternatives(const std::string& expr);

}  // namespace schedlens::promql
