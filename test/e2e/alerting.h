#pragma once

// An incident that goes on now, and rules of a real Prometheus that fire on it.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "e2e/recorded.h"

namespace schedlens::test {

/// A recording moved so that its incident goes on now; samples of the future are left out.
inline Exposition IncidentNow() {
  Exposition capture = ReadCapture("extender-bind-slow-A");
  const TimeMs now = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  const TimeMs shift = now - (ExtentOf(capture).start + 450'000);
  for (Series& series : capture.series) {
    std::erase_if(series.samples, [&](const Sample& sample) { return sample.t + shift > now; });
    for (Sample& sample : series.samples) sample.t += shift;
    if (series.labels.Get("__name__") == "process_start_time_seconds") {
      for (Sample& sample : series.samples) sample.v += static_cast<double>(shift) / 1000;
    }
  }
  std::erase_if(capture.series, [](const Series& series) { return series.samples.empty(); });
  return capture;
}

/// Waits until the server has stored a sample of the alert SchedulerSlow in this state, which a
/// rule says of itself before.
inline void WaitForAlert(Server& server, const std::string& state) {
  const std::string url =
      server.url() + "/api/v1/query?query=ALERTS%7Balertstate%3D%22" + state + "%22%7D";
  long status = 0;
  std::string stored;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (stored.find("SchedulerSlow") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << stored;
    stored = server.client().Get(url, &status);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // between two looks
  }
}

}  // namespace schedlens::test
