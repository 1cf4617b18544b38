#ifndef SCHEDLENS_PROMQL_LITERAL_SET_H_
#define SCHEDLENS_PROMQL_LITERAL_SET_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens::promql {

/// The texts that a regular expression matches from end to end, in order, each once: `a_(b|c)?` is
/// `a_`, `a_b` and `a_c`, as most selectors' patterns are. Nothing for a pattern with anything but
/// letters, digits, `_ : / -`, `|`, groups and `?`, one that does not compile, or one with more
/// than 256 texts.
std::optional<std::vector<std::string>> LiteralSet(std::string_view pattern);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_LITERAL_SET_H_
