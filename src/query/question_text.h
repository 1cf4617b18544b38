#ifndef SCHEDLENS_QUERY_QUESTION_TEXT_H_
#define SCHEDLENS_QUERY_QUESTION_TEXT_H_

// The file format of `queries/*.promql`: lines that start with `#` are comments, statements are
// separated by blank lines and tried in order.

#include <string>
#include <string_view>

#include "contract/source.h"

namespace schedlens {

/// Reads one file. `origin` is what errors name. Throws Error(kUsage) with `origin` and the line of
/// the statement when the file holds no statement, or one that does not parse once its placeholders
/// are filled in.
Question ParseQuestion(const std::string& name, std::string_view text, const std::string& origin);

/// The same of an embedded file, without a look at its PromQL: that takes longer than most of a
/// process's start, and a test does it.
Question ReadQuestion(const std::string& name, std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_QUERY_QUESTION_TEXT_H_
