// The reference scheduler makes as many attempts as the recorded one did under the same load.

#include "scheduler/control_plane.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "scheduler/engine/simulation.h"

namespace schedlens::sim {
namespace {

struct Attempts {
  double all = 0, scheduled = 0;
};

std::map<std::string, Attempts> AttemptsByPhase(const Scenario& s, std::uint64_t seed) {
  RunOptions options;
  options.seed = seed;
  options.scrape = false;
  std::map<std::string, Attempts> by_phase;
  for (const AttemptRecord& a : RunScenario(s, options).attempts) {
    const Nanos end = a.start + a.e2e;
    Attempts& phase = by_phase[end <= s.incident_start ? "healthy"
                               : end <= s.incident_end ? "incident"
                                                       : "recovered"];
    ++phase.all;
    phase.scheduled += a.result == AttemptResult::kScheduled;
  }
  return by_phase;
}

TEST(ControlPlane, MakesAsManyAttemptsAsTheRecordedScheduler) {
  for (const auto& [name, truth] : RecordedTruths().items()) {
    const Scenario s = ParseScenario(ScenarioYaml(truth), name);
    const auto played = AttemptsByPhase(s, 1);
    for (const auto& [phase, recorded] : truth.at("attempts_by_phase").items()) {
      if (phase == "recovered") continue;  // half a minute of few pods
      const Attempts& attempts = played.at(phase);
      const double all = recorded.at("attempts"), scheduled = recorded.at("scheduled");
      std::cout << fmt::format("{:28} {:9} {:8} recorded, {:8} played, {:.2f}; scheduled {:.2f}\n",
                               name, phase, all, attempts.all, attempts.all / all,
                               attempts.scheduled / scheduled);
      // How often an idle loop pops the back-off queue depends on the processor; how many pods came
      // is chance, which their share leaves out.
      const bool floods = all > 10 * scheduled;
      const double margin = floods ? 1.5 : 1.1;
      const double ratio = attempts.all / all / (floods ? attempts.scheduled / scheduled : 1);
      EXPECT_LE(ratio, margin) << name << " " << phase;
      EXPECT_GE(ratio, 1 / margin) << name << " " << phase;
      EXPECT_NEAR(attempts.scheduled / scheduled, 1, 0.1) << name << " " << phase;
    }
  }
}

}  // namespace
}  // namespace schedlens::sim
