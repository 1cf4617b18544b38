#include "diagnose/explain/glossary.h"

// The tables of words, findings, stages and checks that reports use.

#include "kube/metrics.h"
#include "kube/stage.h"

namespace schedlens {
namespace {

/// The row whose `key` is this; null without one.
template <typename Row, typename Key>
const Row* FindById(const std::vector<Row>& rows, std::string_view id, Key Row::*key) {
  const auto it = std::ranges::find_if(rows, [&](const Row& row) { return row.*key == id; });
  return it == rows.end() ? nullptr : &*it;
}

const MetricText* FindMetric(std::string_view word) {
  const std::string plain(word), family(FamilyOf(word));
  for (const std::string& name : {plain, family, "scheduler_" + plain, "scheduler_" + family}) {
    if (const MetricText* metric = FindById(MetricTexts(), name, &MetricText::name)) return metric;
  }
  return nullptr;
}

constexpr std::string_view kFinding = "finding.";
constexpr std::string_view kStep = ".step.";
/// The argument of a step's text that is its query.
constexpr const char* kQuery = "query";

/// `next_bind.apiserver.1` of `finding.bind.apiserver.step.1`.
std::string QuestionName(std::string_view step) {
  const std::size_t at = step.rfind(kStep);
  if (!step.starts_with(kFinding) || at == std::string_view::npos) return "";
  std::string name(kNextStepPrefix);
  name += step.substr(kFinding.size(), at - kFinding.size());
  return name.append(".").append(step.substr(at + kStep.size()));
}

/// The tables of glossary.txt.
struct Tables {
  std::vector<FindingText> findings;
  std::vector<StepQuestion> questions;
  std::vector<StepCommand> commands;
  std::vector<TopicText> words;
  std::vector<LintCheck> checks;
  std::vector<std::string_view> in_microseconds;  ///< metrics
};

/// The value of an enumeration by its word.
template <class Enum>
Enum EnumOf(std::string_view word, std::initializer_list<std::string_view> words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) Raise(ErrorKind::kFailed, "glossary.txt: no {} is known", word);
  return static_cast<Enum>(found - words.begin());
}

void TakeRow(const std::vector<std::string_view>& row, Tables* all) {
  const auto word = [&](std::size_t i) { return i < row.size() ? row[i] : std::string_view(); };
  if (word(0) == "finding") {
    const auto shown = EnumOf<ShownBy>(word(3), {"command", "query", "own-command"});
    const int steps = WholeNumber<int>(word(2)).value_or(0);
    all->findings.push_back({std::string(word(1)), steps, shown, word(4) != "unsettled"});
  } else if (word(0) == "query") {
    const auto asked = EnumOf<AskedOf>(word(2), {"schedulers", "apiservers", "cluster"});
    const auto unit = EnumOf<StepUnit>(
        word(3), {"seconds", "per-second", "cpu-seconds", "seat-seconds", "ratio", "count"});
    all->questions.push_back({word(1), asked, unit, word(4)});
  } else if (word(0) == "run") {
    const auto needs = EnumOf<CommandNeeds>(
        word(2), {"investigation", "histogram", "two-histograms", "source", "expression"});
    all->commands.push_back({word(1), {word(3).data(), &row.back().back() + 1}, needs});
  } else if (word(0) == "word") {
    for (std::size_t i = 1; i < row.size(); ++i) all->words.push_back({std::string(row[i])});
  } else if (word(0) == "check") {
    const std::string id(word(1));
    all->checks.push_back({id, EnumOf<LintSeverity>(word(2), {"note", "warning", "error"}),
                           Message("lint.check." + id), Message("lint.why." + id)});
  } else if (word(0) == "in-microseconds") {
    all->in_microseconds.push_back(word(1));
  } else {
    Raise(ErrorKind::kFailed, "glossary.txt: no row is a {}", word(0));
  }
}

const Tables& AllTables() {
  static const Tables all = [] {
    Tables tables;
    kube::ReadTable(GlossaryFiles().front().text, [&](const auto& row) {
      if (!row.front().starts_with('#')) TakeRow(row, &tables);
    });
    return tables;
  }();
  return all;
}

/// Matchers of whoever is asked where nothing better is known of them: what their jobs are mostly
/// called. Empty for the whole cluster.
std::string UsualSelector(AskedOf of) {
  if (of == AskedOf::kWholeCluster) return "";
  return of == AskedOf::kSchedulers ? R"(job="kube-scheduler")" : R"(job=~".*apiserver.*")";
}

}  // namespace

const std::vector<FindingText>& FindingTexts() { return AllTables().findings; }

const FindingText& TextOfFinding(std::string_view id) {
  if (const FindingText* text = FindById(FindingTexts(), id, &FindingText::id)) return *text;
  throw Error(ErrorKind::kFailed, "finding " + std::string(id) + " has no text in the glossary");
}

Explanation Explain(std::string_view word) {
  Explanation found;
  found.finding = FindById(FindingTexts(), word, &FindingText::id);
  if (found.finding != nullptr) {
    const std::vector<NextStep> steps = NextStepsOf(*found.finding);
    for (const NextStep& step : steps) found.next_steps.push_back(step.text);
    found.action = RemedyOf(*found.finding,
                            {{"object", "NAME"},
                             {"namespace", "NAMESPACE"},
                             {"workload", "KIND/NAME"},
                             {"pods", "-n kube-system -l component=kube-scheduler"},
                             {"start", "TIME"}},
                            steps);
  }
  const auto stage_of = [](std::string_view id) {
    return FindById(StageTexts(), id.substr(0, id.find('/')), &StageText::id);
  };
  found.stage = stage_of(word);
  for (const std::string_view part : {"attempt.", "queue."}) {  // of the pods' time: that stage
    if (word.starts_with(part)) found.stage = stage_of(word.substr(part.size()));
  }
  found.metric = FindMetric(word);
  found.lint = FindById(LintChecks(), word, &LintCheck::id);
  found.topic = FindById(TopicTexts(), word, &TopicText::name);
  return found;
}

std::vector<std::string> ExplainedWords() {
  std::vector<std::string> words;
  for (const FindingText& row : FindingTexts()) words.push_back(row.id);
  for (const StageText& row : StageTexts()) words.push_back(row.id);
  for (const MetricText& row : MetricTexts()) words.push_back(row.name);
  for (const LintCheck& row : LintChecks()) words.push_back(row.id);
  for (const TopicText& row : TopicTexts()) words.push_back(row.name);
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

const std::vector<TopicText>& TopicTexts() { return AllTables().words; }

const std::vector<LintCheck>& LintChecks() { return AllTables().checks; }

const std::vector<StageText>& StageTexts() {
  static const std::vector<StageText> all = [] {
    std::vector<StageText> texts;
    for (const kube::StageRow& row : kube::kStageTable) {
      texts.push_back({std::string(row.id)});
      if (row.stage != kube::Stage::kBindRequest) continue;
      for (const char* id :
           {"bind.network", "apiserver", "apiserver.flowcontrol", "apiserver.webhook",
            "apiserver.admission", "apiserver.storage", "apiserver.rest"}) {
        texts.push_back({id});
      }
    }
    return texts;
  }();
  return all;
}

const std::vector<MetricText>& MetricTexts() {
  static const std::vector<MetricText> all = [] {
    std::vector<MetricText> texts;
    for (const kube::MetricRow& row : kube::MetricTable()) {
      texts.push_back({std::string(row.name), ReleasesText(row), {}, {}});
    }
    for (const std::string_view old : AllTables().in_microseconds) {
      texts.push_back({std::string(old), "up to 1.16", {}, {}});
    }
    for (const kube::MetricRow& row : kube::ControlPlaneTable()) {
      if (row.id == kube::Metric::kCount) continue;  // only `lint` reads it
      texts.push_back({std::string(row.name), ReleasesText(row),
                       std::string(ToString(row.component)),
                       fmt::format("{}", fmt::join(row.eras.back().labels, ", "))});
    }
    return texts;
  }();
  return all;
}

const std::vector<StepQuestion>& StepQuestions() { return AllTables().questions; }

const StepQuestion* QuestionOf(const Message& step) {
  return FindById(StepQuestions(), QuestionName(step.id), &StepQuestion::name);
}

std::string StepSelector(AskedOf of, const std::string& cluster, const std::string& apiservers) {
  if (of == AskedOf::kWholeCluster) return cluster;
  if (!apiservers.empty()) return apiservers;
  return cluster.empty() ? UsualSelector(of) : cluster + "," + UsualSelector(of);
}

Message WithQuery(Message step, const std::string& query) {
  step.args = {{kQuery, arg::Promql(query)}};
  return step;
}

std::vector<NextStep> NextStepsOf(const FindingText& finding) {
  static const QuerySet queries = QuerySet::Embedded();
  std::vector<NextStep> steps;
  for (int i = 1; i <= finding.steps; ++i) {
    NextStep step{Message("finding." + finding.id + ".step." + std::to_string(i)), "", {}};
    if (const StepQuestion* question = QuestionOf(step.text)) {
      const std::string& first = queries.Get(question->name).statements.front();
      step.query = Substitute(first, UsualSelector(question->of), "5m");
      step.text = WithQuery(std::move(step.text), step.query);
    } else if (const StepCommand* command = CommandOf(step.text)) {
      step.text = WithCommand(std::move(step.text), UsualCommand(*command));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

Finding FindingOf(std::string_view id, Confidence confidence, std::vector<Evidence> evidence) {
  const FindingText& text = TextOfFinding(id);
  Finding finding;
  finding.id = text.id;
  finding.title = TitleOf(text);
  finding.confidence = confidence;
  finding.evidence = std::move(evidence);
  finding.next_steps = NextStepsOf(text);
  return finding;
}

Remedy RemedyOf(const FindingText& finding, std::vector<Argument> known,
                const std::vector<NextStep>& steps, std::string_view kind) {
  const auto text = [&](const char* part) {
    return Message(fmt::format("finding.{}{}{}", finding.id, kind, part), known);
  };
  Remedy action{text(".now"), text(".owner"), text(".later"), {}, ""};
  if (finding.shown_by == ShownBy::kCommand) action.command = text(".command");
  const auto service = std::ranges::find(known, "service", &Argument::name);
  if (service != known.end() && !service->value.text.empty()) action.owner.id += ".served";
  if (finding.shown_by != ShownBy::kQuery) return action;
  const auto asks = [](const NextStep& step) { return !step.query.empty(); };
  if (const auto step = std::ranges::find_if(steps, asks); step != steps.end()) {
    action.query = step->query;
  }
  return action;
}

const std::vector<StepCommand>& StepCommands() { return AllTables().commands; }

const StepCommand* CommandOf(const Message& text) {
  return FindById(StepCommands(), text.id, &StepCommand::step);
}

std::string UsualCommand(const StepCommand& command) {
  constexpr const char* kWords[] = {
      " --prometheus URL --start T --end T",                // kInvestigation
      " METRIC --prometheus URL --start T --end T",         // kHistogram
      " METRIC METRIC --prometheus URL --start T --end T",  // kTwoHistograms
      " --prometheus URL",                                  // kSource
      " RULES.yaml"};                                       // kExpression
  return fmt::format("schedlens {}{}", command.command, kWords[static_cast<int>(command.needs)]);
}

Message WithCommand(Message text, const std::string& command) {
  text.args = {{"command", command}};
  return text;
}

}  // namespace schedlens
