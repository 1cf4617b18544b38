#pragma once

// The recorded decisions of a real kube-scheduler, as values: a set is a folder with cluster.json,
// config.yaml and decisions.jsonl.gz (or decisions.jsonl).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace schedlens::verify {

/// A plugin that refused a pod, or a pod on one node.
struct RecordedRejection {
  std::string plugin;
  std::string code;  ///< `Unschedulable`, `UnschedulableAndUnresolvable`
  std::vector<std::string> reasons;
};

/// One node in one attempt: what it held, what the filters said, what the score plugins gave.
struct RecordedNode {
  std::string name;
  std::int64_t pods = 0;
  std::string requested;             ///< `[milli_cpu,memory,ephemeral_storage]`
  std::string nonzero;               ///< `[milli_cpu,memory]`
  std::vector<std::string> scalars;  ///< `resource=amount`, those that are not 0
  std::string verdict;               ///< `ok`, `fail`, `unevaluated`
  std::optional<RecordedRejection> fail;
  std::optional<std::int64_t> failed_pass;
  bool nominated_pods = false;  ///< nominated pods were counted
  std::vector<RecordedRejection> also_failing;
  bool scored = false;
  std::vector<std::int64_t> raw, norm;  ///< by score plugin
  std::int64_t total = 0;
};

struct RecordedScorePlugin {
  std::string name;
  std::int64_t weight = 0;
  bool normalizes = false;
};

struct RecordedCandidate {
  std::string node;
  std::vector<std::string> victims;
  std::int64_t pdb_violations = 0;
};

/// One run of DefaultPreemption. Nothing after `message` is set if the pod was not eligible.
struct RecordedPreemption {
  bool eligible = false;
  std::optional<std::string> message;
  std::optional<std::string> not_eligible;  ///< why not
  std::string code;
  std::vector<std::string> potential_nodes;
  std::vector<RecordedCandidate> candidates;
  std::string nominated_node;
};

struct RecordedAttempt {
  std::string pod_name;  ///< namespace/name
  std::int64_t attempt = 0;
  std::string pod;             ///< the object, as JSON
  bool state_differs = false;  ///< the recorder did not know the cluster's state
  std::string result;          ///< `scheduled`, `unschedulable`
  std::string node;            ///< chosen or nominated; empty if none
  std::optional<RecordedRejection> prefilter_fail;
  std::optional<std::vector<std::string>> prefilter_nodes;  ///< absent: all
  bool nominated_shortcut = false;                          ///< only the nominated node was tried
  std::string node_hint;                                    ///< tried first; empty: none was
  bool hint_shortcut = false;                               ///< it fitted, no other was tried
  double arrived_ms = 0;
  std::int64_t feasible_nodes = 0;
  std::int64_t evaluated_nodes = 0;
  std::vector<RecordedNode> nodes;
  std::optional<std::vector<RecordedScorePlugin>> score_plugins;  ///< absent: nothing was scored
  std::int64_t top_score = 0;
  std::vector<std::string> tied;  ///< the nodes with the top score
  std::optional<RecordedPreemption> preemption;
  std::optional<std::string> message;  ///< of the pod's condition
};

/// A change that the scheduler saw.
struct RecordedEvent {
  enum class Kind {
    kObjectPut,
    kPodAdded,
    kPodPending,  ///< a pod that is held back
    kPodUpdated,  ///< replaces such a pod
    kBound,
    kPodDeleted,
    kPodTerminating,
    kPodNominated
  };
  Kind kind = Kind::kObjectPut;
  std::string object;          ///< kObjectPut and the pods' three: the object, as JSON
  std::string pod;             ///< the others: namespace/name
  std::string start_time;      ///< kBound
  std::string nominated_node;  ///< kPodNominated; empty withdraws it
  bool preempted = true;       ///< kPodTerminating: a scheduler's preemption did it
};

struct RecordedLine {
  std::int64_t seq = 0;
  std::variant<RecordedEvent, RecordedAttempt> what;
};

/// One line of decisions.jsonl. Throws Error(kFailed) if it is malformed or of an unknown kind.
RecordedLine ReadRecordedLine(std::string_view text);

/// The folders with decisions: `directory` itself if it is a set, else every set below it, sorted.
/// Throws Error(kFailed) if the folder does not exist or holds no set.
std::vector<std::string> FindSets(const std::string& directory);

/// The unpacked text of one of a set's files, packed (.gz) or not. Throws Error(kFailed) if there
/// is none.
std::string ReadOfSet(const std::string& directory, const std::string& name);
/// That of its decisions.
std::string ReadDecisions(const std::string& directory);

}  // namespace schedlens::verify
