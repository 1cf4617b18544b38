#include "sim/engine/neighbour_targets.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlens::sim {

NeighbourTargets::NeighbourTargets(RunState& run, const World& world, ApiServer& server,
                                   WorldWatch& schedulers)
    : run_(run), server_(server), schedulers_(schedulers), state_(run, world) {
  if (!server.on()) return;
  const auto add = [&](std::optional<Scraper> scraper, Nanos interval) {
    Random random(run.options.seed, 200 + targets_.size());
    const auto offset = static_cast<Nanos>(random.Uniform() * static_cast<double>(interval));
    targets_.push_back({std::move(scraper), offset, interval, 0});
  };
  const Nanos interval = run.scenario.scrape_interval;
  for (int i = 0; i < run.scenario.At(0).path.instances; ++i) {
    add(Scraper("apiserver", i == 0 ? run.scenario.api_host : fmt::format("10.0.0.{}:6443", i + 1),
                ""),
        interval);
  }
  add(Scraper("etcd", "10.0.2.1:2379", ""), interval);
  constexpr Nanos kStateEvery = 30 * kSecond;
  add(std::nullopt, std::max(interval, kStateEvery));
}

void NeighbourTargets::Start() {
  if (!run_.options.scrape) return;
  for (std::uint32_t i = 0; i < targets_.size(); ++i) {
    run_.heap.Push(targets_[i].offset, EventKind::kNeighbourScrape, i);
  }
}

void NeighbourTargets::Scrape(std::uint32_t index) {
  Target& target = targets_[index];
  const TimeMs t = run_.scenario.start_time + run_.now / kMillisecond;
  const ApiServerMetrics& metrics = server_.UpToDate();
  if (!target.scraper) {
    state_.Scrape();
  } else if (index < metrics.instances()) {
    target.scraper->Scrape(metrics.server(index).children(), t);
  } else {
    target.scraper->Scrape(metrics.etcd().children(), t);
  }
  ++target.scrapes;
  run_.heap.Push(target.offset + static_cast<Nanos>(target.scrapes) * target.interval,
                 EventKind::kNeighbourScrape, index);
}

void NeighbourTargets::MoveInto(Exposition* out) {
  if (!server_.on()) return;
  for (Target& target : targets_) {
    if (target.scraper) target.scraper->MoveInto(out);
  }
  state_.MoveInto(out);
  out->types.merge(NeighbourTypes());
}

void NeighbourTargets::PodCreated(PodNumber pod) {
  if (server_.on()) server_.PodCreated(pod);
  schedulers_.PodCreated(pod);
}

void NeighbourTargets::PodDeleted(PodNumber pod) {
  if (server_.on()) server_.PodDeleted(pod);
  schedulers_.PodDeleted(pod);
}

}  // namespace schedlens::sim
