#ifndef SCHEDLENS_PROMQL_MATCHER_H_
#define SCHEDLENS_PROMQL_MATCHER_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contract/series.h"
#include "promql/ast.h"

namespace schedlens::promql {

/// Whether every matcher accepts the labels, as a selector would. Regular expressions must compile,
/// as those of a parsed expression do.
bool Accept(std::span<const Matcher> matchers, const Labels& labels);

/// Reads `a="b",c=~"d"`, matchers without braces; empty text has none. Nothing for text that is
/// something else; throws Error(kUsage) where it does not parse at all.
std::optional<std::vector<Matcher>> ParseMatchers(const std::string& text);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_MATCHER_H_
