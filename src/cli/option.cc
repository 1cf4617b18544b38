#include "cli/option.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "schedlens/error.h"
#include "sim/base/quantity.h"

namespace schedlens {

std::vector<std::string> NamesOf(const Option& option) {
  std::vector<std::string> names;
  if (option.positional()) return names;
  for (std::size_t at = 0; at < option.names.size();) {
    const std::size_t comma = std::min(option.names.find(',', at), option.names.size());
    names.push_back(option.names.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

std::vector<std::string> LongNames(const Options& options) {
  std::vector<std::string> names;
  for (const Option& option : options) {
    for (const std::string& name : NamesOf(option)) {
      if (name.starts_with("--")) names.push_back(name.substr(2));
    }
  }
  return names;
}

bool Option::Has(std::string_view name) const {
  const std::vector<std::string> all = NamesOf(*this);
  return std::find(all.begin(), all.end(), name) != all.end();
}

const Option* FindOption(const Options& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.Has(name); });
  return found == options.end() ? nullptr : &*found;
}

Options Together(std::initializer_list<Options> tables) {
  Options all;
  for (const Options& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

Options InGroup(const std::string& group, Options options) {
  for (Option& option : options) option.group = group;
  return options;
}

std::int64_t ParseSize(std::string_view option, const std::string& text) {
  // `512m` is half a byte: a thousandth is what Kubernetes means by it.
  const auto thousandths = sim::core::QuantityMilli(text);
  if (!thousandths || *thousandths < 1000) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} {}: expected a size such as 512Mi or 2Gi", option, text));
  }
  return *sim::core::QuantityValue(text);
}

std::int64_t ReadDuration(std::string_view option, const std::string& text,
                          std::string_view examples) {
  const auto ms = ParseDuration(text);
  if (ms && *ms > 0) return *ms;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} {}: expected a duration such as {}", option, text, examples));
}

}  // namespace schedlens
