// Every command of schedlens that a report prints is run as printed, by a shell, where the report
// was made.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "base/text.h"
#include "cli/process.h"
#include "e2e/recorded.h"

namespace schedlens::test {
namespace {

using nlohmann::json;

/// A report as it is asked for, and where.
struct Asked {
  std::string name;
  std::string folder;
  std::string command;        ///< behind `schedlens `
  std::set<int> codes = {0};  ///< that its commands may end with
};

/// A folder with the binary under its name, for the PATH.
class Shell {
 public:
  Shell() { std::filesystem::create_symlink(SCHEDLENS_BINARY, bin_.path() + "/schedlens"); }

  Finished Run(const std::string& folder, const std::string& line) const {
    return RunProgram(
        {"bash", "-c", "cd '" + folder + "' && " + line}, "",
        {"PATH=" + bin_.path() + ":" + std::getenv("PATH"), "SCHEDLENS_URL=", "PROMETHEUS_URL=",
         "SCHEDLENS_HTTP_CONFIG=", "SCHEDLENS_CONFIG=/dev/null", "LC_ALL=C.UTF-8", "NO_COLOR=1"});
  }

 private:
  schedlens::TempDir bin_;
};

std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string WithoutEntities(std::string text) {
  const std::vector<std::pair<std::string, std::string>> entities = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [entity, character] : entities) text = ReplaceAll(text, entity, character);
  return text;
}

/// What stands between the marks and begins with `schedlens `.
std::set<std::string> Between(const std::string& text, const std::string& open,
                              const std::string& close) {
  std::set<std::string> found;
  const std::string begin = open + "schedlens ";
  for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
    at += open.size();
    const std::size_t end = text.find(close, at);
    if (end == text.npos) break;
    found.insert(text.substr(at, end - at));
    at = end;
  }
  return found;
}

void AddStrings(const json& value, std::set<std::string>* strings) {
  if (value.is_string() && value.get<std::string>().starts_with("schedlens ")) {
    strings->insert(value.get<std::string>());
  }
  for (const auto& item : value.is_structured() ? value : json::array()) AddStrings(item, strings);
}

std::set<std::string> CommandsIn(const std::string& format, const std::string& text) {
  if (format == "json") {
    std::set<std::string> found;
    AddStrings(json::parse(text), &found);
    return found;
  }
  if (format == "html") {
    std::set<std::string> found;
    for (const std::string& one : Between(text, "<code>", "</code>")) {
      found.insert(WithoutEntities(one));
    }
    return found;
  }
  std::set<std::string> found;
  for (const std::string& one : Between(text, "`", "`")) {
    const std::string plain = format == "markdown" ? ReplaceAll(one, "\\|", "|") : one;
    found.insert(format == "slack" ? WithoutEntities(plain) : plain);
  }
  return found;
}

/// The commands of the report in every format and language, each with the formats that have it.
std::map<std::string, std::string> CommandsOf(const Shell& shell, const Asked& asked) {
  const Finished made = shell.Run(asked.folder, "schedlens " + asked.command + " -o json");
  EXPECT_TRUE(made.code == 0 || made.code == 5) << asked.name << made.err;
  const schedlens::TempDir saved;
  const std::string file = saved.Write("saved.json", made.out);
  std::map<std::string, std::string> commands;
  const auto read = [&](const std::string& format, const std::string& options) {
    const Finished report =
        shell.Run(asked.folder, "schedlens report " + file + " -o " + format + options);
    EXPECT_EQ(report.code, 0) << report.err;
    for (const std::string& command : CommandsIn(format, report.out)) {
      commands[command] += " " + format + options;
    }
    // A message and one screen have no room for every command.
    const bool brief = format == "text" && options.find("--full") == options.npos;
    EXPECT_TRUE(format == "slack" || brief ||
                report.out.find("schedlens diagnose") != report.out.npos)
        << asked.name << " as " << format << " does not say how it was made";
  };
  for (const std::string lang : {" --lang en", " --lang zh"}) {
    read("text", " --width 80" + lang);
    read("text", " --full --width 60" + lang);
    read("markdown", lang);
    read("html", lang);
    read("slack", lang);
  }
  read("json", "");
  return commands;
}

/// Runs each command as printed; tells how many there were.
std::size_t RunAsPrinted(const Asked& asked) {
  const Shell shell;
  const auto commands = CommandsOf(shell, asked);
  for (const auto& [command, formats] : commands) {
    const Finished done = shell.Run(asked.folder, command);
    // A finding of `lint` and a source that shows too little are told by the code.
    const bool lints = command.starts_with("schedlens lint");
    const bool good = asked.codes.count(done.code) == 1 || (lints && done.code == 3);
    EXPECT_TRUE(good) << asked.name << ":" << formats << "\n"
                      << command << "\nended with " << done.code << ": " << done.err;
    // Whatever else the report names as its own making is the command that made it.
    if (command.starts_with("schedlens diagnose")) {
      EXPECT_EQ(command, "schedlens " + asked.command + " -o json") << formats;
    }
  }
  return commands.size();
}

/// The lines of an example's command.txt that diagnose.
std::vector<Asked> Examples() {
  std::vector<Asked> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(SCHEDLENS_SOURCE_DIR "/examples/incidents")) {
    std::istringstream lines(ReadAll(entry.path() / "command.txt"));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("schedlens diagnose ") || line.find('|') != line.npos) continue;
      all.push_back({entry.path().filename(), entry.path(), line.substr(10)});
    }
  }
  return all;
}

TEST(PrintedCommands, OfEveryExampleIncidentRun) {
  const std::vector<Asked> examples = Examples();
  ASSERT_GE(examples.size(), 6U);
  for (const Asked& asked : examples) EXPECT_GE(RunAsPrinted(asked), 1U) << asked.name;
}

TEST(PrintedCommands, OfScenariosRun) {
  const std::string alert =
      "'histogram_quantile(0.99, sum by (le) "
      "(rate(scheduler_scheduling_attempt_duration_seconds_bucket[5m]))) > 3'";
  for (const std::string name :
       {"bind.client-throttling", "quantile.population", "quantile.threshold-inside-bucket"}) {
    const std::size_t count =
        RunAsPrinted({name, "/tmp", "diagnose --scenario " + name + " --alert " + alert});
    EXPECT_GE(count, 2U) << name;
  }
}

TEST(PrintedCommands, OfALivePrometheusLeadToIt) {
  if (!Installed("prometheus") || !Installed("promtool")) GTEST_SKIP() << "no Prometheus here";
  const TempDir work;
  const Exposition recording = ReadIncident("extender-bind-slow");
  const auto server = StartOver(recording, work.path());
  const std::string end = FormatTime(ExtentOf(recording).end);
  const Asked asked{"live", "/tmp",
                    "diagnose --prometheus " + server->url() + " --at " + end +
                        " --selector 'job=\"kube-scheduler\"'"};
  EXPECT_GE(RunAsPrinted(asked), 3U);
}

TEST(PrintedCommands, WhereNothingWasFoundRunAndSaySo) {
  const schedlens::TempDir work;
  work.Write("empty of schedulers.om", "# TYPE up gauge\nup{job=\"it's\"} 1 1795200000\n# EOF\n");
  const Asked asked{"nothing", work.path(), "diagnose --capture 'empty of schedulers.om'", {0, 5}};
  EXPECT_GE(RunAsPrinted(asked), 2U);
}

}  // namespace
}  // namespace schedlens::test
