#include "cli/commands/diagnosing.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/glossary/step_commands.h"
#include "cli/secrets.h"
#include "cli/settings.h"
#include "kube/metrics.h"
#include "model/file.h"
#include "model/quote.h"
#include "model/shell.h"
#include "model/text.h"
#include "promql/matcher.h"
#include "reference/named_configuration.h"
#include "report/checked.h"
#include "schedlens/semantics.h"
#include "source/http/api_server.h"

namespace schedlens {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kClusterLabel = "cluster";

/// The selector of the schedulers that were judged: of several, those of the first unit.
std::string SelectorOf(const InvestigateOptions& options, const Diagnosis& d) {
  std::string selector = options.source.selector;
  if (d.units.empty()) return selector;
  for (const auto& [name, value] : d.units.front().labels) {
    selector += (selector.empty() ? "" : ",") + name + "=" + QuotePromql(value);
  }
  return selector;
}

/// The options that lead to the same samples.
Words SourceWords(const InvestigateOptions& options, const Diagnosis& d) {
  const SourceOptions& source = options.source;
  Words words;
  const auto add = [&](const std::string& option, const std::string& value) {
    if (value.empty()) return;
    words.push_back("--" + option);
    words.push_back(Printable(option, value));
  };
  const std::string_view scheme = kServiceScheme;
  if (source.prometheus.starts_with(scheme)) {
    add("service", source.prometheus.substr(scheme.size()));
    add("context", source.context);
    add("kubeconfig", source.kubeconfig);
  } else {
    add("prometheus", HasSource(source) ? source.prometheus : d.source.name);
  }
  add("capture", source.capture);
  add("scrape-before", source.scrape_before);
  add("scrape-after", source.scrape_after);
  add("scenario", source.scenario);
  add("tenant", source.tenant);
  add("http.config.file", source.http_config_file);
  for (const std::string& header : source.headers) add("header", header);
  if (source.semantics) add("semantics", ToString(*source.semantics));
  add("selector", SelectorOf(options, d));
  return words;
}

Words WindowWords(const InvestigateOptions& options, const Diagnosis& d) {
  if (options.time.lifetime) {
    Words words = {"--window", "lifetime"};
    if (options.time.at) words.insert(words.end(), {"--at", FormatTime(*options.time.at)});
    return words;
  }
  return {"--start", FormatTime(d.window.start), "--end", FormatTime(d.window.end)};
}

/// The histogram that the diagnosis has a quantile of, if it is one of these.
std::string QuantileOf(const Diagnosis& d, std::initializer_list<kube::Metric> metrics) {
  for (const kube::Metric metric : metrics) {
    const std::string name(kube::NameOf(metric));
    for (const QuantileRow& row : d.quantiles) {
      if (row.metric == name) return name;
    }
  }
  return "";
}

/// The words of one command, or nothing where the diagnosis lacks what it needs.
std::optional<Words> WordsOf(const StepCommand& command, const InvestigateOptions& options,
                             const Diagnosis& d) {
  Words words;
  std::string_view rest = command.command;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto add = [&](const Words& more) { words.insert(words.end(), more.begin(), more.end()); };
  const AlertVerdict* alert = d.alert ? &*d.alert : nullptr;
  switch (command.needs) {
    case CommandNeeds::kExpression:
      if (alert == nullptr || alert->expr.empty()) return std::nullopt;
      add({"--expr", alert->expr});
      if (kube::ParseRelease(d.release)) add({"--release", d.release});
      return words;
    case CommandNeeds::kTwoHistograms: {
      const std::string part = QuantileOf(d, {kube::Metric::kAlgorithm});
      const std::string whole = QuantileOf(d, {kube::Metric::kAttempt, kube::Metric::kE2e});
      if (part.empty() || whole.empty()) return std::nullopt;
      add({part, whole});
      break;
    }
    case CommandNeeds::kHistogram:
      if (alert == nullptr || alert->metric.empty() || std::isnan(alert->quantile)) {
        return std::nullopt;
      }
      add({alert->metric, "-q", FormatNumber(alert->quantile)});
      break;
    case CommandNeeds::kInvestigation:
      if (!options.queries.empty()) add({"--queries", options.queries});
      if (!options.time.lifetime) add({"--exact"});
      break;
    case CommandNeeds::kSource:
      break;
  }
  add(SourceWords(options, d));
  add(WindowWords(options, d));
  return words;
}

/// Fills its command into the text and returns it; empty where the text has none, or one that
/// cannot be filled in.
std::string Fill(const InvestigateOptions& options, const Diagnosis& d, Message* text) {
  const StepCommand* command = CommandOf(*text);
  const auto words = command == nullptr ? std::nullopt : WordsOf(*command, options, d);
  if (!words) return "";
  std::string line = "schedlens";
  for (const std::string& word : *words) line += " " + ShellWord(word);
  *text = WithCommand(std::move(*text), line);
  return line;
}

/// The value of an equality matcher on the cluster; empty without one.
std::string ClusterOfSelector(const std::string& selector) {
  const auto matchers = promql::ParseMatchers(selector);
  if (!matchers) return "";
  for (const promql::Matcher& matcher : *matchers) {
    if (matcher.op == promql::MatchOp::kEqual && matcher.name == kClusterLabel) {
      return matcher.value;
    }
  }
  return "";
}

std::string ClusterOf(const std::string& selector, const Diagnosis& d) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  std::vector<const Pairs*> places;
  if (!d.units.empty()) places.push_back(&d.units.front().labels);
  if (d.alert) {
    places.push_back(&d.alert->population);
    places.push_back(&d.alert->labels);
  }
  for (const Pairs* labels : places) {
    for (const auto& [name, value] : *labels) {
      if (name == kClusterLabel) return value;
    }
  }
  return ClusterOfSelector(selector);
}

}  // namespace

void AddMaking(const InvestigateOptions& options, const Context& context, Diagnosis* diagnosis) {
  const auto fixed = ParseTime(Environment("SOURCE_DATE_EPOCH"), 0);
  diagnosis->made = fixed.value_or(Now()) / 1000 * 1000;
  diagnosis->command = context.command;
  diagnosis->cluster = ClusterOf(options.source.selector, *diagnosis);
  for (Message& gap : diagnosis->gaps) Fill(options, *diagnosis, &gap);
  const auto fill = [&](std::vector<NextStep>& steps) {
    for (NextStep& step : steps) step.command = Fill(options, *diagnosis, &step.text);
  };
  for (Finding& finding : diagnosis->findings) {
    fill(finding.next_steps);
    for (CauseBehind& one : finding.behind) fill(one.next_steps);
  }
}

Options DiagnosingOptionTable(DiagnosingOptions* options) {
  return Together({InvestigateOptionTable(&options->investigate), BeyondOptionTable(options)});
}

Options BeyondOptionTable(DiagnosingOptions* options) {
  DiagnosingOptions* o = options;
  return {{"--no-cross-check", kFlag, "do not replay the incident in the reference scheduler",
           &o->no_cross_check},
          {"--no-neighbours", kFlag,
           "ask the schedulers alone, not API servers, etcd or kube-state-metrics",
           &o->investigate.no_neighbours},
          {"--no-answers", kFlag, "do not run the queries of the next steps, only print them",
           &o->no_answers},
          {"--scheduler-config", "FILE",
           "the scheduler's KubeSchedulerConfiguration or Policy, also in a ConfigMap, a "
           "list or among other documents: names extenders, limits, plugins (unknown ones "
           "with a warning); or configmap:NAMESPACE/NAME[/KEY] of the kubeconfig's cluster",
           &o->scheduler_config}};
}

Diagnosis Completed(const DiagnosingOptions& options, const Context& context, Diagnosis diagnosis,
                    std::optional<CrossCheck> check) {
  diagnosis.tool_version = Version();
  diagnosis.cross_check = std::move(check);
  AddMaking(options.investigate, context, &diagnosis);
  const std::string& place = options.scheduler_config;
  if (!place.empty()) {
    constexpr std::string_view kConfigMap = "configmap:";
    const std::string text =
        place.starts_with(kConfigMap)
            ? FetchConfigMap(options.investigate.source, place.substr(kConfigMap.size()))
            : ReadFile(place);
    diagnosis = WithConfiguration(std::move(diagnosis), text, place);
  }
  return Checked(std::move(diagnosis));
}

Diagnosis DiagnoseAsAsked(const DiagnosingOptions& options, const QuerySet& queries,
                          const Context& context) {
  std::optional<CrossCheck> check;
  Meanwhile replay;
  if (!options.no_cross_check) {
    replay = [&](const Investigation& found) { check = CrossCheckByReplay(found, queries); };
  }
  InvestigateOptions investigate = options.investigate;
  investigate.answer_steps = !options.no_answers;
  Investigation found = InvestigateAsAsked(investigate, queries, context, replay);
  return Completed(options, context, std::move(found.diagnosis), std::move(check));
}

}  // namespace schedlens
