#include "cli/options/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "schedlens/error.h"

namespace schedlens {
namespace {

// Sets or removes variables, and puts them back.
class Environment {
 public:
  explicit Environment(const std::vector<std::pair<std::string, std::string>>& wanted) {
    for (const char* name :
         {"NO_COLOR", "CLICOLOR_FORCE", "TERM", "LC_ALL", "LC_CTYPE", "LANG", "COLUMNS"}) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value == nullptr ? std::optional<std::string>() : value);
      unsetenv(name);
    }
    for (const auto& [name, value] : wanted) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : saved_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

RenderOptions Resolved(const OutputOptions& options,
                       const std::vector<std::pair<std::string, std::string>>& environment) {
  const Environment set(environment);
  std::istringstream in;
  std::ostringstream out, err;
  return RenderOptionsFor(options, {in, out, err});
}

struct ColorCase {
  const char* color;
  std::vector<std::pair<std::string, std::string>> environment;
  bool expected;
};

TEST(OutputOptionsTest, ColourFollowsOptionThenEnvironmentThenTerminal) {
  const ColorCase cases[] = {
      {"auto", {}, false},  // the output is no terminal here
      {"always", {{"NO_COLOR", "1"}}, true},
      {"never", {{"CLICOLOR_FORCE", "1"}}, false},
      {"auto", {{"CLICOLOR_FORCE", "1"}}, true},
      {"auto", {{"CLICOLOR_FORCE", "0"}}, false},
      {"auto", {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}, false},
      {"auto", {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", ""}}, true},
  };
  for (const ColorCase& c : cases) {
    OutputOptions options;
    options.color = c.color;
    EXPECT_EQ(Resolved(options, c.environment).color, c.expected) << c.color;
  }
}

TEST(OutputOptionsTest, AsciiUnlessTheLocaleIsUtf8) {
  EXPECT_TRUE(Resolved({}, {}).ascii);
  EXPECT_TRUE(Resolved({}, {{"LANG", "en_US.UTF-8"}, {"LC_ALL", "C"}}).ascii);
  EXPECT_FALSE(Resolved({}, {{"LANG", "en_US.UTF-8"}}).ascii);
  EXPECT_FALSE(Resolved({}, {{"LC_ALL", "C.utf8"}}).ascii);
  OutputOptions options;
  options.look.ascii = true;
  EXPECT_TRUE(Resolved(options, {{"LC_ALL", "C.UTF-8"}}).ascii);
}

TEST(OutputOptionsTest, WidthIsAsAskedThenColumnsThen100WithoutTerminal) {
  EXPECT_EQ(Resolved({}, {}).width, 100);
  EXPECT_EQ(Resolved({}, {{"COLUMNS", "80"}}).width, 80);
  EXPECT_EQ(Resolved({}, {{"COLUMNS", "7"}}).width, 40);
  EXPECT_EQ(Resolved({}, {{"COLUMNS", "100000"}}).width, 400);
  for (const char* none : {"", "0", "-5", "80x", "99999999999"}) {
    EXPECT_EQ(Resolved({}, {{"COLUMNS", none}}).width, 100) << none;
  }
  OutputOptions options;
  options.width = 60;
  EXPECT_EQ(Resolved(options, {{"COLUMNS", "80"}}).width, 60);
}

TEST(OutputOptionsTest, ExportsAreWrittenBesideTheOutput) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "schedlens-exports";
  std::filesystem::create_directories(directory);
  OutputOptions options;
  options.format = "json";
  options.export_html = directory / "a.html";
  options.export_json = directory / "a.json";
  options.export_markdown = directory / "a.md";
  std::istringstream in;
  std::ostringstream out, err;
  WriteReports(Diagnosis{}, options, {in, out, err});
  std::stringstream json;
  json << std::ifstream(options.export_json).rdbuf();
  EXPECT_EQ(json.str(), out.str());
  EXPECT_GT(std::filesystem::file_size(options.export_html), 1000U);
  EXPECT_GT(std::filesystem::file_size(options.export_markdown), 100U);
  int files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(directory)) ++files;
  EXPECT_EQ(files, 3);
  std::filesystem::remove_all(directory);

  EXPECT_THROW(WriteReports(Diagnosis{}, options, {in, out, err}), Error);
}

TEST(OutputOptionsTest, TwoReportsNeverShareAFile) {
  OutputOptions options;
  const Options table = OutputOptionTable(&options);
  const auto set = [&](const std::string& name, const std::string& file) {
    for (const Option& option : table) {
      if (option.names != name) continue;
      std::get<std::function<void(const std::string&)>>(option.target)(file);
    }
  };
  set("--export-html", "reports/a");
  set("--export-json", "a");
  EXPECT_THROW(set("--export-markdown", "reports/../a"), Error);
  EXPECT_EQ(options.export_markdown, "");
  set("--export-markdown", "b");
  EXPECT_EQ(options.export_markdown, "b");
  EXPECT_THROW(set("--export-html", "-"), Error) << "a file named -";
}

}  // namespace
}  // namespace schedlens
