#include "model/plain_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "model/text.h"

namespace schedlens {

std::string PlainNumber(double value) {
  std::string number = FormatNumber(value);
  const std::size_t e = number.find('e');
  if (e == std::string::npos || !std::isfinite(value)) return number;
  int exponent = 0;
  const std::size_t sign = number[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(number.data() + sign, number.data() + number.size(), exponent);
  std::string digits = number.substr(0, e);
  const std::string minus = digits.starts_with('-') ? "-" : "";
  digits.erase(
      std::remove_if(digits.begin(), digits.end(), [](char c) { return c == '.' || c == '-'; }),
      digits.end());
  if (exponent < 0) {
    return minus + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  }
  // From 1e21 on every digit stands before the point: doubles have at most 17.
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  return minus + digits + std::string(whole - digits.size(), '0');
}

}  // namespace schedlens
