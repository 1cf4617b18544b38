#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <string>

#include "analysis/glossary/glossary.h"
#include "cli/commands/commands.h"
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
    throw Error(ErrorKind::kUsage,
                fmt::format("unknown term {}; did you mean {}? `schedlens explain` lists all terms",
                            word, Nearest(word, ExplainedWords())));
  }
  context.out << ExplanationText(found);
  return 0;
}

}  // namespace

Declared DeclareExplain() {
  const auto word = std::make_shared<std::string>();
  // The words are there to be completed; another one is answered with the nearest.
  return {{{.names = "word",
            .value = "WORD",
            .help = "a finding, stage, metric or term of the reports; without it all are listed",
            .target = word.get(),
            .suggestions = ExplainedWords()}},
          [word](const Context& context) { return RunExplain(*word, context); }};
}

}  // namespace schedlens
