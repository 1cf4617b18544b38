#ifndef SCHEDLENS_CLI_OPTION_H_
#define SCHEDLENS_CLI_OPTION_H_

// Options as data. Each command declares a table of them; parsing, help, completion, the man page
// and the configuration file all read that table.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace schedlens {

/// What happens to the value. It must live until the command has run. A function gets the text as
/// typed (empty for a flag) and throws Error(kUsage) for a bad one; without a target the program
/// itself looks at the option.
using OptionTarget =
    std::variant<std::monostate, bool*, int*, std::uint64_t*, double*, std::optional<int>*,
                 std::optional<double>*, std::string*, std::vector<std::string>*,
                 std::function<void(const std::string&)>>;

struct Option {
  /// `-q,--quantile`; several long names are the same option. A name without dashes is a positional
  /// argument.
  std::string names = {};
  std::string value =
      {};  ///< the placeholder of the value in the help, e.g. FILE; empty for a flag
  std::string help = {};
  OptionTarget target = {};
  std::string group = "Options";  ///< heading in the help
  bool required = false;
  bool show_default = false;                  ///< the help shows what the target holds at first
  std::vector<std::string> choices = {};      ///< the only values there are; empty: any
  std::vector<std::string> suggestions = {};  ///< completed like choices; other values count too
  std::optional<std::pair<int, int>> range = {};  ///< of a number, both ends included
  /// Given without a value, the option means this; empty: it needs a value.
  std::string implied = {};
  bool many = false;  ///< of a list: takes all the values that follow, not one an occurrence
  std::vector<std::string> excludes = {};  ///< long names, with dashes; either way round
  std::vector<std::string> needs = {};
  /// Gets where a value that nobody typed comes from (see settings.h); null: not asked for.
  std::string* origin = nullptr;

  bool takes_value() const { return !value.empty(); }
  bool positional() const { return names.front() != '-'; }
};

using Options = std::vector<Option>;

/// `-q` and `--quantile`; none for a positional argument.
std::vector<std::string> NamesOf(const Option& option);
/// Whether `name` (without dashes) is one of its long names.
bool HasLongName(const Option& option, const std::string& name);
/// The long names of all of them, without dashes.
std::vector<std::string> LongNames(const Options& options);

/// The tables one after another.
Options Together(std::initializer_list<Options> tables);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTION_H_
