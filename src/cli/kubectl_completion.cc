#include "cli/kubectl_completion.h"

#include <algorithm>

#include "cli/completion.h"
#include "source/http/api_server.h"

namespace schedlens {
namespace {

constexpr const char* kNoFiles = ":4\n";
constexpr const char* kFileOptions = ":0\n";

/// The words that begin as typed, and what ends the list.
class Offer {
 public:
  explicit Offer(std::string typed) : typed_(std::move(typed)) {}

  void Add(const std::string& word, const std::string& description = "") {
    if (!word.starts_with(typed_)) return;
    lines_ += word + (description.empty() ? "" : "\t" + description) + "\n";
  }
  void AllowFiles() { end_ = kFileOptions; }
  std::string Text() const { return lines_ + end_; }

 private:
  std::string typed_, lines_;
  const char* end_ = kNoFiles;
};

const Option* FindOption(const Options& options, const std::string& name) {
  for (const Option& option : options) {
    const std::vector<std::string> names = NamesOf(option);
    if (std::find(names.begin(), names.end(), name) != names.end()) return &option;
  }
  return nullptr;
}

const DeclaredCommand* CommandIn(const Program& program, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (const DeclaredCommand& command : program.commands) {
      if (command.name == word) return &command;
    }
  }
  return nullptr;
}

/// The file that --kubeconfig names so far; empty: kubectl's own.
std::string KubeconfigIn(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--kubeconfig" && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with("--kubeconfig=")) return words[i].substr(13);
  }
  return "";
}

void AddValues(const Option& option, const std::string& prefix,
               const std::vector<std::string>& words, Offer* offer) {
  for (const std::string& value : OfferedValues(option)) offer->Add(prefix + value);
  if (option.value == "CONTEXT") {
    for (const std::string& name : ContextNames(KubeconfigIn(words))) offer->Add(prefix + name);
  }
  if (OfferedValues(option).empty() && TakesFile(option)) offer->AllowFiles();
}

void AddOptions(const Options& options, Offer* offer) {
  for (const Option& option : options) {
    for (const std::string& name : NamesOf(option)) offer->Add(name, option.help);
  }
}

void AddPositionals(const DeclaredCommand& command, const std::vector<std::string>& words,
                    Offer* offer) {
  for (const Option& positional : command.positionals) {
    AddValues(positional, "", words, offer);
    if (OfferedValues(positional).empty()) offer->AllowFiles();
  }
}

}  // namespace

bool IsKubectlCompletion(std::string_view program_path) {
  const std::size_t slash = program_path.rfind('/');
  return program_path.substr(slash == std::string_view::npos ? 0 : slash + 1) ==
         "kubectl_complete-schedlens";
}

std::string KubectlCompletion(const Program& program, const std::vector<std::string>& words) {
  const std::string typed = words.empty() ? "" : words.back();
  const std::vector<std::string> before(words.begin(), words.end() - (words.empty() ? 0 : 1));
  Offer offer(typed);
  const DeclaredCommand* command = CommandIn(program, before);
  if (command == nullptr) {
    if (typed.starts_with('-')) AddOptions(program.options, &offer);
    for (const DeclaredCommand& one : program.commands) offer.Add(one.name, one.summary);
    return offer.Text();
  }
  const Option* pending = before.empty() ? nullptr : FindOption(command->options, before.back());
  const std::size_t equals = typed.starts_with("--") ? typed.find('=') : std::string::npos;
  if (pending != nullptr && pending->takes_value()) {
    AddValues(*pending, "", before, &offer);
  } else if (equals != std::string::npos) {
    const Option* option = FindOption(command->options, typed.substr(0, equals));
    if (option != nullptr) AddValues(*option, typed.substr(0, equals + 1), before, &offer);
  } else if (typed.starts_with('-')) {
    AddOptions(command->options, &offer);
  } else {
    AddPositionals(*command, before, &offer);
  }
  return offer.Text();
}

}  // namespace schedlens
