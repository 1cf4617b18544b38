#pragma once

// Which replica scheduled when. Only the leader schedules, so its counts tell a failover; the
// election's own metric says so too where it is scraped.

#include <string>
#include <vector>

#include "base/message.h"
#include "diagnose/collect/histogram_store.h"

namespace schedlens {

/// One sentence for each change of the leader inside the window, for replicas that schedule at the
/// same time, and for each time `leader_election_master_status` changed hands. Empty when one
/// process did all the work. `attempt` are the attempts' cells of the window.
std::vector<Message> LeadershipNotes(const Facts& facts,
                                     const std::vector<ScrapeIncreases>& attempt,
                                     const TimeRange& window);

}  // namespace schedlens
