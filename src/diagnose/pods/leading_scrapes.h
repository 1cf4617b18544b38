#pragma once

// The queues of the scheduler that leads, scrape by scrape.

#include <cstddef>
#include <vector>

#include "diagnose/collect/facts.h"
#include "kube/words.h"

namespace schedlens {

/// One scrape of whoever led then, and what entered its queues since the scrape before.
struct LeadingScrape {
  TimeMs at = 0;
  std::size_t target = 0;
  bool counted = false;  ///< its queues have a gauge here, and no queue is below zero
  bool groups = false;   ///< some pod group waits: its members come and go uncounted
  kube::EnumMap<kube::QueueName, double> pods = {}, entered = {};
  double binding = 0;     ///< binding cycles that run
  double created = 0;     ///< new pods that entered
  double flushed = 0;     ///< pods that only the timer of the unschedulable queue woke
  double woken = 0;       ///< pods that an event of the cluster woke
  double from_early = 0;  ///< pods taken out of back-off before its end
};

/// In order. Of replicas only those that lead by the election's metric have one; where several
/// targets expose none, nobody knows who leads: empty.
std::vector<LeadingScrape> LeadingScrapesOf(const Facts& facts);

/// Median time between them, 0 of fewer than two.
TimeMs UsualInterval(const std::vector<LeadingScrape>& scrapes);

}  // namespace schedlens
