#include "cli/command.h"

#include "base/file.h"
#include "base/work_budget.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/safe_stream.h"
#include "messages/catalog.h"
#include "scheduler/base/quantity.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

Option HelpOption() { return {"-h,--help"}; }

/// Of every command: each reads at least a configuration file, and data decides how much there is
/// to do.
Options CommonOptions() {
  return {HelpOption(),
          {"--max-input",
           [](const std::string& text) {
             SetMaxInput(static_cast<std::size_t>(ParseSize("--max-input", text)));
           }},
          {"--timeout", [](const std::string& text) {
             SetDeadline(MsToSeconds(ReadDuration("--timeout", text, "30s or 2m")));
           }}};
}

constexpr std::pair<std::string_view, Declared (*)()> kDeclared[] = {
    {"diagnose", DeclareDiagnose},     {"watch", DeclareWatch},     {"whatif", DeclareWhatif},
    {"quantile", DeclareQuantile},     {"compare", DeclareCompare}, {"lint", DeclareLint},
    {"doctor", DeclareDoctor},         {"capture", DeclareCapture}, {"explain", DeclareExplain},
    {"query", DeclareQuery},           {"queries", DeclareQueries}, {"serve", DeclareServe},
    {"report", DeclareReport},         {"mcp", DeclareMcp},         {"simulate", DeclareSimulate},
    {"completion", DeclareCompletion}, {"man", DeclareMan},
};

DeclaredCommand Declare(std::string_view name, std::string_view summary) {
  const auto* row = std::ranges::find(kDeclared, name, [](const auto& one) { return one.first; });
  if (row == std::end(kDeclared)) {
    Raise(ErrorKind::kFailed, "commands.txt: no command is declared as {}", name);
  }
  Declared declared = row->second();
  DeclaredCommand out{.name = std::string(name),
                      .summary = std::string(summary),
                      .examples = {},
                      .options = CommonOptions(),
                      .positionals = {},
                      .run = std::move(declared.run)};
  for (Option& option : declared.options) {
    (option.positional() ? out.positionals : out.options).push_back(std::move(option));
  }
  return out;
}

constexpr double kDefaultTimeout = 300;  // seconds

/// What is told to the user after it is no longer cut short.
struct Deadline {
  Deadline() { SetDeadline(kDefaultTimeout); }
  ~Deadline() { SetDeadline(kNoDeadline); }
};

bool IsPlugin(const char* program) {
  return std::string_view(program).ends_with("kubectl-schedlens");
}

/// `kubectl schedlens`, alone or with options, is a diagnosis.
std::vector<std::string> AsCommand(std::vector<std::string> words, const Program& program) {
  const bool command = words.size() > 1 && (!words[1].starts_with('-') ||
                                            FindOption(program.options, words[1]) != nullptr);
  if (!command && IsPlugin(words[0].c_str())) words.insert(words.begin() + 1, "diagnose");
  return words;
}

/// Whether what was typed and set says whom to ask, or asks nobody.
bool NamesASource(const DeclaredCommand& command, const CommandLine& line) {
  const Option* alert = FindOption(command.options, "--alert");
  const auto* text = alert == nullptr ? nullptr : std::get_if<std::string*>(&alert->target);
  if (text != nullptr && StartsAsUrl(**text)) return true;
  const auto names = [&](const Option& option) {
    static const char* const kNames[] = {"--prometheus",    "--service", "--capture", "--scenario",
                                         "--scrape-before", "--webhook", "--scrape",  "--expr"};
    const bool one = option.names == "files" || std::ranges::any_of(kNames, [&](const char* name) {
                       return option.Has(name);
                     });
    return one && line.Typed(option);
  };
  return FindOption(command.options, "--service") == nullptr ||
         std::ranges::any_of(command.options, names) ||
         std::ranges::any_of(command.positionals, names);
}

/// The words with the Prometheus that the kubeconfig's cluster has for a source.
std::vector<std::string> WithFoundServer(const DeclaredCommand& command,
                                         std::vector<std::string> words, const Context& context) {
  SourceOptions cluster;
  for (const auto& [name, to] :
       {std::pair("--kubeconfig", &cluster.kubeconfig), std::pair("--context", &cluster.context)}) {
    *to = *std::get<std::string*>(FindOption(command.options, name)->target);
  }
  const std::vector<std::string> servers = FindServers(cluster);
  if (servers.empty()) {
    Raise(ErrorKind::kInsufficientData,
          "kubectl schedlens: no service of this cluster has the labels of Prometheus, Thanos "
          "Querier or VictoriaMetrics (app.kubernetes.io/name, app): give it as `kubectl schedlens "
          "{} --service NAMESPACE/NAME:PORT`",
          command.name);
  }
  const auto behind = std::ranges::find(words, command.name) + 1;
  const auto added = words.insert(behind, {"--service", servers.front()});
  context.err << OneLine(fmt::format(
                     "schedlens: {} found{}; the same again: kubectl {}", servers.front(),
                     servers.size() > 1 ? fmt::format(", the first of {}", servers.size()) : "",
                     CommandText({added - 1, words.end()}, command.options)))
              << "\n";
  return words;
}

int RunAll(int argc, const char* const* argv, const Context& context) {
  SetMaxInput(kDefaultMaxInput);
  const Deadline deadline;
  ForgetSecrets();
  RegisterTyped({argv, static_cast<std::size_t>(argc)});
  const Program program = DeclareProgram();
  if (const int before = WordsBeforeCompletion({argv, static_cast<std::size_t>(argc)})) {
    context.out << Completion(program, {argv + before, argv + argc});
    return 0;
  }
  CommandLine line(program);
  switch (line.Parse(AsCommand({argv, argv + argc}, program))) {
    case Asked::kHelp:
      context.out << line.Help();
      return 0;
    case Asked::kVersion:
      context.out << VersionLine() << "\n";
      return 0;
    case Asked::kShowConfig:
      ShowSettings(ReadSettings(program), context.out);
      return 0;
    case Asked::kRun:
      break;
  }
  const std::vector<ConfigEntry> settings = ReadSettings(program);
  const DeclaredCommand* command = line.chosen();
  if (command == nullptr) {
    context.err << line.Help();
    return static_cast<int>(ErrorKind::kUsage);
  }
  ApplySettings(settings, &line);
  if (IsPlugin(argv[0]) && !NamesASource(*command, line)) {
    const std::vector<std::string> words = WithFoundServer(*command, line.words(), context);
    std::vector<const char*> again;
    for (const std::string& word : words) again.push_back(word.c_str());
    return RunAll(static_cast<int>(again.size()), again.data(), context);
  }
  const Options options = Together({command->options, command->positionals});
  const std::vector<std::string> typed(line.words().begin() + 1, line.words().end());
  return command->run(
      {context.in, context.out, context.err, CommandText(typed, options), typed, context.webhook});
}

}  // namespace

Option::Option(std::string_view row, OptionTarget its_target, OptionRules rules)
    : OptionRules(std::move(rules)), target(std::move(its_target)) {
  static const std::vector<std::string_view> kRows = SplitAt(TextNamed("options"), '\n');
  for (const std::string_view line : kRows) {
    if (!line.starts_with(row) || line.find_first_of(": ", row.size()) != row.size()) continue;
    const std::size_t end = line.find(": ", row.size());
    names = row.substr(row.find(':') + 1);
    value = Trimmed(line.substr(row.size(), end - row.size()));
    help = line.substr(end + 2);
    return;
  }
  Raise(ErrorKind::kFailed, "options.txt: no option is declared as {}", row);
}

std::vector<std::string> NamesOf(const Option& option) {
  if (option.positional()) return {};
  const std::vector<std::string_view> names = SplitAt(option.names, ',');
  return {names.begin(), names.end()};
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
  return std::ranges::find(all, name) != all.end();
}

const Option* FindOption(const Options& options, std::string_view name) {
  const auto found =
      std::ranges::find_if(options, [&](const Option& option) { return option.Has(name); });
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
    Raise(ErrorKind::kUsage, "{} {}: expected a size such as 512Mi or 2Gi", option, text);
  }
  return *sim::core::QuantityValue(text);
}

std::int64_t ReadDuration(std::string_view option, const std::string& text,
                          std::string_view examples) {
  const auto ms = ParseDuration(text);
  if (ms && *ms > 0) return *ms;
  Raise(ErrorKind::kUsage, "{} {}: expected a duration such as {}", option, text, examples);
}

Program DeclareProgram() {
  Program program{
      .summary = "From a kube-scheduler latency alert to a proven cause and an incident report.",
      .options = {HelpOption(), {"--version"}, {"--show-config"}},
      .commands = {}};
  for (const std::string_view line : SplitAt(TextNamed("commands"), '\n')) {
    if (line.starts_with("  ")) program.commands.back().examples.emplace_back(line.substr(2));
    if (line.starts_with("  ") || line.starts_with("#")) continue;
    const std::string_view name = line.substr(0, line.find(':'));
    program.commands.push_back(Declare(name, line.substr(name.size() + 2)));
  }
  return program;
}

const DeclaredCommand* Program::Find(std::string_view name) const {
  const auto found = std::ranges::find(commands, name, &DeclaredCommand::name);
  return found == commands.end() ? nullptr : &*found;
}

std::vector<std::string> Program::CommandNames() const {
  std::vector<std::string> names;
  for (const DeclaredCommand& command : commands) names.push_back(command.name);
  return names;
}

int Main(int argc, const char* const* argv, const Context& unsafe) {
  SafeStream out(unsafe.out);
  SafeStream err(unsafe.err);
  const Context context{unsafe.in, out, err, unsafe.command, {}, unsafe.webhook};
  const ReadingProgress reading(err);
  const auto fail = [&](ErrorKind kind, const std::string& text) {
    context.err << "schedlens: " << OneLine(text) << "\n";
    return static_cast<int>(kind);
  };
  try {
    const int code = RunAll(argc, argv, context);
    context.out.flush();
    if (!context.out) throw Error(ErrorKind::kFailed, "cannot write to standard output");
    return code;
  } catch (const ReasonedError& error) {
    return fail(error.kind(), fmt::format("{}: {}", error.what(), InEnglish(error.reason())));
  } catch (const Error& error) {
    return fail(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    context.err << "schedlens: " << kOutOfMemory << "\n";
    return static_cast<int>(ErrorKind::kFailed);
  } catch (const std::exception& error) {
    return fail(ErrorKind::kFailed, error.what());
  }
}

std::string_view TextNamed(std::string_view name) {
  return std::ranges::find(CliTexts(), name, &EmbeddedFile::name)->text;
}

std::string Version() { return SCHEDLENS_VERSION; }

std::string VersionLine() { return "schedlens " SCHEDLENS_VERSION; }

}  // namespace schedlens
