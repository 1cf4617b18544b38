#ifndef SCHEDLENS_SIM_CLUSTER_JSON_FIELDS_H_
#define SCHEDLENS_SIM_CLUSTER_JSON_FIELDS_H_

// Fields of a JSON object, with one clear error for each thing that they may not be.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace schedlens::sim::core {

/// Throws Error(kFailed). The caller adds which object and file it was.
[[noreturn]] void Bad(const std::string& what);

/// null if `object` is null or has no such key.
const nlohmann::json& At(const nlohmann::json& object, const char* key);
/// Empty where At gives null.
const nlohmann::json& ListAt(const nlohmann::json& object, const char* key);
/// "" for null; numbers and booleans as JSON prints them. `key` names the value in the error.
std::string Text(const nlohmann::json& value, const char* key);
std::int64_t Integer(const nlohmann::json& object, const char* key, std::int64_t fallback);
/// False where At gives null.
bool Truth(const nlohmann::json& object, const char* key);
/// A quantity that is not negative, in thousandths if `milli`.
std::int64_t Amount(const nlohmann::json& value, const std::string& name, bool milli);

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_CLUSTER_JSON_FIELDS_H_
