// `schedlens mcp`: each call is a process of its own, of which a crash or a hang costs that answer
// alone.

#include "cli/commands/mcp.h"

#include <httplib.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/json.h"
#include "base/work_budget.h"
#include "cli/commands/serve.h"

namespace schedlens {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCallsAtOnce = 4;
constexpr std::size_t kLongestAnswer = 32'000;
constexpr double kCallGraceSeconds = 10;

/// Runs jobs in their order, some at once; the end waits for all.
struct Pool : httplib::ThreadPool {
  Pool() : ThreadPool(kCallsAtOnce) {}
  ~Pool() override { shutdown(); }
};

struct CallEnd {
  ReporterEnd end;
  std::string out;
};

class Tools {
 public:
  Tools(std::vector<std::string> source, double seconds)
      : source_(std::move(source)), seconds_(seconds) {}

  ToolAnswer Run(const ToolCall& call, const CallWatch& watch) const {
    try {
      const Clock::time_point start = Clock::now();
      const CallEnd ran = RunChild(call, watch, start, {});
      if (ran.out.empty()) return {.text = ran.end.why, .failed = true};
      if (ran.end.broken) return {.text = Cut(ran.out) + "\n" + ran.end.why, .failed = true};
      if (call.tool == "diagnose") return OfDiagnosis(ran.out);
      ToolAnswer answer{.text = Cut(ran.out)};
      if (!call.has_json) return answer;
      CallEnd document = RunChild(call, watch, start, {"--output=json"});
      if (!document.end.broken && document.out.size() <= kLongestBrief) {
        answer.structured = std::move(document.out);
      }
      return answer;
    } catch (const std::exception& error) {
      return {.text = error.what(), .failed = true};
    }
  }

 private:
  CallEnd RunChild(const ToolCall& call, const CallWatch& watch, Clock::time_point start,
                   const std::vector<std::string>& more) const {
    CallEnd ran;
    Reporter child{.words = {call.tool},
                   .seconds = seconds_,
                   .interrupted = {},
                   .log = [](const std::string&) {},
                   .input = call.input,
                   .out = &ran.out};
    std::vector<std::string>& words = child.words;
    if (call.takes_source) words.insert(words.end(), source_.begin(), source_.end());
    words.insert(words.end(), call.words.begin(), call.words.end());
    words.insert(words.end(), more.begin(), more.end());
    words.emplace_back("--");
    words.insert(words.end(), call.positionals.begin(), call.positionals.end());
    if (!call.input.empty()) words.emplace_back("-");
    double told = std::chrono::duration<double>(Clock::now() - start).count();
    child.interrupted = [&] {
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (seconds >= told + 1) watch.progress(told = seconds);
      return watch.cancelled();
    };
    if (!watch.cancelled()) ran.end = RunReporter(child, "");
    return ran;
  }

  static ToolAnswer OfDiagnosis(const std::string& document) {
    const Diagnosis diagnosis = ParseDiagnosis(document, "the answer");
    return {.text = RenderText(diagnosis, {}),
            .structured = RenderBrief(diagnosis),
            .document = document};
  }

  static std::string Cut(std::string text) {
    if (text.size() <= kLongestAnswer) return text;
    const std::size_t line = text.rfind('\n', kLongestAnswer);
    const std::size_t end = line == std::string::npos ? kLongestAnswer : line;
    const std::size_t left_out = text.size() - end;
    text.resize(end);
    return text + fmt::format("\n[{} bytes more: ask for less at once]\n", left_out);
  }

  const std::vector<std::string> source_;
  const double seconds_;
};

/// The next line; what is beyond the longest message is dropped. Whether there is one.
bool ReadMessage(std::istream& in, std::string* line, bool* too_long) {
  line->clear();
  *too_long = false;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') return true;
    if (line->size() < McpSession::kLongestMessage) {
      *line += static_cast<char>(c);
    } else {
      *too_long = true;
    }
  }
  return !line->empty();
}

int RunMcp(const SourceOptions& source, const Context& context) {
  if (!HasSource(source) || source.capture == "-") {
    throw Error(ErrorKind::kUsage,
                "mcp: calls need a source that is not standard input: give --prometheus URL, "
                "--service NAMESPACE/NAME:PORT or --capture FILE");
  }
  const double seconds = DeadlineSeconds() + kCallGraceSeconds;
  SetDeadline(kNoDeadline);                        // each call has its own
  context.in.tie(nullptr);                         // reading would flush what another thread writes
  if (!IsRecorded(source)) OpenAnySource(source);  // a malformed URL is refused at once
  std::mutex mutex;
  const auto send = [&](const nlohmann::json& message) {
    const std::lock_guard lock(mutex);
    context.out << WriteJson(message) << "\n" << std::flush;
  };
  const Tools tools({context.words.begin() + 1, context.words.end()}, seconds);
  const auto run = [&](const ToolCall& call, const CallWatch& watch) {
    return tools.Run(call, watch);
  };
  Pool* jobs = nullptr;
  McpSession session(send, run, [&](auto job) { jobs->enqueue(std::move(job)); });
  Pool pool;  // behind the session, whose calls end in it
  jobs = &pool;
  std::string line;
  for (bool too_long = false; context.out && ReadMessage(context.in, &line, &too_long);) {
    too_long ? session.RefuseLongLine() : session.Handle(line);
  }
  return 0;
}

}  // namespace

Declared DeclareMcp() {
  return DeclareWith<SourceOptions>(RunMcp, [](SourceOptions* o) { return SourceOptionTable(o); });
}

}  // namespace schedlens
