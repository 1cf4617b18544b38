#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/command.h"
#include "cli/parse.h"
#include "cli/run_main.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

/// What a command with an expression, an alert and a short option with choices understands.
std::map<std::string, std::string> Read(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> got;
  bool flag = false;
  Program program;
  program.commands.push_back(
      {.name = "query",
       .options = {OptionOf("--alert", "NAME|EXPR|URL", &got["alert"]),
                   OptionOf("--http.config.file", "FILE", &got["http"]),
                   OptionOf("--at", "TIME", &got["at"]),
                   OptionOf("-o,--output", "FORMAT", &got["output"],
                            {.choices = {"json", "table"}}),
                   OptionOf("-q,--quantile", "Q", &got["q"]), OptionOf("-f,--flag", "", &flag)},
       .positionals = {OptionOf("expression", "EXPR", &got["expression"])}});
  CommandLine line(program);
  std::vector<const char*> argv = {"schedlens", "query"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  line.Parse({argv.begin(), argv.end()});
  got["flag"] = flag ? "yes" : "";
  std::erase_if(got, [](const auto& entry) { return entry.second.empty(); });
  return got;
}

TEST(LeadingDash, BeginsAnExpressionThatIsNoOption) {
  using Got = std::map<std::string, std::string>;
  const struct {
    std::vector<std::string> arguments;
    Got got;
  } cases[] = {
      {{"-x"}, {{"expression", "-x"}}},
      {{"-x", "-o", "json"}, {{"expression", "-x"}, {"output", "json"}}},
      {{"-ojson", "-(1)"}, {{"expression", "-(1)"}, {"output", "json"}}},
      {{"-offset_total"}, {{"expression", "-offset_total"}}},
      {{"-q0.9", "-quantile(0.9, x)"}, {{"expression", "-quantile(0.9, x)"}, {"q", "0.9"}}},
      {{"-floor(x)", "-f"}, {{"expression", "-floor(x)"}, {"flag", "yes"}}},
      {{"--alert", "-rate(x[5m]) < -1"}, {{"alert", "-rate(x[5m]) < -1"}}},
      {{"--alert=-rate(x[5m]) < -1", "-1"}, {{"alert", "-rate(x[5m]) < -1"}, {"expression", "-1"}}},
      {{"up", "--at", "-1h"}, {{"expression", "up"}, {"at", "-1h"}}},
      {{"up", "--http.config.file", "f"}, {{"expression", "up"}, {"http", "f"}}},
      {{"--http.config.file=f", "--1"}, {{"expression", "--1"}, {"http", "f"}}},
      {{"--", "-x"}, {{"expression", "-x"}}},
      {{"--1"}, {{"expression", "--1"}}},
      {{"--1", "-o", "json"}, {{"expression", "--1"}, {"output", "json"}}},
      {{"-rate(x[5m])"}, {{"expression", "-rate(x[5m])"}}},
      {{"--rate(x[5m])", "--output=json"}, {{"expression", "--rate(x[5m])"}, {"output", "json"}}},
      {{"--(1)"}, {{"expression", "--(1)"}}},
      {{"---x"}, {{"expression", "---x"}}},
      {{"--x_total"}, {{"expression", "--x_total"}}},
      {{"--x{a=\"b\"} > 1"}, {{"expression", "--x{a=\"b\"} > 1"}}},
      {{"--.5"}, {{"expression", "--.5"}}},
      {{"--alert", "--1 < -1"}, {{"alert", "--1 < -1"}}},
  };
  for (const auto& c : cases) EXPECT_EQ(Read(c.arguments), c.got) << c.arguments.front();
}

TEST(LeadingDash, IsAnErrorWhereNoExpressionIsWanted) {
  EXPECT_THROW(Read({"up", "--no-such"}), Error);
  EXPECT_THROW(Read({"--no-such=a b"}), Error) << "an option with a value";
  EXPECT_THROW(Read({"--at"}), Error) << "an option without one";
  EXPECT_THROW(Read({"up", "-x"}), Error) << "one expression too many";
  bool flag = false;
  EXPECT_THROW(ParseWith({OptionOf("-f,--flag", "", &flag)}, {"-x"}), Error);
}

TEST(LeadingDash, ReachesTheCommandsAsTyped) {
  const Ran wrong = RunMain({"query", "-limitk(1, up)", "--scenario", "healthy"});
  EXPECT_THAT(wrong.err, HasSubstr("\"limitk\" is outside the dialect"));
  const Ran extra = RunMain({"query", "up", "-nosuch", "--scenario", "healthy"});
  EXPECT_THAT(extra.err, HasSubstr("unknown option -nosuch"));
}

}  // namespace
}  // namespace schedlens
