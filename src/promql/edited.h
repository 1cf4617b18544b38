#pragma once

#include <string>
#include <string_view>

#include "promql/ast.h"

namespace schedlens::promql {

/// `text`, which parses to `before`, changed so that it parses to `after`: what is the same in both
/// trees stays to the letter, with its blanks, line breaks and comments. Parts of another shape are
/// written canonically, and parentheses around an argument stay. Places in `after` do not matter.
std::string Edited(std::string_view text, const Expr& before, const Expr& after);

}  // namespace schedlens::promql
