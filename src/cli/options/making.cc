#include "cli/options/making.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "analysis/glossary/step_commands.h"
#include "cli/secrets.h"
#include "kube/metrics.h"
#include "model/quote.h"
#include "model/text.h"
#include "promql/parser.h"
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
  const bool in_memory =
      !source.capture.empty() || !source.scrape_before.empty() || !source.scenario.empty();
  const std::string_view scheme = kServiceScheme;
  if (source.prometheus.starts_with(scheme)) {
    add("service", source.prometheus.substr(scheme.size()));
    add("context", source.context);
    add("kubeconfig", source.kubeconfig);
  } else {
    add("prometheus", source.prometheus.empty() && !in_memory ? d.source.name : source.prometheus);
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

/// Fills the commands into texts.
class Filling {
 public:
  Filling(const InvestigateOptions& options, const Diagnosis& d) : options_(options), d_(d) {}

  /// The command; empty where the text has none, or one that cannot be filled in.
  std::string Fill(Message* text) const {
    const StepCommand* command = CommandOf(*text);
    if (command == nullptr) return "";
    const auto words = WordsOf(*command, options_, d_);
    if (!words) return "";
    std::string line = "schedlens";
    for (const std::string& word : *words) line += " " + ShellWord(word);
    *text = WithCommand(std::move(*text), line);
    return line;
  }

  void Fill(std::vector<NextStep>* steps) const {
    for (NextStep& step : *steps) step.command = Fill(&step.text);
  }

 private:
  const InvestigateOptions& options_;
  const Diagnosis& d_;
};

/// The value of an equality matcher on the cluster; empty without one.
std::string ClusterOfSelector(const std::string& selector) {
  if (selector.empty()) return "";
  const promql::ExprPtr tree = promql::Parse("x{" + selector + "}");
  const auto* parsed = std::get_if<promql::Selector>(&tree->node);
  if (parsed == nullptr) return "";
  for (const promql::Matcher& matcher : parsed->matchers) {
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

TimeMs TimeOfMaking() {
  const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
  const auto time = ParseTime(fixed == nullptr ? "" : fixed, 0);
  return time.value_or(Now()) / 1000 * 1000;
}

void AddMaking(const InvestigateOptions& options, const Context& context, Diagnosis* diagnosis) {
  diagnosis->made = TimeOfMaking();
  diagnosis->command = context.command;
  diagnosis->cluster = ClusterOf(options.source.selector, *diagnosis);
  const Filling filling(options, *diagnosis);
  for (Message& gap : diagnosis->gaps) filling.Fill(&gap);
  for (Finding& finding : diagnosis->findings) {
    filling.Fill(&finding.next_steps);
    for (CauseBehind& one : finding.behind) filling.Fill(&one.next_steps);
  }
}

}  // namespace schedlens
