#ifndef SCHEDLENS_REPORT_JSON_JSON_MESSAGE_H_
#define SCHEDLENS_REPORT_JSON_JSON_MESSAGE_H_

// Reads a message as the writer wrote it: `{"id": ..., "args": {"mean": {"duration": 1.5}},
// "text": ...}`.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "contract/message.h"

namespace schedlens {

/// How deep messages may be within messages.
inline constexpr int kDeepestMessage = 4;

/// The message that stands for an English sentence; `details` may be null. The sentence itself
/// where the message is not one of this release or says something else here: what a file says stays
/// what it says. Empty for an empty sentence.
Message MessageOf(const std::string& english, const nlohmann::ordered_json* details);

/// Parses JSON whose members keep their order, for which each is compared with those before it:
/// throws Error(kFailed) where an object has more of them than any diagnosis, and nlohmann's
/// errors.
nlohmann::ordered_json ParseOrdered(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_JSON_MESSAGE_H_
