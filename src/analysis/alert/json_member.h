#ifndef SCHEDLENS_ANALYSIS_ALERT_JSON_MEMBER_H_
#define SCHEDLENS_ANALYSIS_ALERT_JSON_MEMBER_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace schedlens {

/// The text of an object's member; empty without it, where it is no text, and of what is no object.
std::string TextAt(const nlohmann::json& object, const char* key);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_JSON_MEMBER_H_
