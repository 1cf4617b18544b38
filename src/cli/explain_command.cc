#include "cli/explain_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "analysis/glossary/glossary.h"
#include "model/nearest.h"
#include "report/glossary.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

int RunExplain(const std::string& word, const Context& context) {
  if (word.empty()) {
    context.out << GlossaryIndex(FindingTexts(), StageTexts(), MetricTexts(), TopicTexts());
    return 0;
  }
  const Explanation found = Explain(word);
  if (found.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("nothing is known about {}; did you mean {}? `schedlens explain` lists all",
                    word, Nearest(word, ExplainedWords())));
  }
  context.out << ExplanationText(found);
  return 0;
}

}  // namespace

Run SetUpExplain(CLI::App& app) {
  const auto word = std::make_shared<std::string>();
  app.add_option("word", *word, "a finding, stage, metric or word of the reports; all when absent")
      ->type_name("WORD");
  return [word](const Context& context) { return RunExplain(*word, context); };
}

}  // namespace schedlens
