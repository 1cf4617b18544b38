#include "source/http/config_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "model/file.h"
#include "model/nearest.h"
#include "schedlens/error.h"

namespace schedlens {

void Fail(const ConfigFile& file, const YAML::Node& at, const std::string& text) {
  const YAML::Mark mark = at.Mark();
  const std::string line = mark.is_null() ? "" : fmt::format(":{}", mark.line + 1);
  throw Error(ErrorKind::kUsage, fmt::format("{}{}: {}", file.name, line, text));
}

Mapping::Mapping(const ConfigFile& file, YAML::Node node, std::string where, const Keys& known)
    : file_(file), node_(std::move(node)), where_(std::move(where)) {
  if (!given()) return;
  if (!node_.IsMap()) Fail(file_, node_, where_ + " must be a mapping of keys to values");
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
    if (!known.empty()) CheckKey(entry.first, key, known);
    if (!seen.insert(key).second) Fail(file_, entry.first, fmt::format("{} is given twice", key));
  }
}

YAML::Node Mapping::At(const std::string& key) const {
  return given() ? const_cast<const YAML::Node&>(node_)[key]
                 : YAML::Node(YAML::NodeType::Undefined);
}

bool Mapping::Has(const std::string& key) const {
  const YAML::Node value = At(key);
  return value.IsDefined() && !value.IsNull();
}

std::string Mapping::Text(const std::string& key) const {
  return Has(key) ? Scalar(At(key), key) : "";
}

std::string Mapping::Path(const std::string& key) const {
  const std::string text = Text(key);
  if (text.empty()) return text;
  return (std::filesystem::path(file_.directory) / text).lexically_normal().string();
}

bool Mapping::Flag(const std::string& key, bool fallback) const {
  if (!Has(key)) return fallback;
  bool value = false;
  if (!At(key).IsScalar() || !YAML::convert<bool>::decode(At(key), value)) {
    Fail(file_, At(key), key + " must be true or false");
  }
  return value;
}

std::vector<std::string> Mapping::List(const std::string& key) const {
  std::vector<std::string> values;
  if (!Has(key)) return values;
  if (!At(key).IsSequence()) Fail(file_, At(key), key + " must be a list");
  for (const auto& entry : At(key)) values.push_back(Scalar(entry, key));
  return values;
}

std::string Mapping::Secret(const std::string& key) const {
  const std::string file_key = key + "_file";
  if (Has(key) && Has(file_key)) {
    Fail(file_, At(key), fmt::format("give {} or {}, not both", key, file_key));
  }
  return Has(file_key) ? Content(Path(file_key)) : Text(key);
}

std::string Mapping::Content(const std::string& path) {
  std::string text = ReadFile(path, std::size_t{1} << 20);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

void Mapping::CheckKey(const YAML::Node& at, const std::string& key, const Keys& known) const {
  if (std::find(known.begin(), known.end(), key) != known.end()) return;
  if (key.ends_with("_ref")) {
    Fail(file_, at, fmt::format("{}: secret stores are not supported, use the _file key", key));
  }
  Fail(file_, at,
       fmt::format("unknown key {} in {}: did you mean {}?", key, where_, Nearest(key, known)));
}

std::string Mapping::Scalar(const YAML::Node& value, const std::string& key) const {
  if (!value.IsScalar()) Fail(file_, value, key + " must be plain text");
  return value.Scalar();
}

}  // namespace schedlens
