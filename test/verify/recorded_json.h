#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace schedlens::verify {

/// One line of a recording. Throws nlohmann's exceptions for what is no JSON, and Error(kFailed)
/// for a number that no 64-bit integer can hold: recordings have none, and nlohmann turns it into
/// one without a look.
nlohmann::json ParseRecorded(std::string_view text);

}  // namespace schedlens::verify
