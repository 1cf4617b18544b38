#ifndef SCHEDLENS_CLI_OPTION_H_
#define SCHEDLENS_CLI_OPTION_H_

// Options as data. Each command declares a table of them; parsing, help, completion, the man page
// and the configuration file all read that table.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// What only some options have.
struct OptionRules {
  std::string group = "Options";  ///< heading in the help
  bool required = false;
  bool show_default = false;                  ///< the help shows what the target holds at first
  std::vector<std::string> choices = {};      ///< the only values there are; empty: any
  std::vector<std::string> suggestions = {};  ///< completed like choices; other values count too
  std::optional<std::pair<int, int>> range = {};  ///< of a number, both ends included
  std::string implied = {};  ///< given without a value, the option means this; empty: it needs one
  bool many = false;         ///< of a list: takes all the values that follow, not one an occurrence
  std::vector<std::string> excludes = {};  ///< long names, with dashes; either way round
  std::vector<std::string> needs = {};
  /// Gets where a value that nobody typed comes from (see settings.h); null: not asked for.
  std::string* origin = nullptr;
};

/// In place of the value's placeholder: the option takes none.
inline constexpr const char* kFlag = "";

struct Option : OptionRules {
  Option(std::string its_names, std::string its_value, std::string its_help,
         OptionTarget its_target = {}, OptionRules rules = {})
      : OptionRules(std::move(rules)),
        names(std::move(its_names)),
        value(std::move(its_value)),
        help(std::move(its_help)),
        target(std::move(its_target)) {}

  /// `-q,--quantile`; several long names are the same option. A name without dashes is a positional
  /// argument.
  std::string names;
  std::string value;  ///< the placeholder of the value in the help, e.g. FILE
  std::string help;
  OptionTarget target;

  bool takes_value() const { return !value.empty(); }
  bool positional() const { return names.front() != '-'; }
  /// Whether `name` (with dashes) is one of its names.
  bool Has(std::string_view name) const;
};

using Options = std::vector<Option>;

/// `-q` and `--quantile`; none for a positional argument.
std::vector<std::string> NamesOf(const Option& option);
/// The long names of all of them, without dashes.
std::vector<std::string> LongNames(const Options& options);
/// The option that has the name (with dashes); null without one.
const Option* FindOption(const Options& options, std::string_view name);

/// The tables one after another.
Options Together(std::initializer_list<Options> tables);
/// The options below this heading.
Options InGroup(const std::string& group, Options options);

/// Bytes of a size written as Kubernetes writes them: `512Mi`, `1.5Gi`, `2G`, `1048576`. Throws
/// Error(kUsage) naming `option` for a malformed size and for less than a byte.
std::int64_t ParseSize(std::string_view option, const std::string& text);

/// Milliseconds of a duration. Throws Error(kUsage) naming `option` and what is expected, "such as"
/// `examples`, for a malformed one and for one that is not above zero.
std::int64_t ReadDuration(std::string_view option, const std::string& text,
                          std::string_view examples);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTION_H_
