#include "cli/command.h"

#include <ostream>

#include "base/file.h"
#include "base/message.h"
#include "base/text.h"
#include "base/url.h"
#include "base/work_budget.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/safe_stream.h"
#include "messages/catalog.h"
#include "scheduler/base/quantity.h"

namespace schedlens {
namespace {

Option HelpOption() { return {"-h,--help", kFlag, "print this help and exit"}; }

/// Of every command: each reads at least a configuration file, and data decides how much there is
/// to do.
Options CommonOptions() {
  return {HelpOption(),
          {"--max-input", "SIZE",
           "refuse a file or standard input that is larger than this, unpacked (default 2Gi)",
           [](const std::string& text) {
             SetMaxInput(static_cast<std::size_t>(ParseSize("--max-input", text)));
           }},
          {"--timeout", "DURATION",
           "for the whole command, of watch for each look, of serve for each report: requests and "
           "computation; then exit code 124 (default 5m)",
           [](const std::string& text) {
             SetDeadline(MsToSeconds(ReadDuration("--timeout", text, "30s or 2m")));
           }}};
}

DeclaredCommand Declare(const Command& command) {
  Declared declared = command.declare();
  const std::vector<std::string_view> examples = SplitAt(command.examples, '\n');
  DeclaredCommand out{.name = std::string(command.name),
                      .summary = std::string(command.summary),
                      .examples = {examples.begin(), examples.end()},
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

int RunAll(int argc, const char* const* argv, const Context& context) {
  SetMaxInput(kDefaultMaxInput);
  const Deadline deadline;
  ForgetSecrets();
  RegisterTyped({argv, static_cast<std::size_t>(argc)});
  const Program program = DeclareProgram();
  if (argc > 0 && IsKubectlCompletion(argv[0])) {
    context.out << KubectlCompletion(program, {argv + 1, argv + argc});
    return 0;
  }
  CommandLine line(program);
  switch (line.Parse(argc, argv)) {
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
  const Options options = Together({command->options, command->positionals});
  const std::vector<std::string> words(argv + 1, argv + argc);
  return command->run(
      {context.in, context.out, context.err, CommandText(words, options), words, context.webhook});
}

}  // namespace

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
      .options = {HelpOption(),
                  {"--version", kFlag, "print the version and exit"},
                  {"--show-config", kFlag,
                   "print every setting in force and where it comes from, and exit"}},
      .commands = {}};
  for (const Command& command : Commands()) program.commands.push_back(Declare(command));
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

std::string Version() { return SCHEDLENS_VERSION; }

std::string VersionLine() { return "schedlens " SCHEDLENS_VERSION; }

// One row a command: name, one-line summary, examples (one shell line each, the first one works as
// typed in a directory of examples/incidents), Declare<Name> of cli/commands. Rows are in
// the order of the help.
const std::vector<Command>& Commands() {
  static const std::vector<Command> all = {
      {"diagnose", "Finds the causes behind an alert or a window, ranked, with evidence and bounds",
       R"(schedlens diagnose --capture metrics.om.gz
schedlens diagnose --capture metrics.om.gz --window 5m --baseline off -o markdown
schedlens diagnose --prometheus http://localhost:9090 --window 10m --export-html report.html
schedlens diagnose --context prod --service monitoring/prometheus-k8s:9090)",
       DeclareDiagnose},
      {"watch", "Diagnoses again and again, in place, until the alert clears",
       R"(schedlens watch --prometheus http://localhost:9090 --alert SchedulerSlow
schedlens watch --prometheus http://localhost:9090 --alert SchedulerSlow --every 10s --export-html report.html)",
       DeclareWatch},
      {"whatif", "Predicts e2e quantiles after a change, using the reference scheduler",
       R"(schedlens whatif --capture metrics.om.gz --set bind.extender=0
schedlens whatif --capture metrics.om.gz --set bind.request=baseline --baseline auto
schedlens whatif --capture metrics.om.gz --set client.qps=200 --set algorithm.filter*=0.5
schedlens whatif --capture metrics.om.gz --set nodes=10000 --seeds 3
schedlens whatif --capture metrics.om.gz --headroom rate --target p99=10s)",
       DeclareWhatif},
      {"quantile", "Explains one quantile: shown, proven, estimated",
       R"(schedlens quantile scheduler_e2e_scheduling_duration_seconds --capture metrics.om.gz
schedlens quantile 'scheduler_e2e_scheduling_duration_seconds{result="scheduled"}' -q 0.999 --capture metrics.om.gz -o json
schedlens quantile scheduler_binding_duration_seconds --prometheus http://localhost:9090 --window 10m --all-semantics)",
       DeclareQuantile},
      {"compare", "Explains why one quantile reads above another that should contain it",
       R"(schedlens compare scheduler_scheduling_algorithm_duration_seconds scheduler_e2e_scheduling_duration_seconds --capture metrics.om.gz
schedlens compare scheduler_scheduling_algorithm_duration_seconds scheduler_e2e_scheduling_duration_seconds -q 0.999 --capture metrics.om.gz -o json)",
       DeclareCompare},
      {"lint", "Lints alert and recording rules, and fixes them",
       R"(schedlens lint --expr 'histogram_quantile(0.99, sum by (le) (rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m]))) > 3'
schedlens lint rules.yaml --release 1.24 --diff
schedlens lint rules.yaml more.yaml --release 1.24 --in-place
schedlens lint rules.yaml -o sarif > lint.sarif)",
       DeclareLint},
      {"doctor", "Checks whether a source is sufficient for a diagnosis, and what is missing",
       R"(schedlens doctor --capture metrics.om.gz
schedlens doctor --prometheus http://localhost:9090
schedlens doctor --prometheus https://prom.example/prefix --http.config.file http.yml)",
       DeclareDoctor},
      {"capture", "Records everything a diagnosis needs into one OpenMetrics file",
       R"(schedlens capture --capture metrics.om.gz --out part.om --redact
schedlens capture --prometheus http://localhost:9090 --window 10m --out incident.om
schedlens capture --scrape https://localhost:10259/metrics --for 2m --every 5s --out live.om)",
       DeclareCapture},
      {"explain", "Explains a finding, stage, metric or term of the reports, offline",
       R"(schedlens explain bind.extender
schedlens explain algorithm.unmeasured
schedlens explain scheduler_e2e_scheduling_duration_seconds
schedlens explain verdict)",
       DeclareExplain},
      {"query", "Evaluates PromQL over any source; JSON as the HTTP API returns it",
       R"(schedlens query 'histogram_quantile(0.99, sum by (le) (rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))' --capture metrics.om.gz
schedlens query 'sum by (result) (increase(scheduler_e2e_scheduling_duration_seconds_count[1m]))' --capture metrics.om.gz --window 10m --step 1m
schedlens query 'rate(process_cpu_seconds_total[5m])' --capture metrics.om.gz --semantics 2.42 -o json)",
       DeclareQuery},
      {"queries", "Lists the queries; exports the stage tree as recording rules or a dashboard",
       R"(schedlens queries list
schedlens queries export --format rules --release 1.26 --threshold 2.048
schedlens queries export --format dashboard)",
       DeclareQueries},
      {"serve", "Takes Alertmanager's webhooks and writes a report for each group of alerts",
       R"(schedlens serve --prometheus http://localhost:9090 --listen 9099 --out reports
schedlens serve --prometheus http://localhost:9090 --listen 0.0.0.0:9099 --out reports --grafana http://localhost:3000 --grafana-config grafana.yml)",
       DeclareServe},
      {"report", "Renders a saved diagnosis as text, Markdown, HTML, JSON or Slack text",
       R"(schedlens diagnose --capture metrics.om.gz -o json | schedlens report - -o markdown
schedlens diagnose --capture metrics.om.gz -o json > diagnosis.json
schedlens report diagnosis.json -o slack
schedlens report diagnosis.json -o html --lang zh > report.html)",
       DeclareReport},
      {"simulate", "Runs the embedded reference scheduler on a scenario: metrics and ground truth",
       R"(schedlens simulate bind.extender -o simulated.om.gz --truth truth.csv
schedlens simulate --list
schedlens simulate bind.apiserver --kubernetes-version 1.26 --severity 2 --seed 7 --summary
schedlens simulate preemption --why default/web-000040
schedlens simulate bind.apiserver --serve 10259)",
       DeclareSimulate},
      {"completion", "Prints a shell completion script",
       R"(schedlens completion bash > schedlens.bash && . ./schedlens.bash
schedlens completion zsh > _schedlens && fpath+=($PWD)
schedlens completion fish > schedlens.fish && source schedlens.fish)",
       DeclareCompletion},
      {"man", "Prints the manual page", "schedlens man | man -l -", DeclareMan},
  };
  return all;
}

}  // namespace schedlens
