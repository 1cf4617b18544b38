#include "analysis/alert/json_member.h"

#include <nlohmann/json.hpp>

namespace schedlens {

std::string TextAt(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace schedlens
