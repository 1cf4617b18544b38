// A scripted client of `schedlens mcp`, on the real binary.

#include "cli/commands/mcp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/process.h"

namespace schedlens {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using std::literals::operator""s;

const std::string kRecording =
    std::string(SCHEDLENS_SOURCE_DIR) + "/examples/incidents/webhook-on-binding/metrics.om.gz";

/// The server at the other end of two pipes.
class Client {
 public:
  explicit Client(const std::vector<std::string>& flags = {"--capture", kRecording}) {
    int in[2], out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC) + pipe2(out, O_CLOEXEC), 0);
    std::vector<std::string> command = {SCHEDLENS_BINARY, "mcp"};
    command.insert(command.end(), flags.begin(), flags.end());
    const auto variables = test::EnvironmentWith(
        {"SCHEDLENS_CONFIG=/dev/null", "COLUMNS=", "SOURCE_DATE_EPOCH=1795226400"});
    const auto argv = test::Pointers(command), envp = test::Pointers(variables);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      execve(argv[0], argv.data(), envp.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = fdopen(out[0], "r");
  }
  ~Client() {
    if (pid_ > 0) End();
    fclose(from_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Send(const Json& message) { SendLine(message.dump()); }
  void SendLine(std::string line) {
    line += "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t n = write(to_, line.data() + sent, line.size() - sent);
      ASSERT_GT(n, 0);
      sent += static_cast<std::size_t>(n);
    }
  }
  /// Discarded at the end of what the server says.
  Json Next() {
    char* line = nullptr;
    std::size_t room = 0;
    const ssize_t n = getline(&line, &room, from_);
    const std::string text = n > 0 ? line : "";
    free(line);
    return Json::parse(text, nullptr, false);
  }
  Json Ask(const std::string& method, const Json& params = Json::object()) {
    Send({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
    const Json answer = Next();
    EXPECT_EQ(answer.value("id", Json()), id_) << answer;
    return answer;
  }
  Json Call(const std::string& tool, const Json& arguments) {
    return Ask("tools/call", {{"name", tool}, {"arguments", arguments}}).value("result", Json());
  }
  /// Its exit code once its standard input has ended.
  int End() {
    close(to_);
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string Proc(const std::string& name) const {
    return "/proc/" + std::to_string(pid_) + "/" + name;
  }

 private:
  pid_t pid_ = 0;
  int to_ = -1, id_ = 0;
  FILE* from_ = nullptr;
};

std::string TextIn(const Json& result) {
  return result.at("content").at(0).at("text").get<std::string>();
}

TEST(Mcp, ListsAndDescribesItself) {
  Client client;
  for (const auto& [asked, spoken] :
       {std::pair("2025-06-18", "2025-06-18"), std::pair("2024-11-05", "2024-11-05"),
        std::pair("1999-01-01", "2025-06-18")}) {
    const Json hello = client.Ask("initialize", {{"protocolVersion", asked}}).at("result");
    EXPECT_EQ(hello.at("protocolVersion"), spoken);
    EXPECT_EQ(hello.at("serverInfo").at("name"), "schedlens");
  }
  client.Send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  EXPECT_EQ(client.Ask("ping").at("result"), Json::object());
  std::vector<std::string> names;
  const Json listed = client.Ask("tools/list");
  for (const Json& tool : listed.at("result").at("tools")) {
    names.push_back(tool.at("name"));
    EXPECT_TRUE(tool.at("annotations").at("readOnlyHint").get<bool>());
    EXPECT_FALSE(tool.at("inputSchema").at("additionalProperties").get<bool>());
    EXPECT_FALSE(tool.contains("_call"));
  }
  EXPECT_THAT(names, testing::ElementsAre("diagnose", "quantile", "compare", "whatif", "lint",
                                          "doctor", "explain"));
  EXPECT_EQ(client.Ask("prompts/list").at("result").at("prompts").at(0).at("name"),
            "scheduler_alert");
  const Json prompt = client.Ask(
      "prompts/get", {{"name", "scheduler_alert"}, {"arguments", {{"alert", "SchedulerSlow"}}}});
  EXPECT_THAT(prompt.dump(), HasSubstr("SchedulerSlow"));
  EXPECT_EQ(client.Ask("resources/list").at("result").at("resources"), Json::array());
  EXPECT_EQ(client.End(), 0);
}

TEST(Mcp, AnswersAsTheCommandLineDoes) {
  struct {
    const char* tool;
    Json arguments;
    std::vector<std::string> line;
  } const cases[] = {
      {"quantile",
       {{"metric", "scheduler_scheduling_attempt_duration_seconds"}, {"quantile", 0.9}},
       {"quantile", "scheduler_scheduling_attempt_duration_seconds", "-q0.9"}},
      {"compare",
       {{"above", "scheduler_scheduling_algorithm_duration_seconds"},
        {"below", "scheduler_scheduling_attempt_duration_seconds"}},
       {"compare", "scheduler_scheduling_algorithm_duration_seconds",
        "scheduler_scheduling_attempt_duration_seconds"}},
      {"whatif",
       {{"set", {"bind.request=baseline"}}, {"baseline", "auto"}},
       {"whatif", "--set", "bind.request=baseline", "--baseline", "auto"}},
      {"doctor", Json::object(), {"doctor"}},
      {"explain", {{"word", "bind.extender"}}, {"explain", "bind.extender"}},
      {"lint",
       {{"expr", "histogram_quantile(0.99, scheduler_e2e_scheduling_duration_seconds_bucket) > 3"}},
       {"lint", "--fail-on=never", "--expr",
        "histogram_quantile(0.99, scheduler_e2e_scheduling_duration_seconds_bucket) > 3"}},
  };
  Client client;
  for (const auto& [tool, arguments, line] : cases) {
    std::vector<std::string> words = line;
    if (words[0] != "explain") {
      words.insert(words.end(), {"--capture", kRecording});
    }
    const Json result = client.Call(tool, arguments);
    EXPECT_FALSE(result.at("isError").get<bool>()) << result;
    EXPECT_EQ(TextIn(result), RunBinary(words).out) << tool;
  }
}

TEST(Mcp, KeepsTheWholeDiagnosis) {
  Client client;
  const Json result = client.Call("diagnose", Json::object());
  const Json brief =
      Json::parse(RunBinary({"diagnose", "--capture", kRecording, "-o", "brief"}).out);
  EXPECT_THAT(TextIn(result), HasSubstr(brief.at("headline").get<std::string>().substr(0, 40)));
  EXPECT_EQ(result.at("structuredContent").at("findings"), brief.at("findings"));
  const Json listed = client.Ask("resources/list").at("result").at("resources");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed.at(0).at("uri"), "schedlens://diagnosis/1");
  const Json read = client.Ask("resources/read", {{"uri", "schedlens://diagnosis/1"}});
  const Json whole =
      Json::parse(read.at("result").at("contents").at(0).at("text").get<std::string>());
  EXPECT_EQ(whole.at("schema"), "schedlens.diagnosis/1");
  EXPECT_EQ(
      client.Ask("resources/read", {{"uri", "schedlens://diagnosis/2"}}).at("error").at("code"),
      -32002);
}

TEST(Mcp, RefusesWhatNamesAHostAFileOrAFlag) {
  struct {
    const char* tool;
    Json arguments;
    const char* says;
  } const cases[] = {
      {"diagnose", {{"capture", "/etc/passwd"}}, "takes no such argument"},
      {"diagnose", {{"alert", "http://169.254.169.254/graph?g0.expr=up"}}, "no address"},
      {"diagnose", {{"start", 7}}, "expected a value of type string"},
      {"diagnose", Json::array({1}), "expected an object"},
      {"whatif", {{"set", {"config=/etc/passwd"}}}, "no file"},
      {"whatif", {{"set", "nodes=3"}}, "expected an array"},
      {"quantile", Json::object(), "needs this argument"},
      {"quantile", {{"metric", "a\0b"s}}, "no NUL"},
      {"explain", {{"word", "--help"}}, "unknown term"},
      {"lint", {{"expr", std::string(20'000, 'x')}}, "longer than 10,000 bytes"},
      {"lint", {{"rules", "groups: ["}}, "Give `rules`"},
      {"lint", Json::object(), "give rule files, dashboards or an expression\nGive `rules`"},
  };
  Client client;
  for (const auto& [tool, arguments, says] : cases) {
    const Json result = client.Call(tool, arguments);
    EXPECT_TRUE(result.value("isError", false)) << tool << result;
    EXPECT_THAT(TextIn(result), HasSubstr(says)) << tool;
    EXPECT_THAT(TextIn(result), HasSubstr("\n")) << "and what to call next";
  }
  const std::string wrong = TextIn(client.Call("diagnose", {{"capture", "/etc/passwd"}}));
  EXPECT_THAT(wrong, testing::EndsWith("\nCall diagnose again with other arguments."));
}

TEST(Mcp, CancelsACall) {
  Client client;
  const auto start = std::chrono::steady_clock::now();
  client.Send({{"jsonrpc", "2.0"},
               {"id", "long"},
               {"method", "tools/call"},
               {"params",
                {{"name", "whatif"},
                 {"arguments", {{"headroom", "rate"}, {"target", "p99=10s"}}},
                 {"_meta", {{"progressToken", "t"}}}}}});
  const Json told = client.Next();
  EXPECT_EQ(told.value("method", ""), "notifications/progress") << told;
  EXPECT_EQ(told.at("params").at("progressToken"), "t");
  client.Send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", "long"}}}});
  client.Send({{"jsonrpc", "2.0"}, {"id", 5.5}, {"method", "ping"}});
  Json answer = client.Next();
  while (answer.contains("method")) answer = client.Next();
  EXPECT_EQ(answer.at("id"), 5.5);
  EXPECT_EQ(client.End(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

std::size_t EntriesOf(const std::string& folder) {
  const std::filesystem::directory_iterator begin(folder);
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

long PagesOf(const std::string& statm) {
  long all = 0, resident = 0;
  std::ifstream(statm) >> all >> resident;
  return resident;
}

TEST(Mcp, FiveHundredCallsLeaveNothingBehind) {
  Client client;
  const auto calls = [&](int count) {
    for (int i = 0; i < count; ++i) {
      EXPECT_FALSE(client.Call("explain", {{"word", "verdict"}}).at("isError").get<bool>());
    }
  };
  calls(20);
  const std::size_t open = EntriesOf(client.Proc("fd"));
  const long pages = PagesOf(client.Proc("statm"));
  calls(480);
  EXPECT_EQ(EntriesOf(client.Proc("fd")), open);
  EXPECT_LT(PagesOf(client.Proc("statm")), pages + 1024);
  EXPECT_EQ(ReadAll(client.Proc("task/" + client.Proc("").substr(6, client.Proc("").size() - 7) +
                                "/children")),
            "");
  EXPECT_EQ(client.End(), 0);
}

TEST(Mcp, ALongAnswerIsCutAlsoWhereItHasNoLines) {
  Client client;
  const std::string rule = "groups: [{name: g, rules: [{alert: " + std::string(40000, 'a') +
                           ", expr: up == 0, labls: {}}]}]";
  const Json answer = client.Call("lint", {{"rules", rule}});
  EXPECT_THAT(answer.at("content").at(0).at("text").get<std::string>(),
              HasSubstr("bytes more: ask for less at once]"));
}

TEST(Mcp, NeedsASourceOfItsOwn) {
  const Finished none = RunBinary({"mcp"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("mcp: calls need a source"));
  EXPECT_EQ(RunBinary({"mcp", "--capture", "-"}).code, 2);
}

TEST(Mcp, RefusesALongLineWithoutKeepingIt) {
  Client client;
  client.SendLine(std::string(McpSession::kLongestMessage + 5, ' ') + "{}");
  EXPECT_EQ(client.Next().at("error").at("code"), -32600);
  EXPECT_EQ(client.Ask("ping").at("result"), Json::object());
}

}  // namespace
}  // namespace schedlens
