#ifndef SCHEDLENS_CLI_OPTIONS_SIZE_H_
#define SCHEDLENS_CLI_OPTIONS_SIZE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace schedlens {

/// Bytes of a size written as Kubernetes writes them: `512Mi`, `1.5Gi`, `2G`, `1048576`. Throws
/// Error(kUsage) naming `option` for a malformed size and for less than a byte.
std::int64_t ParseSize(std::string_view option, const std::string& text);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_SIZE_H_
