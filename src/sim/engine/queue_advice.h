#ifndef SCHEDLENS_SIM_ENGINE_QUEUE_ADVICE_H_
#define SCHEDLENS_SIM_ENGINE_QUEUE_ADVICE_H_

// What the simulated cluster tells the queue: hints, gates, which pods fit a new node. Pods of one
// template get one answer, worked out once an event.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/run_state.h"
#include "sim/engine/scheduling_queue.h"
#include "sim/engine/world.h"
#include "sim/queue/hints.h"

namespace schedlens::sim {

class QueueAdvice : public QueueAdvisor {
 public:
  /// Both must outlive it.
  QueueAdvice(const RunState& run, World& world);

  bool Helps(PodNumber waiting, Rejection plugin, PodEvent event, std::uint32_t subject) override;
  bool Admits(PodNumber waiting, std::uint32_t node) override;
  bool Attracted(PodNumber waiting, std::uint32_t pod_template) override;
  Rejection GatedBy(PodNumber pod) override;
  bool MayHelp(PodNumber waiting, PodEvent event) override;

 private:
  static constexpr std::size_t kPlugins = 24;
  static constexpr std::size_t kAdmission = kPlugins - 1;  // a question of no plugin
  enum class Answer : std::uint8_t { kUnknown, kNo, kYes };

  /// The answers to one event and subject, by template and plugin.
  Answer& Known(PodNumber waiting, std::size_t plugin, PodEvent event, std::uint32_t subject);
  bool Ask(std::uint32_t waiting, Rejection plugin, PodEvent event, std::uint32_t subject) const;

  const RunState& run_;
  World& world_;
  queue::Hints hints_;
  PodEvent event_ = PodEvent::kPodAdd;
  std::uint32_t subject_ = 0;
  std::vector<std::array<Answer, kPlugins>> answers_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_QUEUE_ADVICE_H_
