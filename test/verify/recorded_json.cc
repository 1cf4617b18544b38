#include "verify/recorded_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "schedlens/error.h"

namespace schedlens::verify {

nlohmann::json ParseRecorded(std::string_view text) {
  using nlohmann::json;
  constexpr double kMostWhole = 9.2e18;
  return json::parse(text, [](int, json::parse_event_t, const json& value) {
    if (value.is_number_float() && !(std::fabs(value.get<double>()) < kMostWhole)) {
      throw Error(ErrorKind::kFailed, fmt::format("a number out of range: {}", value.dump()));
    }
    return true;
  });
}

}  // namespace schedlens::verify
