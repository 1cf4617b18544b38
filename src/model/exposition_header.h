#ifndef SCHEDLENS_MODEL_EXPOSITION_HEADER_H_
#define SCHEDLENS_MODEL_EXPOSITION_HEADER_H_

#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// The comments in the help text of kCommentFamily: `\n` separates them, `\\` is a backslash.
std::vector<std::string> CommentsOf(std::string_view help);

/// The comments before the first sample of a capture, plain or gzip, without reading the rest.
/// A malformed line after them is not reported. Throws Error(kFailed) for a
/// file that cannot be read.
std::vector<std::string> ReadHeader(const std::string& path);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_EXPOSITION_HEADER_H_
