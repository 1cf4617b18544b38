#ifndef SCHEDLENS_MODEL_PLAIN_NUMBER_H_
#define SCHEDLENS_MODEL_PLAIN_NUMBER_H_

// Numbers as servers write them where they write no exponent: scalar results, count_values.

#include <string>

namespace schedlens {

/// Go's strconv.FormatFloat(value, 'f', -1, 64): the fewest digits that read back as the value, all
/// written out (`-0.0000002`, `1` and 22 zeros); `NaN`, `+Inf`, `-Inf`.
std::string PlainNumber(double value);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_PLAIN_NUMBER_H_
