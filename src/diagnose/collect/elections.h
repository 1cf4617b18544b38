#pragma once

// Who held the leader's lease when, by leader_election_master_status, scrape by scrape.

#include "base/work_budget.h"
#include "diagnose/collect/facts.h"

namespace schedlens {

class Elections {
 public:
  Elections(const Facts& facts, const TargetIndex& index) {
    for (const Series& series : facts.Of("leader")) {
      CheckBudget();
      const auto target = index.Find(series.labels);
      if (!target) continue;
      known_ |= !series.samples.empty();
      for (const Sample& s : series.samples) {
        if (s.v > 0) led_.emplace(*target, s.t);
      }
    }
  }
  /// Whether any target says who leads.
  bool known() const { return known_; }
  /// Whether the target said at that scrape that it leads; false where it said nothing.
  bool Leads(std::size_t target, TimeMs at) const { return led_.contains({target, at}); }

 private:
  bool known_ = false;
  std::set<std::pair<std::size_t, TimeMs>> led_;
};

}  // namespace schedlens
