// Messages to `schedlens mcp`, without processes.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/commands/mcp.h"

namespace schedlens {
namespace {

using Json = nlohmann::json;

/// What the session says to one line; calls answer "ran".
std::vector<Json> Said(std::string_view line) {
  std::vector<Json> said;
  McpSession session([&](const Json& message) { said.push_back(message); },
                     [](const ToolCall&, const CallWatch&) { return ToolAnswer{.text = "ran"}; },
                     [](auto job) { job(); });
  session.Handle(line);
  return said;
}

TEST(McpSession, AnswersHostileMessagesWithCodes) {
  struct {
    std::string line;
    int code;
    Json id;
  } const cases[] = {
      {"{", -32700, nullptr},
      {"nonsense", -32700, nullptr},
      {std::string(3000, '['), -32700, nullptr},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600, nullptr},
      {"7", -32600, nullptr},
      {"null", -32600, nullptr},
      {R"({"id":1,"method":"ping"})", -32600, 1},
      {R"({"jsonrpc":"1.0","id":"a","method":"ping"})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600, nullptr},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600, nullptr},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", -32600, 1},
      {R"({"jsonrpc":"2.0","id":1})", -32600, 1},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/none"})", -32601, 1},
      {R"({"jsonrpc":"2.0","id":-1.5,"method":"ping","params":[1]})", -32602, -1.5},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", -32602, 1},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"serve"}})", -32602, 1},
      {R"({"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":{}}})", -32602, 1},
      {R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc"}})",
       -32002, 1},
  };
  for (const auto& [line, code, id] : cases) {
    const std::vector<Json> said = Said(line);
    ASSERT_EQ(said.size(), 1U) << line;
    EXPECT_EQ(said[0].at("error").at("code"), code) << line;
    EXPECT_EQ(said[0].at("id"), id) << line;
  }
}

TEST(McpSession, SaysNothingToWhatIsNoRequest) {
  for (const char* line :
       {"", "  ", R"({"jsonrpc":"2.0","method":"notifications/unknown"})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":7})",
        R"({"jsonrpc":"2.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}})"}) {
    EXPECT_TRUE(Said(line).empty()) << line;
  }
}

}  // namespace
}  // namespace schedlens
