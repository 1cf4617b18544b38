#include "sim/engine/scrape_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace schedlens::sim {

ScrapeTargets::ScrapeTargets(RunState& run, const World& world, Replicas& replicas)
    : run_(run), world_(world), replicas_(replicas) {
  for (std::uint32_t i = 0; i < replicas.size(); ++i) {
    Target target{Scraper("kube-scheduler", fmt::format("10.0.1.{}:10259", i + 1),
                          fmt::format("kube-scheduler-{}", i)),
                  Random(run.options.seed, 100 + i)};
    target.offset = static_cast<Nanos>(target.jitter.Uniform() *
                                       static_cast<double>(run.scenario.scrape_interval));
    targets_.push_back(std::move(target));
  }
}

void ScrapeTargets::Start() {
  if (!run_.options.scrape) return;
  for (std::uint32_t i = 0; i < targets_.size(); ++i) {
    run_.heap.Push(targets_[i].offset, EventKind::kScrape, i);
  }
}

void ScrapeTargets::RefreshGauges(std::uint32_t replica) {
  SchedulerProcess& process = *replicas_.process(replica);
  const bool leads = replicas_.Leads(replica);
  const PodTally& pods = run_.tally;
  process.CatchUp(run_.now);
  const std::size_t assumed = leads ? pods.assumed : 0;
  const std::size_t cached = leads ? pods.confirmed + pods.assumed : pods.bound;
  process.idle_pending = leads ? 0 : world_.Unbound();
  process.ExportGauges(run_.now, cached, static_cast<std::size_t>(world_.placement().node_count()),
                       assumed);
}

void ScrapeTargets::Scrape(std::uint32_t replica) {
  Target& target = targets_[replica];
  const TimeMs t = run_.scenario.start_time + run_.now / kMillisecond;
  if (replicas_.process(replica) == nullptr || run_.now < unreachable_until_) {
    target.scraper.Miss(t);
  } else {
    RefreshGauges(replica);
    target.scraper.Scrape(replicas_.process(replica)->registry, t);
  }
  ++target.scrapes;
  ++run_.counts.scrapes;
  const Nanos due =
      target.offset + static_cast<Nanos>(target.scrapes) * run_.scenario.scrape_interval;
  const auto late = static_cast<Nanos>(target.jitter.Uniform() *
                                       static_cast<double>(run_.scenario.scrape_jitter));
  run_.heap.Push(std::max(run_.now + kMillisecond, due + late), EventKind::kScrape, replica);
  ReportProgress();
}

void ScrapeTargets::ReportProgress() {
  if (!run_.options.progress) return;
  const double done = static_cast<double>(run_.now) / static_cast<double>(run_.scenario.duration);
  if (done - last_progress_ <= 0.01) return;
  last_progress_ = done;
  if (!run_.options.progress(std::min(done, 1.0))) stopped_ = true;
}

std::string ScrapeTargets::MetricsPage(int replica) {
  const auto index = static_cast<std::uint32_t>(replica);
  if (index >= replicas_.size()) throw std::out_of_range("no such replica");
  if (replicas_.process(index) == nullptr) return "";
  RefreshGauges(index);
  return WriteMetricsPage(replicas_.process(index)->registry);
}

void ScrapeTargets::MoveInto(Exposition* out) {
  for (Target& target : targets_) target.scraper.MoveInto(out);
}

}  // namespace schedlens::sim
