#ifndef SCHEDLENS_MODEL_JSON_DEPTH_H_
#define SCHEDLENS_MODEL_JSON_DEPTH_H_

#include <string_view>

namespace schedlens {

/// No document that is read here nests deeper, and no stack overflows at this.
inline constexpr int kDeepestJson = 256;

/// The text, or none where its brackets nest deeper than kDeepestJson: what reads it then finds no
/// JSON. Brackets in strings do not count; whether it is JSON is not looked at.
std::string_view ShallowJson(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_JSON_DEPTH_H_
