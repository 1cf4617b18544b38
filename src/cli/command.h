#pragma once

// The command table: a command is a row, and so is each of its options. Parsing, help, dispatch,
// completion, the man page and the configuration file all read the tables.

#include <iosfwd>
#include <variant>

#include "base/text.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

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
  /// Gets where a value that nobody typed comes from (see ApplySettings); null: not asked for.
  std::string* origin = nullptr;
};

struct Option : OptionRules {
  Option() = default;
  /// The one whose row of texts/options.txt begins with `row`, which must be there.
  Option(std::string_view row, OptionTarget its_target = {}, OptionRules rules = {});

  /// `-q,--quantile`; several long names are the same option. A name without dashes is a positional
  /// argument.
  std::string names;
  std::string value;  ///< the placeholder of the value in the help, e.g. FILE; empty for a flag
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

/// What a command may touch of the process.
struct Context {
  std::istream& in;
  std::ostream& out;  ///< data
  std::ostream& err;  ///< messages and progress
  /// What was typed, quoted for a shell and without secrets; empty where nothing was.
  std::string command = {};
  std::vector<std::string> words = {};  ///< the same as it is, without the program's name
  std::string webhook = {};             ///< in a reporting process of `serve`: what it reports
};

/// A command's options, and what to run once their targets are filled: it owns the targets, returns
/// the exit code and throws Error.
struct Declared {
  Options options;
  std::function<int(const Context&)> run;
};

/// Declares a command whose options fill a T: `table` makes them from a T*, `run` gets it filled.
template <class T, class Run, class Table>
Declared DeclareWith(const Run& run, const Table& table) {
  const auto filled = std::make_shared<T>();
  return {table(filled.get()),
          [filled, run](const Context& context) { return run(*filled, context); }};
}

/// The files of cli/texts.
const std::vector<EmbeddedFile>& CliTexts();
/// One of these, which must be there.
std::string_view TextNamed(std::string_view name);

struct DeclaredCommand {
  std::string name = {};
  std::string summary = {};
  std::vector<std::string> examples = {};  ///< shell lines that work in examples/incidents
  Options options = {};                    ///< `-h,--help` is the first
  Options positionals = {};                ///< in the order in which they are typed
  std::function<int(const Context&)> run = {};
};

/// The whole program as data.
struct Program {
  std::string summary;
  Options options;
  std::vector<DeclaredCommand> commands;

  /// Null where there is no such command.
  const DeclaredCommand* Find(std::string_view name) const;
  std::vector<std::string> CommandNames() const;
};

/// The commands of cli/texts/commands.txt, in its order, which is that of the help, each with fresh
/// targets.
Program DeclareProgram();

// What fills the targets of the options: the command line (the only place that knows CLI11) takes
// precedence over the environment, and that over the configuration files. A file holds long option
// names and values in YAML, for all commands at the top, or for one command below its name.

/// What the command line asks for before anything runs.
enum class Asked { kRun, kHelp, kVersion, kShowConfig };

class CommandLine {
 public:
  /// `program` must outlive the parser.
  explicit CommandLine(const Program& program);
  ~CommandLine();

  /// Fills the targets. Throws Error(kUsage) for what no option and no command takes (naming the
  /// nearest that exists), and for a value that its option refuses. The first word is the program.
  Asked Parse(std::vector<std::string> words);

  /// The words that were parsed, the program's name first: those of the command line, with the
  /// options that `help`, `version` and a source without its option stand for.
  const std::vector<std::string>& words() const { return words_; }
  /// The command of the command line; null when there is none.
  const DeclaredCommand* chosen() const;
  /// Whether this option of the chosen command was typed.
  bool Typed(const Option& option) const;
  /// Gives an option of the chosen command values from elsewhere. Throws Error(kUsage) for a value
  /// that it refuses.
  void Set(const Option& option, const std::vector<std::string>& values);

  /// The help of the chosen command, else of the program.
  std::string Help() const;

 private:
  CLI::Option* Find(const Option& option) const;

  const Program& program_;
  std::vector<std::string> words_;
  const std::unique_ptr<CLI::App> root_;
};

struct ConfigEntry {
  std::string command;              ///< empty: for every command that has the option
  std::string option;               ///< long name without dashes
  std::vector<std::string> values;  ///< one, or several where the option repeats
  std::string origin;               ///< file:line
  int layer = 0;                    ///< of the file or environment it stands in; 0 is the strongest
};

/// Reads one text. `name` is what errors name. Throws Error(kUsage) with file and line for
/// invalid YAML and for anything but a map of options to values. Which names exist is checked by
/// the caller.
std::vector<ConfigEntry> ParseConfig(const std::string& text, const std::string& name);

/// The files that apply, the strongest first: only $SCHEDLENS_CONFIG when that is set, else
/// $XDG_CONFIG_HOME/schedlens/config.yaml (~/.config without it) and /etc/schedlens/config.yaml.
/// Files that do not exist are left out, except the one that SCHEDLENS_CONFIG names.
std::vector<std::string> ConfigFiles();

/// The variable's value; empty without it.
std::string Environment(const char* name);

/// Everything the environment and the files say, the strongest first. Throws Error(kUsage) for a
/// file that cannot be read, and for an entry that no command has an option for (the nearest is
/// named).
std::vector<ConfigEntry> ReadSettings(const Program& program);

/// Gives each option of the chosen command that was not typed its setting, if there is one. A
/// setting that excludes a typed option (a server when a capture was given) is left out. Throws
/// Error(kUsage) with the origin of a value that the option refuses.
void ApplySettings(const std::vector<ConfigEntry>& settings, CommandLine* line);

/// Prints the settings in force, one a line with its origin. Values of options that carry secrets
/// (headers, credentials in URLs) read `<secret>`.
void ShowSettings(const std::vector<ConfigEntry>& settings, std::ostream& out);

/// schedlens(1) in roff: commands with their options and examples, exit codes, environment, files.
/// The same for the same build: no date in it.
std::string ManPage(const Program& program);

/// How many of the words of a command line stand before those to complete: 1 under the name that
/// kubectl calls for completion, 2 with `__complete`, as the shells' scripts ask; 0 for any other.
int WordsBeforeCompletion(std::span<const char* const> words);

/// A line for each word that may follow, with a tab and its description, then `:4`, or `:0` where
/// files may follow too (cobra's ShellCompDirective). `words` are those behind the program's name;
/// the last one is being typed and may be empty. Contexts come from the kubeconfig.
std::string Completion(const Program& program, const std::vector<std::string>& words);

/// Parses the command line, runs the command, prints errors as one line on `context.err`, returns
/// the exit code of `product`: 0 done, 1 failed, 2 usage, 3 finding, 4 auth, 5 data insufficient,
/// 124 timeout, 130 interrupt. What it writes is safe for a terminal (see cli/safe_stream.h).
int Main(int argc, const char* const* argv, const Context& context);

/// `0.1.0`.
std::string Version();
/// `schedlens 0.1.0`: the version of CMakeLists.txt, which every machine-readable output carries.
std::string VersionLine();

Declared DeclareCapture();
Declared DeclareCompare();
Declared DeclareCompletion();
Declared DeclareDiagnose();
Declared DeclareDoctor();
Declared DeclareExplain();
Declared DeclareLint();
Declared DeclareMan();
Declared DeclareMcp();
Declared DeclareQuantile();
Declared DeclareQueries();
Declared DeclareQuery();
Declared DeclareReport();
Declared DeclareServe();
Declared DeclareSimulate();
Declared DeclareWatch();
Declared DeclareWhatif();

}  // namespace schedlens
