#include "base/yaml_map.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/nearest.h"
#include "base/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::size_t kMistyped = 2;  // edits between a key and what was meant

std::string LowerCase(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

YamlMap::YamlMap(const YAML::Node& node, YamlFile file)
    : YamlMap(node, std::make_shared<const YamlFile>(std::move(file)), "") {}

YamlMap::YamlMap(const YAML::Node& node, std::shared_ptr<const YamlFile> file, std::string path)
    : file_(std::move(file)),
      path_(std::move(path)),
      node_(std::make_shared<const YAML::Node>(node)) {
  if (!*node_ || node_->IsNull()) return;
  if (!node_->IsMap()) Fail(*node_, "must be a mapping");
  std::set<std::string> seen;
  for (const auto& item : *node_) {
    if (seen.insert(item.first.Scalar()).second) continue;
    Fail(item.first, fmt::format("key `{}` is given twice", item.first.Scalar()));
  }
}

std::string YamlMap::PlaceOf(const YAML::Node& at) const {
  const YAML::Mark mark = at ? at.Mark() : YAML::Mark::null_mark();
  return mark.is_null() ? file_->name : fmt::format("{}:{}", file_->name, mark.line + 1);
}

void YamlMap::Fail(const YAML::Node& at, const std::string& why) const {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: {}{}{}", PlaceOf(at), path_, path_.empty() ? "" : ": ", why));
}

bool YamlMap::Same(const std::string& a, const std::string& b) const {
  return a == b || (file_->skip && LowerCase(a) == LowerCase(b));
}

YAML::Node YamlMap::Find(const std::string& key) {
  known_.push_back(key);
  if (*node_ && node_->IsMap()) {
    for (const auto& item : *node_) {
      if (Same(item.first.Scalar(), key) && !item.second.IsNull()) return item.second;
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

bool YamlMap::Has(const std::string& key) { return Find(key).IsDefined(); }

void YamlMap::Ignore(std::initializer_list<const char*> keys) {
  known_.insert(known_.end(), keys.begin(), keys.end());
}

void YamlMap::Read(const std::string& key, std::string* out) {
  if (const YAML::Node value = Find(key)) *out = TextOf(value, key);
}

void YamlMap::Read(const std::string& key, bool* out) {
  const YAML::Node value = Find(key);
  if (!value) return;
  TextOf(value, key);
  if (!YAML::convert<bool>::decode(value, *out))
    Fail(value, fmt::format("`{}` is true or false", key));
}

void YamlMap::Read(const std::string& key, double* out, double low, double high) {
  if (const YAML::Node value = Find(key)) *out = NumberOf(value, key, low, high);
}

template <typename Whole>
void YamlMap::ReadWhole(const std::string& key, Whole* out, Whole low, Whole high) {
  const YAML::Node value = Find(key);
  if (!value) return;
  const double number = NumberOf(value, key, static_cast<double>(low), static_cast<double>(high));
  *out = static_cast<Whole>(std::llround(number));
  if (!file_->number && number != static_cast<double>(*out)) {
    Fail(value, fmt::format("`{}` is {}, not a whole number", key, value.Scalar()));
  }
}

void YamlMap::Read(const std::string& key, std::int32_t* out, std::int32_t low, std::int32_t high) {
  ReadWhole(key, out, low, high);
}

void YamlMap::Read(const std::string& key, std::int64_t* out, std::int64_t low, std::int64_t high) {
  ReadWhole(key, out, low, high);
}

void YamlMap::Read(const std::string& key, std::vector<std::string>* out) {
  for (const YAML::Node& item : List(key)) out->push_back(TextOf(item, key));
}

std::string YamlMap::TextOf(const YAML::Node& value, const std::string& key) const {
  if (!value.IsScalar()) Fail(value, fmt::format("`{}` must be a single value", key));
  return value.Scalar();
}

double YamlMap::NumberOf(const YAML::Node& value, const std::string& key, double low,
                         double high) const {
  const std::string text = TextOf(value, key);
  std::optional<double> number;
  try {
    number = file_->number ? file_->number(text) : ParseNumber(text);
  } catch (const Error& error) {
    Fail(value, fmt::format("`{}`: {}", key, error.what()));
  }
  if (!number || !std::isfinite(*number)) {
    Fail(value, fmt::format("`{}` is `{}`, not a number", key, text));
  }
  return Bounded(value, key, *number, low, high);
}

double YamlMap::Bounded(const YAML::Node& at, const std::string& key, double value, double low,
                        double high) const {
  if (!(value >= low && value <= high)) {
    Fail(at, fmt::format("`{}` is {}, it must lie in {}..{}", key, FormatNumber(value),
                         FormatNumber(low), FormatNumber(high)));
  }
  return value;
}

YamlMap YamlMap::Sub(const std::string& key) { return Child(Find(key), key); }

YamlMap YamlMap::Child(const YAML::Node& node, const std::string& name) const {
  return YamlMap(node, file_, path_.empty() ? name : path_ + "." + name);
}

void YamlMap::Each(const std::string& key, const std::function<void(YamlMap&)>& use) {
  std::size_t number = 0;
  for (const YAML::Node& node : List(key)) {
    YamlMap item = Child(node, fmt::format("{}[{}]", key, number++));
    use(item);
    item.Finish();
  }
}

std::vector<YAML::Node> YamlMap::List(const std::string& key) {
  const YAML::Node list = Find(key);
  if (!list) return {};
  if (!list.IsSequence()) Fail(list, fmt::format("`{}` must be a list", key));
  return {list.begin(), list.end()};
}

void YamlMap::Entries(const std::string& key,
                      const std::function<void(const YAML::Node&, const YAML::Node&)>& use) {
  const YamlMap map = Sub(key);
  if (!map.node()) return;
  for (const auto& item : map.node()) use(item.first, item.second);
}

void YamlMap::Finish() {
  if (finished_ || !*node_ || !node_->IsMap()) return;
  finished_ = true;
  for (const auto& item : *node_) {
    const std::string key = item.first.Scalar();
    if (std::ranges::any_of(known_, [&](const auto& known) { return Same(known, key); })) continue;
    const bool mistyped = !known_.empty() && EditDistance(key, Nearest(key, known_)) <= kMistyped;
    if (!file_->skip || mistyped) {
      Fail(item.first,
           fmt::format("unknown key `{}`, did you mean `{}`?", key, Nearest(key, known_)));
    }
    file_->skip(key, PlaceOf(item.first));
  }
}

}  // namespace schedlens
