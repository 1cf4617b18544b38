#ifndef SCHEDLENS_ANALYSIS_LINT_LOGQL_H_
#define SCHEDLENS_ANALYSIS_LINT_LOGQL_H_

#include <string_view>

namespace schedlens {

/// Whether an expression that is no PromQL is LogQL: behind the braces of its selector stands a
/// filter of lines or a pipe.
bool IsLogQl(std::string_view expression);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_LOGQL_H_
