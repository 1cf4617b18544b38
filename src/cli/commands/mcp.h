#pragma once

// `schedlens mcp`: JSON-RPC 2.0 as the Model Context Protocol speaks it over standard input and
// output, one message a line. The session knows messages, and nothing of processes.

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// What a tool is called with: the words of a command line of this program, without its name and
/// its source, and what its standard input holds.
struct ToolCall {
  std::string tool;
  std::vector<std::string> words;
  std::vector<std::string> positionals;
  std::string input = {};
  bool takes_source = false;  ///< the source that the server was started with belongs to it
  bool has_json = false;      ///< `--output=json` gives an object
};

/// What a tool answers.
struct ToolAnswer {
  std::string text;
  bool failed = false;
  std::string structured = {};  ///< JSON; empty where there is none
  std::string document = {};    ///< the whole JSON of a diagnosis; else empty
};

/// What a call may ask and tell while it runs; both may be called by any thread.
struct CallWatch {
  std::function<bool()> cancelled;
  std::function<void(double seconds)> progress;  ///< since its start
};

/// One client. Handle is called by one thread; calls may run in others.
class McpSession {
 public:
  using Send = std::function<void(const nlohmann::json& message)>;
  using Run = std::function<ToolAnswer(const ToolCall& call, const CallWatch& watch)>;
  /// Runs a job that ends by itself: at once, or in a thread.
  using Start = std::function<void(std::function<void()> job)>;

  McpSession(Send send, Run run, Start start);

  /// Answers one line, by `send`; what is no message is answered with a JSON-RPC error.
  void Handle(std::string_view line);
  /// Answers a line that was longer than kLongestMessage and was not kept.
  void RefuseLongLine();

  static constexpr std::size_t kLongestMessage = 10'000'000;  ///< bytes

 private:
  using Json = nlohmann::json;

  void Answer(const Json& id, const Json& result);
  void Fail(const Json& id, int code, const std::string& why);
  Json ResultOf(const std::string& method, const Json& params);
  Json Resources();
  Json Resource(const Json& params);
  void Call(const Json& id, const Json& params);
  void Finish(const Json& id, const std::string& tool, ToolAnswer answer);
  void Cancel(const Json& params);

  const Send send_;
  const Run run_;
  const Start start_;
  std::mutex mutex_;                              // of what is below
  std::map<std::string, bool> running_;           // by id as JSON: whether it was cancelled
  std::deque<std::pair<int, std::string>> kept_;  // whole diagnoses, the latest
  int last_ = 0;
};

}  // namespace schedlens
