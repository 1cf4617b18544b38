#include "cli/option.h"

#include <algorithm>

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

bool HasLongName(const Option& option, const std::string& name) {
  const std::vector<std::string> names = LongNames({option});
  return std::find(names.begin(), names.end(), name) != names.end();
}

Options Together(std::initializer_list<Options> tables) {
  Options all;
  for (const Options& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

}  // namespace schedlens
