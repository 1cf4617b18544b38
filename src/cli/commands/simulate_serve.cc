#include "cli/commands/simulate_serve.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/commands/metrics_page.h"
#include "cli/interrupt.h"
#include "cli/web/server.h"
#include "model/work_budget.h"
#include "schedlens/error.h"
#include "sim/base/distribution.h"
#include "sim/engine/simulation.h"

namespace schedlens {
namespace {

constexpr std::size_t kScrapesAtOnce = 8;

}  // namespace

int ServeScenario(sim::Scenario scenario, const ServedScenario& options, std::uint64_t seed,
                  const TruthFiles& truth, const Context& context) {
  const ListenAddress first = ParseListenAddress("--serve", options.address);
  const sim::Nanos from = sim::FromSeconds(sim::ParseQuantity(options.from, 1));
  // The processes say when they started; a server that scrapes them lives now.
  scenario.start_time = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count() -
                        from / sim::kMillisecond;
  const NotesSignals notes({SIGINT, SIGTERM, SIGHUP});
  SetDeadline(kNoDeadline);
  sim::RunOptions run;
  run.seed = seed;
  run.scrape = false;
  run.keep_attempts = truth.any();
  sim::Simulation simulation(scenario, run);
  simulation.AdvanceTo(std::min(from, scenario.duration));
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  std::mutex mutex;  // the servers' threads and this one
  const auto catch_up = [&] {
    const auto passed =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started).count();
    simulation.AdvanceTo(std::min(from + passed, scenario.duration));
    return simulation.now() < scenario.duration;
  };
  std::vector<std::unique_ptr<WebServer>> servers;
  for (int replica = 0; replica < scenario.replicas; ++replica) {
    WebServerOptions server{.address = first, .handler = MetricsPage([&, replica] {
                                                const std::lock_guard lock(mutex);
                                                catch_up();
                                                return simulation.MetricsPage(replica);
                                              })};
    if (first.port != 0) server.address.port = static_cast<std::uint16_t>(first.port + replica);
    if (!options.web_config.empty()) {
      server.config = [&options] { return ReadWebConfig(options.web_config); };
    }
    server.limits.connections = kScrapesAtOnce;
    servers.push_back(StartWebServer(std::move(server)));
    context.err << fmt::format("schedlens: kube-scheduler-{} on {}/metrics\n", replica,
                               servers.back()->url())
                << std::flush;
  }
  for (bool more = true; more && NotesSignals::noted() == 0;) {
    poll(nullptr, 0, 20);
    const std::lock_guard lock(mutex);
    more = catch_up();
  }
  servers.clear();
  const sim::SimulationResult result = simulation.Finish();
  WriteTruth(truth, scenario, result, context);
  if (NotesSignals::noted() == 0) return 0;
  context.err << "schedlens: interrupted\n";
  return static_cast<int>(ErrorKind::kInterrupted);
}

}  // namespace schedlens
