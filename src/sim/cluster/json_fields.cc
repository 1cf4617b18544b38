#include "sim/cluster/json_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "schedlens/error.h"
#include "sim/base/quantity.h"

namespace schedlens::sim::core {

using Json = nlohmann::json;

void Bad(const std::string& what) { throw Error(ErrorKind::kFailed, what); }

const Json& At(const Json& object, const char* key) {
  static const Json kNull;
  if (object.is_null()) return kNull;
  if (!object.is_object()) Bad(fmt::format("expected an object containing `{}`", key));
  const auto it = object.find(key);
  return it == object.end() ? kNull : *it;
}

const Json& ListAt(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  const Json& list = At(object, key);
  if (list.is_null()) return kEmpty;
  if (!list.is_array()) Bad(fmt::format("`{}` must be a list", key));
  return list;
}

std::string Text(const Json& value, const char* key) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  Bad(fmt::format("`{}` must be a string", key));
}

std::int64_t Integer(const Json& object, const char* key, std::int64_t fallback) {
  const Json& value = At(object, key);
  if (value.is_null()) return fallback;
  if (!value.is_number_integer()) Bad(fmt::format("`{}` must be a whole number", key));
  return value.get<std::int64_t>();
}

bool Truth(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (value.is_null()) return false;
  if (!value.is_boolean()) Bad(fmt::format("`{}` must be true or false", key));
  return value.get<bool>();
}

std::int64_t Amount(const Json& value, const std::string& name, bool milli) {
  const std::string text = Text(value, name.c_str());
  const auto amount = milli ? QuantityMilli(text) : QuantityValue(text);
  if (!amount) Bad(fmt::format("{} `{}` is not a quantity", name, text));
  if (*amount < 0) Bad(fmt::format("{} `{}` is negative", name, text));
  return *amount;
}

}  // namespace schedlens::sim::core
