#ifndef SCHEDLENS_TEST_E2E_RECORDED_SERVER_H_
#define SCHEDLENS_TEST_E2E_RECORDED_SERVER_H_

// A real Prometheus over a recording, whose answers are asked for once and then told again: what a
// proxy of a test starts from, many times over.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "e2e/recorded.h"

namespace schedlens::test {

class RecordedServer {
 public:
  explicit RecordedServer(const std::string& name) {
    const Exposition capture = ReadCapture(name);
    extent_ = ExtentOf(capture);
    WriteBlocks(capture, work_.path());
    server_ = StartPrometheus(work_.path() / "data", work_.path());
  }

  const std::string& url() const { return server_->url(); }
  const TimeRange& extent() const { return extent_; }
  /// The last `seconds` of the recording as options of a command.
  std::vector<std::string> Window(int seconds) const {
    return {"--start", std::to_string(extent_.end / 1000 - seconds), "--end",
            std::to_string(extent_.end / 1000)};
  }

  /// What Prometheus answers; the connection closes behind it.
  FakeReply Pass(const FakeRequest& request) {
    const std::string key = request.method + request.target + "\n" + request.body;
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = answers_.emplace(key, "");
    if (fresh) at->second = Forward(PortOf(server_->url()), request);
    FakeReply reply{.bytes = at->second};
    reply.close = true;
    return reply;
  }

 private:
  TempDir work_;
  TimeRange extent_;
  std::unique_ptr<Server> server_;
  std::mutex mutex_;
  std::map<std::string, std::string> answers_;
};

}  // namespace schedlens::test

#endif  // SCHEDLENS_TEST_E2E_RECORDED_SERVER_H_
