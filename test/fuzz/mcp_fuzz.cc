// Any lines as what a client of `schedlens mcp` sends: each is answered, or is none of a request;
// what is said is JSON. Tools are not run, their words are looked at.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json.h"
#include "cli/commands/mcp.h"

namespace {

using schedlens::ToolCall;

void Check(bool holds) {
  if (!holds) std::abort();
}

schedlens::ToolAnswer Look(const ToolCall& call) {
  for (const std::string& word : call.words) Check(word.starts_with("--"));
  for (const auto* words : {&call.words, &call.positionals}) {
    for (const std::string& word : *words) {
      Check(word.find('\0') == std::string::npos && word.find("://") == std::string::npos);
    }
  }
  return {.text = call.tool, .failed = false, .structured = {}, .document = "{}"};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view left(reinterpret_cast<const char*>(data), size);
  schedlens::McpSession session(
      [](const nlohmann::json& message) {
        const std::string line = schedlens::WriteJson(message);
        Check(line.find('\n') == std::string::npos && !schedlens::ReadJson(line).is_discarded());
      },
      [](const ToolCall& call, const schedlens::CallWatch& watch) {
        watch.progress(1);
        return watch.cancelled() ? schedlens::ToolAnswer{} : Look(call);
      },
      [](const auto& job) { job(); });
  while (!left.empty()) {
    const std::size_t end = left.find('\n');
    session.Handle(left.substr(0, end));
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  return 0;
}
