#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>

namespace schedlens {
namespace {

class ExamplesFirst : public CLI::Formatter {
 public:
  explicit ExamplesFirst(std::string_view examples) {
    column_width(34);
    std::istringstream lines{std::string(examples)};
    for (std::string line; std::getline(lines, line);) examples_ += "  " + line + "\n";
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return CLI::Formatter::make_help(app, name, mode);
    return "Examples:\n" + examples_ + "\n" + CLI::Formatter::make_help(app, name, mode);
  }

  /// The label, its choices and its default; what excludes what is said by the error.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0 || option->get_items_expected_max() == 0) return "";
    const std::string type = option->get_type_name();
    const std::size_t open = type.find(":{");
    std::string text =
        " " + (open == std::string::npos ? type.substr(0, type.find(':')) : type.substr(open + 1));
    if (!option->get_default_str().empty()) text += " (" + option->get_default_str() + ")";
    return text;
  }

 private:
  std::string examples_;
};

}  // namespace

void SetHelp(CLI::App& subcommand, const Command& command) {
  subcommand.footer("");
  subcommand.formatter(std::make_shared<ExamplesFirst>(command.examples));
}

}  // namespace schedlens
