#ifndef SCHEDLENS_MODEL_DIGIT_H_
#define SCHEDLENS_MODEL_DIGIT_H_

namespace schedlens {

/// Whether a byte is one of the ASCII digits.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_DIGIT_H_
