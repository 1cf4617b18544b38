#pragma once

// Decides every recorded attempt again and compares each step.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/random.h"
#include "scheduler/framework/algorithm.h"
#include "scheduler/framework/configuration.h"
#include "scheduler/framework/framework.h"
#include "verify/comparison.h"
#include "verify/recording.h"
#include "verify/replayed_cluster.h"

namespace schedlens::verify {

class AttemptCheck {
 public:
  /// `cluster` and `log` must outlive it. Throws Error(kUsage) for an invalid configuration.
  AttemptCheck(ReplayedCluster& cluster, const core::Configuration& configuration,
               ComparisonLog& log);

  /// Compares with what we decide for `pod` on the cluster as it is. Places nothing. Throws
  /// Error(kFailed) for an unknown node.
  void Check(const RecordedAttempt& recorded, core::PodId pod);

 private:
  void CompareNodes(const RecordedAttempt& recorded);
  void CompareNode(const RecordedNode& recorded);
  void ComparePreFilter(const RecordedAttempt& recorded, const core::Attempt& attempt,
                        core::Code code, std::int32_t rejecting,
                        const core::PreFilterNodes& subset);
  bool SearchesAllAgain(const RecordedAttempt& recorded, core::PodId pod) const;
  std::vector<core::NodeId> Search(const RecordedAttempt& recorded, const core::Attempt& attempt,
                                   const core::PreFilterNodes& subset, bool& shortcut);
  void CountLeftOut(core::Code prefilter);
  const std::string& FilterName(std::int32_t plugin) const;
  void CompareVerdicts(const RecordedAttempt& recorded, const core::Attempt& attempt);
  void CompareHint(const RecordedAttempt& recorded, const core::Attempt& attempt);
  void Remember(const RecordedAttempt& recorded, const core::Attempt& attempt,
                const std::vector<core::NodeId>& feasible);
  void CompareRejection(const std::string& node, const RecordedRejection& recorded,
                        const core::Rejected& own);
  void CompareAlsoFailing(const RecordedNode& recorded,
                          const std::vector<core::Rejected>& rejections);
  std::set<std::string> CompareScores(const RecordedAttempt& recorded, const core::Attempt& attempt,
                                      const std::vector<core::NodeId>& feasible);
  bool CompareScorePlugins(const std::vector<RecordedScorePlugin>& recorded);
  void CompareFailure(const RecordedAttempt& recorded, const core::Attempt& attempt,
                      core::Code prefilter);
  void CompareFastPath(const RecordedAttempt& recorded, core::PodId pod, std::int64_t feasible,
                       const std::set<std::string>& tied);

  ReplayedCluster& replayed_;
  core::Cluster& cluster_;
  ComparisonLog& log_;
  core::Framework framework_;
  core::NodeHints hints_;
  core::Algorithm algorithm_;
  sim::Random random_{1};
  core::ScheduleResult result_;
  // Of the current attempt.
  std::vector<std::int64_t> totals_;  // of its feasible nodes
  core::RawScores raw_;
  std::int32_t rejecting_ = core::kNone;  // the PreFilter plugin that refused the pod
  bool plain_search_ = false;             // the nominated node is not tried first
  std::vector<std::optional<core::FilterVerdict>> verdicts_;  // by node; empty if not evaluated
  std::vector<std::string> refused_;                          // what PreFilter said
  std::map<std::string, int> reasons_;                        // nodes by the reason they failed for
};

}  // namespace schedlens::verify
