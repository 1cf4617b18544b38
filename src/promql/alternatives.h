#ifndef SCHEDLENS_PROMQL_ALTERNATIVES_H_
#define SCHEDLENS_PROMQL_ALTERNATIVES_H_

#include <string>
#include <vector>

namespace schedlens::promql {

/// An expression with `or` between two parts that both look at a kube-scheduler's own metrics, once
/// with each part alone, in the order of the text: `(a or b) > 1` is `(a) > 1` and `(b) > 1`. Word
/// for word the expression itself where there is no such `or`; at most 16. Throws Error(kUsage)
/// when it does not parse.
std::vector<std::string> Alternatives(const std::string& expr);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_ALTERNATIVES_H_
