#pragma once

// Everything a diagnosis knows, as it was answered: raw samples by question, and which scheduler
// processes they came from. Conclusions are drawn elsewhere.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/source.h"
#include "contract/diagnosis.h"
#include "diagnose/collect/targets.h"

namespace schedlens {

struct Facts {
  TimeRange fetched;
  std::string selector;         ///< as given, or found from what exposes the metrics
  std::string given_selector;   ///< as given; empty where all schedulers were looked for
  std::vector<Target> targets;  ///< sorted by id
  std::map<std::string, std::vector<Series>>
      answers;  ///< by question; absent when nothing answered
  /// What a later alternative answered for a target that an earlier one already serves: the same
  /// attempts under an older name. It narrows proofs and is counted nowhere.
  std::vector<Series> superseded;
  std::vector<AskedQuery> queries;
  std::vector<Message> warnings;

  /// The samples that answered a question; empty when nothing did.
  const std::vector<Series>& Of(std::string_view question) const;
  bool Has(std::string_view question) const { return !Of(question).empty(); }
};

/// Asks every question of the set but `alert` and `e2e` for the raw samples of `range`. Of the
/// alternatives of a question each target keeps the first it answers, so replicas of different
/// releases mix safely; a process that is scraped twice is kept once. Without a selector the
/// schedulers' own metrics are asked first, and what exposes them is the selector of the rest.
/// Throws what the source throws.
Facts Collect(Source& source, const QuerySet& queries, const std::string& selector,
              const TimeRange& range);

/// From the first to the last scrape of any target; ends before it starts where there is no target.
TimeRange ScrapedRange(const Facts& facts);

/// The questions of what only a kube-scheduler exposes (kube::kOwnCounts); they tell who the
/// schedulers are.
inline constexpr std::string_view kOwnQuestions[] = {"attempt", "algorithm"};

}  // namespace schedlens
