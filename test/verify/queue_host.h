#pragma once

// Answers the queue's questions from a trace: hints, pre-enqueue verdicts, lister, visiting order.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/cluster/cluster.h"
#include "scheduler/cluster/objects_json.h"
#include "verify/nominator.h"
#include "verify/queue_log.h"
#include "verify/queue_trace.h"

namespace schedlens::verify {

/// The objects of a trace as the scheduler's plugins read them, read when they are first needed.
class TraceSpecs {
 public:
  TraceSpecs(const TraceHeader& header, const TraceObjects& objects);

  const sim::core::PodSpec& Pod(queue::ObjectId id);
  const sim::core::Node& Node(queue::ObjectId id);
  sim::core::Cluster& cluster() { return cluster_; }
  const TraceObjects& objects() const { return objects_; }

 private:
  const TraceObjects& objects_;
  sim::core::Cluster cluster_;
  std::unordered_map<queue::ObjectId, sim::core::PodSpec> pods_;
  std::unordered_map<queue::ObjectId, sim::core::Node> nodes_;
};

class TraceHost : public queue::QueueHost {
 public:
  TraceHost(const TraceHeader& header, TraceObjects& objects, TraceSpecs& specs, QueueLog& log);

  /// Takes in what a line says before its operation runs. Throws Error(kFailed) or Json::exception.
  void StartLine(const Json& line);

  bool HintQueues(const queue::PodVersion& pod, queue::PluginId plugin,
                  const queue::Registration& registration, const queue::EventInstance& event,
                  std::size_t ordinal) override;
  queue::PluginId PreEnqueue(const queue::PodVersion& pod, queue::PluginId first) override;
  void Nominate(const queue::PodVersion& pod) override {
    nominator.Add(pod, ListedWithoutNode(pod));
  }
  void UpdateNomination(const queue::PodVersion& old, const queue::PodVersion& pod) override {
    nominator.Update(old, pod, ListedWithoutNode(pod));
  }
  void ForgetNomination(queue::PodUid uid) override { nominator.Forget(uid); }
  bool AffinitySelects(const queue::PodVersion& waiting, const queue::PodVersion& assigned,
                       bool anti) override;
  bool SpreadConcerns(const queue::Record& waiting, const queue::PodVersion& assigned) override;
  bool Differs(const queue::PodVersion& old, const queue::PodVersion& pod) override;
  void Shuffle(const queue::Records& records, std::vector<queue::RecordId>& pods) override;

  /// Whether the pod lister knows the pod, without a node.
  bool ListedWithoutNode(const queue::PodVersion& pod) const;

  Nominator nominator;

 private:
  // Of a hint: pod, ordinal of the event, registration.
  static std::uint64_t HintKey(queue::PodKey pod, std::size_t ordinal, std::uint32_t registration) {
    return (std::uint64_t{pod} << 32) | (static_cast<std::uint64_t>(ordinal) << 12) | registration;
  }
  void ReadHints(const Json& rows);

  const TraceHeader& header_;
  TraceObjects& objects_;
  TraceSpecs& specs_;
  QueueLog& log_;
  KindCount& hint_rows_;
  std::map<std::string, std::uint32_t> registrations_;  // by `plugin resource:actions`
  std::unordered_map<std::uint64_t, bool> hints_;
  std::unordered_map<queue::PodKey, std::vector<queue::PluginId>> pre_enqueue_;
  std::unordered_map<queue::PodKey, queue::ObjectId> lister_;
  std::vector<queue::PodKey> visit_order_;
  queue::PluginId spread_;
};

}  // namespace schedlens::verify
