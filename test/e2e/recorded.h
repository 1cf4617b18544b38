#pragma once

// A recording under real servers, and a proxy in front of one that misbehaves as a test says.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <algorithm>
#include <string>

#include "base/exposition.h"
#include "base/text.h"
#include "e2e/server.h"
#include "support/fake_server.h"

namespace schedlens::test {

/// An alert over a second that the recordings of incidents fire.
inline constexpr const char* kSlowExpr =
    "histogram_quantile(0.99, sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket"
    "{job=\"kube-scheduler\"}[1m])) without(instance, pod)) > 1";

inline Exposition ReadCapture(const std::string& name) {
  return ReadExposition(std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz",
                        std::nullopt);
}

/// The recording of an incident of the examples.
inline Exposition ReadIncident(const std::string& name) {
  return ReadExposition(SCHEDLENS_SOURCE_DIR "/examples/incidents/" + name + "/metrics.om.gz",
                        std::nullopt);
}

inline TimeRange ExtentOf(const Exposition& exposition) {
  TimeRange extent{INT64_MAX, INT64_MIN};
  for (const Series& series : exposition.series) {
    extent.start = std::min(extent.start, series.samples.front().t);
    extent.end = std::max(extent.end, series.samples.back().t);
  }
  return extent;
}

/// Writes the samples as blocks into `work`/data.
inline void WriteBlocks(const Exposition& exposition, const fs::path& work) {
  const fs::path text = work / "capture.om";
  std::ofstream(text) << WriteOpenMetrics(exposition);
  MakeBlocks(text, work / "data", work / "promtool.log");
}

/// Prometheus over the samples, its files in `work`.
inline std::unique_ptr<Server> StartOver(const Exposition& exposition, const fs::path& work) {
  WriteBlocks(exposition, work);
  return StartPrometheus(work / "data", work);
}

/// Prometheus with a configuration of the test's own over `work`/data.
inline std::unique_ptr<Server> StartConfigured(const fs::path& work, const std::string& config,
                                               const std::string& ready_path,
                                               const std::vector<std::string>& extra = {}) {
  std::ofstream(work / "prometheus.yml") << config;
  const std::string address = "127.0.0.1:" + std::to_string(FreePort());
  std::vector<std::string> command = {"prometheus",
                                      "--config.file=" + (work / "prometheus.yml").string(),
                                      "--storage.tsdb.path=" + (work / "data").string(),
                                      "--storage.tsdb.retention.time=100y",
                                      "--web.listen-address=" + address,
                                      "--log.level=error"};
  command.insert(command.end(), extra.begin(), extra.end());
  return std::make_unique<Server>(command, "http://" + address, ready_path,
                                  work / "prometheus.log");
}

/// Gives the samples to a VictoriaMetrics, as Prometheus text with milliseconds.
inline void Import(const std::vector<Series>& all, Server& server) {
  std::string text;
  for (const Series& series : all) {
    const std::string key = series.labels.ToString();
    for (const Sample& sample : series.samples) {
      text += fmt::format("{} {} {}\n", key, FormatNumber(sample.v), sample.t);
    }
  }
  long status = 0;
  server.client().Post(server.url() + "/api/v1/import/prometheus", text, &status);
  EXPECT_EQ(status, 204);
  server.client().Get(server.url() + "/internal/force_flush", &status);
}

/// Sends the request on to `port` of this machine and returns the whole answer.
inline std::string Forward(int port, const FakeRequest& request) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    std::string text = request.method + " " + request.target + " HTTP/1.1\r\nHost: localhost\r\n" +
                       "Connection: close\r\n";
    for (const char* name : {"content-type", "content-length", "accept-encoding"}) {
      const auto at = request.headers.find(name);
      if (at != request.headers.end()) text += std::string(name) + ": " + at->second + "\r\n";
    }
    text += "\r\n" + request.body;
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = ::send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    char block[65536];
    for (ssize_t n = 0; (n = ::recv(fd, block, sizeof(block), 0)) > 0;) {
      answer.append(block, static_cast<std::size_t>(n));
    }
  }
  ::close(fd);
  return answer;
}

inline int PortOf(const std::string& url) { return std::stoi(url.substr(url.rfind(':') + 1)); }

}  // namespace schedlens::test
