#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options/output.h"
#include "diagnose/explain/glossary.h"
#include "report/commands.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct ExplainOptions {
  std::string word;
  std::string lang = "en";
};

int RunExplain(const ExplainOptions& options, const Context& context) {
  const std::string& word = options.word;
  const Messages t(options.lang);
  if (word.empty()) {
    context.out << GlossaryIndex(t, FindingTexts(), StageTexts(), MetricTexts(), LintChecks(),
                                 TopicTexts());
    return 0;
  }
  const Explanation found = Explain(word);
  if (found.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("unknown term {}; did you mean {}? `schedlens explain` lists all terms",
                            word, Nearest(word, ExplainedWords())));
  }
  context.out << ExplanationText(t, found);
  return 0;
}

}  // namespace

Declared DeclareExplain() {
  return DeclareWith<ExplainOptions>(
      [](ExplainOptions* o) {
        // The words are there to be completed; another one is answered with the nearest.
        return Options{Option("word", "WORD",
                              "a finding, stage, metric, check of `lint` or term of the reports; "
                              "without it all are listed",
                              &o->word, {.suggestions = ExplainedWords()}),
                       LanguageOption(&o->lang)};
      },
      RunExplain);
}

}  // namespace schedlens
