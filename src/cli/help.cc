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

 private:
  std::string examples_;
};

}  // namespace

void SetHelp(CLI::App& subcommand, const Command& command) {
  subcommand.footer("");
  subcommand.formatter(std::make_shared<ExamplesFirst>(command.examples));
}

}  // namespace schedlens
