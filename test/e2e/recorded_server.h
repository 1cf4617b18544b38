#pragma once

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
  /// `seconds` is how much of the recording's end it has; 0 for the whole.
  explicit RecordedServer(const std::string& name, int seconds = 0) {
    Exposition capture = ReadCapture(name);
    if (seconds > 0) KeepEnd(capture, ExtentOf(capture).end - seconds * 1000);
    extent_ = ExtentOf(capture);
    server_ = StartOver(capture, work_.path());
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
  static void KeepEnd(Exposition& capture, TimeMs start) {
    for (Series& series : capture.series) {
      std::erase_if(series.samples, [start](const Sample& sample) { return sample.t < start; });
    }
    std::erase_if(capture.series, [](const Series& series) { return series.samples.empty(); });
  }

  TempDir work_;
  TimeRange extent_;
  std::unique_ptr<Server> server_;
  std::mutex mutex_;
  std::map<std::string, std::string> answers_;
};

}  // namespace schedlens::test
