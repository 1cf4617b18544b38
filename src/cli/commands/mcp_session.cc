// The messages of `schedlens mcp`. Tools, their arguments and the prompt are data: texts/mcp.txt.

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/command.h"
#include "cli/commands/mcp.h"
#include "report/format.h"

namespace schedlens {
namespace {

using McpJson = nlohmann::json;

constexpr int kParseError = -32700, kInvalidRequest = -32600, kNoMethod = -32601,
              kInvalidParams = -32602, kNoResource = -32002;
constexpr std::size_t kKeptDiagnoses = 8;
constexpr std::string_view kResourcePrefix = "schedlens://diagnosis/";
constexpr const char* kRevisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr const char* kOwnRevision = "2025-06-18";

/// A JSON-RPC error.
struct RpcError {
  int code;
  std::string why;
};

const McpJson& McpData() {
  static const McpJson data = ReadJson(TextNamed("mcp"));
  return data;
}

/// Whoever names what is not there learns what is.
const McpJson& Named(const char* list, const std::string& name) {
  std::string all;
  for (const McpJson& one : McpData().at(list)) {
    if (one.at("name") == name) return one;
    all += (all.empty() ? "" : ", ") + one.at("name").get<std::string>();
  }
  throw RpcError{kInvalidParams,
                 fmt::format("{}: no {} is called {}; there are: {}", list,
                             std::string_view(list).substr(0, std::string_view(list).size() - 1),
                             Shorten(name, 60), all)};
}

McpJson WithoutOwn(McpJson list) {
  for (McpJson& one : list) one.erase("_call");
  return list;
}

McpJson TextContent(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

/// A value as a word of a command line: it names no host and no file, and is no option.
std::string WordOfValue(const std::string& name, const McpJson& schema, const McpJson& value,
                        bool is_input) {
  const auto refuse = [&](const std::string& why) {
    Raise(ErrorKind::kUsage, "{}: {}", name, why);
  };
  const std::string type = schema.value("type", "string");
  if (type == "boolean" && value.is_boolean()) return value.get<bool>() ? "true" : "";
  if (type == "integer" && value.is_number_integer()) return value.dump();
  if (type == "number" && value.is_number()) return value.dump();
  if (type != "string" || !value.is_string()) refuse("expected a value of type " + type);
  const std::string text = value.get<std::string>();
  if (text.empty()) refuse("expected a text that is not empty");
  if (text.find('\0') != std::string::npos) refuse("a text holds no NUL");
  if (is_input) return text;
  if (text.size() > 10'000) refuse("longer than 10,000 bytes");
  if (text.find("://") != std::string::npos) {
    refuse("no address: the source is fixed when schedlens mcp is started");
  }
  const std::string key(Trimmed(std::string_view(text).substr(0, text.find_first_of("=*"))));
  if (name == "set" && InSmallLetters(key) == "config") {
    refuse("no file: give settings one by one, such as client.qps=200");
  }
  return text;
}

/// The words of one argument.
void AddArgument(const std::string& name, const McpJson& schema, const McpJson& value,
                 const McpJson& rules, ToolCall* call) {
  if (value.is_null()) return;
  if (schema.value("type", "") == "array") {
    if (!value.is_array()) Raise(ErrorKind::kUsage, "{}: expected an array", name);
    for (const McpJson& one : value) AddArgument(name, schema.at("items"), one, rules, call);
    return;
  }
  const bool is_input = rules.value("input", "") == name;
  const std::string word = WordOfValue(name, schema, value, is_input);
  if (is_input) {
    call->input = word;
  } else if (schema.value("type", "") == "boolean") {
    if (!word.empty()) call->words.push_back("--" + name);
  } else if (!ListAt(rules, "positionals").empty() &&
             std::ranges::count(rules.at("positionals"), McpJson(name)) > 0) {
    call->positionals.push_back(word);
  } else {
    call->words.push_back(fmt::format("--{}={}", name, word));
  }
}

ToolCall CallOf(const McpJson& tool, const McpJson& arguments) {
  const McpJson &schema = tool.at("inputSchema"), &rules = tool.at("_call");
  const McpJson& known = schema.at("properties");
  if (!arguments.is_object()) throw Error(ErrorKind::kUsage, "arguments: expected an object");
  ToolCall call{.tool = tool.at("name"),
                .words = rules.at("words"),
                .positionals = {},
                .input = {},
                .takes_source = rules.value("source", false),
                .has_json = rules.value("json", false)};
  for (const auto& [name, value] : arguments.items()) {
    if (known.contains(name)) continue;
    std::string all;
    for (const auto& [one, unused] : known.items()) all += (all.empty() ? "" : ", ") + one;
    Raise(ErrorKind::kUsage, "{}: {} takes no such argument; it takes: {}", Shorten(name, 60),
          call.tool, all);
  }
  for (const McpJson& name : ListAt(schema, "required")) {
    if (!arguments.contains(name.get<std::string>())) {
      Raise(ErrorKind::kUsage, "{}: {} needs this argument", name.get<std::string>(), call.tool);
    }
  }
  // The positional ones in their order.
  for (const McpJson& name : ListAt(rules, "positionals")) {
    const std::string key = name.get<std::string>();
    AddArgument(key, known.at(key), MemberAt(arguments, key.c_str()), rules, &call);
  }
  for (const auto& [name, value] : arguments.items()) {
    if (std::ranges::count(ListAt(rules, "positionals"), McpJson(name)) > 0) continue;
    AddArgument(name, known.at(name), value, rules, &call);
  }
  return call;
}

McpJson Initialized(const McpJson& params) {
  const std::string asked = TextAt(params, "protocolVersion");
  const bool spoken = std::ranges::count(kRevisions, asked) > 0;
  return {{"protocolVersion", spoken ? asked : kOwnRevision},
          {"capabilities",
           {{"tools", McpJson::object()},
            {"resources", McpJson::object()},
            {"prompts", McpJson::object()}}},
          {"serverInfo", {{"name", "schedlens"}, {"version", Version()}}},
          {"instructions", McpData().at("instructions")}};
}

McpJson PromptOf(const McpJson& params) {
  const McpJson& prompt = Named("prompts", TextAt(params, "name"));
  std::string text = prompt.at("_call").at("text");
  const std::string alert = TextAt(MemberAt(params, "arguments"), "alert");
  if (!alert.empty()) text = fmt::format("{} {}", text, alert);
  return {{"description", prompt.at("description")},
          {"messages", {{{"role", "user"}, {"content", TextContent(text)}}}}};
}

bool IsId(const McpJson& id) { return id.is_string() || id.is_number(); }

}  // namespace

McpSession::McpSession(Send send, Run run, Start start)
    : send_(std::move(send)), run_(std::move(run)), start_(std::move(start)) {}

void McpSession::Answer(const Json& id, const Json& result) {
  send_({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

void McpSession::Fail(const Json& id, int code, const std::string& why) {
  send_({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", why}}}});
}

void McpSession::RefuseLongLine() {
  Fail(nullptr, kInvalidRequest,
       fmt::format("a message is longer than {} bytes, and was not read", kLongestMessage));
}

void McpSession::Handle(std::string_view line) {
  if (Trimmed(line).empty()) return;
  const Json message = ReadJson(line);
  if (message.is_discarded()) return Fail(nullptr, kParseError, "not one message of JSON a line");
  if (message.is_array()) {
    return Fail(nullptr, kInvalidRequest, "batches are not taken: send one message a line");
  }
  const Json& id = MemberAt(message, "id");
  const std::string method = TextAt(message, "method");
  const bool notification = message.is_object() && !message.contains("id");
  if (TextAt(message, "jsonrpc") != "2.0" || (method.empty() && !message.contains("result")) ||
      !(notification || IsId(id))) {
    if (message.is_object() && message.contains("error")) return;  // of what was never asked
    return Fail(IsId(id) ? id : Json(), kInvalidRequest,
                "expected a JSON-RPC 2.0 message with a method, and with an id that is a text or "
                "a number where it is a request");
  }
  if (method.empty()) return;
  const Json& params = MemberAt(message, "params");
  if (notification) return method == "notifications/cancelled" ? Cancel(params) : void();
  try {
    if (!params.is_null() && !params.is_object()) {
      throw RpcError{kInvalidParams, "params: expected an object"};
    }
    method == "tools/call" ? Call(id, params) : Answer(id, ResultOf(method, params));
  } catch (const RpcError& error) {
    Fail(id, error.code, error.why);
  }
}

nlohmann::json McpSession::ResultOf(const std::string& method, const Json& params) {
  if (method == "initialize") return Initialized(params);
  if (method == "ping") return Json::object();
  if (method == "tools/list") return {{"tools", WithoutOwn(McpData().at("tools"))}};
  if (method == "resources/list") return Resources();
  if (method == "resources/templates/list") return {{"resourceTemplates", Json::array()}};
  if (method == "resources/read") return Resource(params);
  if (method == "prompts/list") return {{"prompts", WithoutOwn(McpData().at("prompts"))}};
  if (method == "prompts/get") return PromptOf(params);
  throw RpcError{kNoMethod, fmt::format("no method is called {}", Shorten(method, 60))};
}

nlohmann::json McpSession::Resources() {
  const std::lock_guard lock(mutex_);
  Json all = Json::array();
  for (const auto& [number, text] : kept_) {
    all.push_back({{"uri", fmt::format("{}{}", kResourcePrefix, number)},
                   {"name", fmt::format("diagnosis {}", number)},
                   {"mimeType", "application/json"},
                   {"size", text.size()}});
  }
  return {{"resources", all}};
}

nlohmann::json McpSession::Resource(const Json& params) {
  const std::string uri = TextAt(params, "uri");
  const std::lock_guard lock(mutex_);
  for (const auto& [number, text] : kept_) {
    if (uri != fmt::format("{}{}", kResourcePrefix, number)) continue;
    return {{"contents", {{{"uri", uri}, {"mimeType", "application/json"}, {"text", text}}}}};
  }
  throw RpcError{kNoResource,
                 fmt::format("no resource {}: the last {} diagnoses are kept, see resources/list",
                             Shorten(uri, 60), kKeptDiagnoses)};
}

void McpSession::Call(const Json& id, const Json& params) {
  const Json& tool = Named("tools", TextAt(params, "name"));
  const std::string name = tool.at("name"), key = id.dump();
  ToolCall call;
  try {
    const Json& arguments = MemberAt(params, "arguments");
    call = CallOf(tool, arguments.is_null() ? Json::object() : arguments);
  } catch (const Error& error) {
    const std::string why =
        fmt::format("{}\nCall {} again with other arguments.", error.what(), name);
    return Answer(id, {{"content", {TextContent(why)}}, {"isError", true}});
  }
  {
    const std::lock_guard lock(mutex_);
    if (!running_.emplace(key, false).second) {
      throw RpcError{kInvalidRequest, "a request with this id is still running"};
    }
  }
  const Json token = MemberAt(MemberAt(params, "_meta"), "progressToken");
  start_([this, id, key, name, token, call = std::move(call)] {
    CallWatch watch{.cancelled =
                        [&] {
                          const std::lock_guard lock(mutex_);
                          return running_.at(key);
                        },
                    .progress = {}};
    watch.progress = [&](double seconds) {
      if (!IsId(token)) return;
      send_({{"jsonrpc", "2.0"},
             {"method", "notifications/progress"},
             {"params", {{"progressToken", token}, {"progress", seconds}, {"message", name}}}});
    };
    ToolAnswer answer = run_(call, watch);
    const bool cancelled = watch.cancelled();
    {
      const std::lock_guard lock(mutex_);
      running_.erase(key);
    }
    if (!cancelled) Finish(id, name, std::move(answer));  // a cancelled request has no answer
  });
}

void McpSession::Finish(const Json& id, const std::string& tool, ToolAnswer answer) {
  const Json& rules = Named("tools", tool).at("_call");
  Json content = Json::array();
  if (answer.failed) answer.text += "\n" + rules.at("next").get<std::string>();
  content.push_back(TextContent(answer.text));
  if (!answer.document.empty()) {
    const std::lock_guard lock(mutex_);
    kept_.emplace_back(++last_, std::move(answer.document));
    if (kept_.size() > kKeptDiagnoses) kept_.pop_front();
    content.push_back(
        TextContent(fmt::format("The whole diagnosis: resource {}{}", kResourcePrefix, last_)));
  }
  Json result = {{"content", content}, {"isError", answer.failed}};
  Json structured = ReadJson(answer.structured);
  if (structured.is_object()) result["structuredContent"] = std::move(structured);
  Answer(id, result);
}

void McpSession::Cancel(const Json& params) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(MemberAt(params, "requestId").dump());
  if (found != running_.end()) found->second = true;
}

}  // namespace schedlens
