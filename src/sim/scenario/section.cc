#include "sim/scenario/section.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>

#include "model/nearest.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens::sim {
namespace {

constexpr double kKibi = 1024;

}  // namespace

Section::Section(const YAML::Node& node, std::string file, std::string path, double severity)
    : node_(std::make_shared<const YAML::Node>(node)),
      file_(std::move(file)),
      path_(std::move(path)),
      severity_(severity) {
  if (*node_ && !node_->IsNull() && !node_->IsMap()) Fail(*node_, "must be a mapping");
}

void Section::Fail(const YAML::Node& at, const std::string& why) const {
  const YAML::Mark mark = at ? at.Mark() : YAML::Mark::null_mark();
  const std::string line = mark.is_null() ? "" : fmt::format(":{}", mark.line + 1);
  throw Error(ErrorKind::kUsage,
              fmt::format("{}{}: {}{}{}", file_, line, path_, path_.empty() ? "" : ": ", why));
}

YAML::Node Section::Find(const std::string& key) {
  known_.push_back(key);
  return *node_ && node_->IsMap() ? (*node_)[key] : YAML::Node(YAML::NodeType::Undefined);
}

std::string Section::Text(const std::string& key, const std::string& fallback) {
  const YAML::Node node = Find(key);
  if (!node || node.IsNull()) return fallback;
  if (!node.IsScalar()) Fail(node, fmt::format("`{}` must be a single value", key));
  return node.Scalar();
}

double Section::Number(const std::string& key, double fallback, double low, double high) {
  const YAML::Node node = Find(key);
  if (!node || node.IsNull()) return fallback;
  return Bounded(node, key, Scalar(node, key), low, high);
}

int Section::Count(const std::string& key, int fallback, int low, int high) {
  const YAML::Node node = Find(key);
  if (!node || node.IsNull()) return fallback;
  const double value = Bounded(node, key, Scalar(node, key), low, high);
  // A severity may make a count fractional; it is a whole number of things.
  return static_cast<int>(std::lround(value));
}

Nanos Section::Duration(const std::string& key, Nanos fallback) {
  return FromSeconds(Number(key, ToSeconds(fallback), 0, 86400.0 * 30));
}

bool Section::Flag(const std::string& key, bool fallback) {
  const std::string text = Text(key, fallback ? "true" : "false");
  if (text != "true" && text != "false") Fail(Find(key), fmt::format("`{}` is true or false", key));
  return text == "true";
}

double Section::Quantity(const std::string& key, double fallback) {
  const YAML::Node node = Find(key);
  if (!node || node.IsNull()) return fallback;
  return ParseAmount(node, key, node.IsScalar() ? node.Scalar() : "");
}

std::map<std::string, double> Section::Quantities(const std::string& key) {
  std::map<std::string, double> out;
  const YAML::Node node = Find(key);
  if (!node || node.IsNull()) return out;
  if (!node.IsMap()) Fail(node, fmt::format("`{}` must be a mapping", key));
  for (const auto& item : node) {
    const std::string name = item.first.Scalar();
    out[name] = ParseAmount(item.second, name, item.second.Scalar());
  }
  return out;
}

std::map<std::string, std::string> Section::Texts(const std::string& key) {
  std::map<std::string, std::string> out;
  const YAML::Node node = Find(key);
  if (!node || node.IsNull()) return out;
  if (!node.IsMap()) Fail(node, fmt::format("`{}` must be a mapping", key));
  for (const auto& item : node) out[item.first.Scalar()] = item.second.Scalar();
  return out;
}

Distribution Section::Spread(const std::string& key, const Distribution& fallback) {
  const YAML::Node node = Find(key);
  if (!node || node.IsNull()) return fallback;
  return ReadDistribution(node, key);
}

Distribution Section::ReadDistribution(const YAML::Node& node, const std::string& key) const {
  if (!node.IsScalar())
    Fail(node, fmt::format("`{}` must be a distribution such as ln(0.006,0.5)", key));
  try {
    return Distribution::Parse(node.Scalar(), severity_);
  } catch (const Error& error) {
    Fail(node, fmt::format("`{}`: {}", key, error.what()));
  }
}

double Section::Scalar(const YAML::Node& node, const std::string& key) const {
  if (!node.IsScalar()) Fail(node, fmt::format("`{}` must be a number", key));
  try {
    return ParseQuantity(node.Scalar(), severity_);
  } catch (const Error& error) {
    Fail(node, fmt::format("`{}`: {}", key, error.what()));
  }
}

double Section::Bounded(const YAML::Node& node, const std::string& key, double value, double low,
                        double high) const {
  if (!(value >= low && value <= high)) {
    Fail(node, fmt::format("`{}` is {}, it must lie in {}..{}", key, FormatNumber(value),
                           FormatNumber(low), FormatNumber(high)));
  }
  return value;
}

void Section::Finish() const {
  if (!*node_ || !node_->IsMap()) return;
  for (const auto& item : *node_) {
    const std::string key = item.first.Scalar();
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    Fail(item.first,
         fmt::format("unknown key `{}`, did you mean `{}`?", key, Nearest(key, known_)));
  }
}

Section Section::Sub(const std::string& key) { return Child(Find(key), key); }
Section Section::Child(const YAML::Node& node, const std::string& key) const {
  return Section(node, file_, path_.empty() ? key : path_ + "." + key, severity_);
}
void Section::Each(const std::string& key, const std::function<void(Section&)>& use) {
  const YAML::Node node = Find(key);
  if (!node || node.IsNull()) return;
  if (!node.IsSequence()) Fail(node, fmt::format("`{}` must be a list", key));
  for (std::size_t i = 0; i < node.size(); ++i) {
    Section item = Child(node[i], fmt::format("{}[{}]", key, i));
    use(item);
    item.Finish();
  }
}
bool Section::Has(const std::string& key) const {
  return *node_ && node_->IsMap() && (*node_)[key];
}

double Section::ParseAmount(const YAML::Node& node, const std::string& key,
                            std::string text) const {
  struct Suffix {
    std::string_view text;
    double factor;
  };
  static constexpr Suffix kSuffixes[] = {{"Ki", kKibi},
                                         {"Mi", kKibi * kKibi},
                                         {"Gi", kKibi * kKibi * kKibi},
                                         {"Ti", kKibi * kKibi * kKibi * kKibi},
                                         {"k", 1e3},
                                         {"M", 1e6},
                                         {"G", 1e9},
                                         {"T", 1e12},
                                         {"m", 1e-3}};
  double factor = 1;
  for (const Suffix& suffix : kSuffixes) {
    if (!text.ends_with(suffix.text)) continue;
    factor = suffix.factor;
    text.resize(text.size() - suffix.text.size());
    break;
  }
  const auto number = ParseNumber(text);
  if (!number) Fail(node, fmt::format("`{}` must be a quantity such as 100m, 4 or 128Mi", key));
  return Bounded(node, key, *number * factor, 0, 1e18);
}

}  // namespace schedlens::sim
