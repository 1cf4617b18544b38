#pragma once

// A Prometheus of the tests' own over a simulated scenario, whose clock the test sets: what the
// scenario's samples show at one of its moments is what the server shows now.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/source.h"
#include "base/text.h"
#include "base/url.h"
#include "replay/readings.h"
#include "report/commands.h"
#include "schedlens/error.h"
#include "scheduler/scenario/scenario.h"
#include "support/fake_server.h"

namespace schedlens::test {

/// Five minutes of quiet, three of slow bindings, seven of quiet.
inline const char* const kPassingIncident =
    "name: passing\nkubernetes_version: \"1.26\"\nduration: 900s\n"
    "incident: {start: 300s, end: 480s}\nscrape: {interval: 15s}\n"
    "cluster: {nodes: [{count: 30, cpu: 64, memory: 256Gi}]}\n"
    "workload:\n  rate: 10\n  templates: [{name: web, cpu: 100m, memory: 128Mi, life: "
    "\"u(20,40)\"}]\n  costs: {bind_api: \"ln(0.006,0.5)\"}\n"
    "faults:\n  - {start: 300s, end: 480s, costs: {bind_api: "
    "\"0.9*ln(0.006,0.5)+0.1*ln(4,0.5)\"}}\n";

class ReplayedServer {
 public:
  /// `before` sees every request first, may set the clock, and answers itself where it gives bytes.
  using Before = std::function<FakeReply(ReplayedServer&, const FakeRequest&)>;

  explicit ReplayedServer(const std::string& scenario_file, Before before = {})
      : source_(ReplayAsSource(sim::LoadScenario(scenario_file), 1, nullptr)),
        extent_(*source_->Describe().extent),
        before_(std::move(before)),
        server_([this](const FakeRequest& request) { return Reply(request); }) {
    SetSecond(300);
  }

  /// From now on it is this second of the scenario.
  void SetSecond(int second) { shift_ = extent_.start + second * 1000LL - WallNow(); }
  std::string url() const { return server_.url(); }
  FakeReply Reply(const FakeRequest& request);

 private:
  using Parameters = std::map<std::string, std::string>;

  static TimeMs WallNow() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  FakeReply Evaluate(const Parameters& asked, bool instant);

  std::mutex mutex_;
  std::unique_ptr<Source> source_;
  TimeRange extent_;
  std::atomic<TimeMs> shift_ = 0;  ///< from the time outside to the scenario's
  Before before_;
  FakeServer server_;
};

inline FakeReply ReplayedServer::Evaluate(const Parameters& asked, bool instant) {
  const auto time = [&](const char* name) { return *ParseTime(asked.at(name), 0) + shift_; };
  Query query{.promql = asked.at("query")};
  query.start = time(instant ? "time" : "start");
  query.end = instant ? query.start : time("end");
  if (!instant) query.step_ms = *ParseTime(asked.at("step"), 0);
  try {
    auto answer = source_->Ask(query);
    for (Series& series : answer.series) {
      for (Sample& sample : series.samples) {
        sample.t -= shift_;
        if (query.promql.find("timestamp(") != std::string::npos) {
          sample.v -= static_cast<double>(shift_) / 1000;
        }
      }
    }
    return Http(200,
                "{\"status\":\"success\",\"data\":" + AnswerJson(answer, query.end - shift_) + "}");
  } catch (const Error&) {
    return Http(400, R"({"status":"error","errorType":"bad_data","error":"cannot evaluate"})");
  }
}

inline FakeReply ReplayedServer::Reply(const FakeRequest& request) {
  const std::lock_guard lock(mutex_);
  if (before_) {
    FakeReply reply = before_(*this, request);
    if (!reply.bytes.empty()) return reply;
  }
  const std::size_t mark = std::min(request.target.find('?'), request.target.size());
  const std::string path = request.target.substr(0, mark);
  const std::string text = request.body.empty()
                               ? request.target.substr(std::min(mark + 1, request.target.size()))
                               : request.body;
  Parameters asked;
  for (const auto& [name, value] : ParseQueryString(text)) asked[name] = value;
  if (path.ends_with("/api/v1/query")) return Evaluate(asked, true);
  if (path.ends_with("/api/v1/query_range")) return Evaluate(asked, false);
  if (path.ends_with("/api/v1/status/buildinfo")) {
    return Http(200, R"({"status":"success","data":{"version":"2.42.0","goVersion":"go1.19"}})");
  }
  if (path.ends_with("/api/v1/rules")) {
    return Http(200, R"({"status":"success","data":{"groups":[]}})");
  }
  return Http(404, "no such page");
}

}  // namespace schedlens::test
