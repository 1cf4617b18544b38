#ifndef SCHEDLENS_MODEL_BASE64_H_
#define SCHEDLENS_MODEL_BASE64_H_

#include <optional>
#include <string>
#include <string_view>

namespace schedlens {

/// The bytes that RFC 4648 text stands for; line breaks and blanks are skipped, padding may lack at
/// the end. Nothing for other characters, and for a single character left over.
std::optional<std::string> DecodeBase64(std::string_view text);
/// With padding, on one line.
std::string EncodeBase64(std::string_view bytes);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_BASE64_H_
