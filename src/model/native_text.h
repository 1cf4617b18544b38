#ifndef SCHEDLENS_MODEL_NATIVE_TEXT_H_
#define SCHEDLENS_MODEL_NATIVE_TEXT_H_

// Native histograms as text: `{count:3, sum:1.5, [-0.001,0.001]:1, (0.5,1]:2}`, the form in which
// promtool dumps them. Brackets say which bounds belong to a bucket, numbers have all their digits.

#include <optional>
#include <string>
#include <string_view>

#include "contract/series.h"

namespace schedlens {

/// Reads back to the bit.
std::string NativeText(const NativeHistogram& histogram);

/// Nothing for what is not of this form.
std::optional<NativeHistogram> ParseNativeText(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_NATIVE_TEXT_H_
