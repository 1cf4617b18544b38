#include "source/open_source.h"

#include <utility>

#include "model/exposition.h"
#include "schedlens/error.h"
#include "source/local_source.h"

namespace schedlens {
namespace {

constexpr const char* kWays =
    "--prometheus URL, --capture FILE, --scrape-before FILE with --scrape-after FILE, or "
    "--scenario NAME";

std::unique_ptr<Source> OpenCapture(const SourceOptions& options) {
  Exposition exposition = ReadExposition(options.capture, std::nullopt);
  SourceInfo info;
  info.kind = "capture";
  info.name = options.capture;
  if (options.semantics) info.semantics = *options.semantics;
  info.warnings = std::move(exposition.warnings);
  return NewLocalSource(std::move(exposition.series), std::move(info));
}

int CountWays(const SourceOptions& options) {
  return int{!options.prometheus.empty()} + int{!options.capture.empty()} +
         int{!options.scrape_before.empty() || !options.scrape_after.empty()} +
         int{!options.scenario.empty()};
}

}  // namespace

std::unique_ptr<Source> OpenSource(const SourceOptions& options, const ScenarioFactory& scenario) {
  const int ways = CountWays(options);
  if (ways == 0) throw Error(ErrorKind::kUsage, std::string("no source: give ") + kWays);
  if (ways > 1)
    throw Error(ErrorKind::kUsage, std::string("several sources: give one of ") + kWays);
  if (!options.capture.empty()) return OpenCapture(options);
  if (!options.scenario.empty() && scenario) return scenario(options);
  throw Error(ErrorKind::kUsage, "this source cannot be opened");
}

}  // namespace schedlens
