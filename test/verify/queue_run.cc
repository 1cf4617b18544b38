#include "verify/queue_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schedlens/error.h"
#include "verify/queue_trace.h"

namespace schedlens::verify {
namespace {

std::string RefusalText(queue::Refusal refusal, const std::string& key) {
  constexpr const char* kWhere[] = {"", "unschedulable queue", "the active queue",
                                    "the backoff queue"};
  if (refusal == queue::Refusal::kAccepted) return "";
  return fmt::format("Pod {} is already present in {}", key,
                     kWhere[static_cast<std::size_t>(refusal)]);
}

}  // namespace

QueueRun::QueueRun(const Json& header, QueueLog& log)
    : header_(ReadTraceHeader(header, objects_)),
      log_(log),
      specs_(header_, objects_),
      host_(header_, objects_, specs_, log),
      queue_(header_.rules, header_.settings, host_),
      compare_(queue_, host_.nominator, header_, objects_, log),
      hints_(header_, objects_, specs_, log),
      popped_count_(log.Kind("popped")),
      error_count_(log.Kind("error")) {
  for (const TraceHeader::Registered& one : header_.registered) {
    queue_.Register(one.plugin, one.registration);
  }
}

void QueueRun::Play(const Json& line) {
  log_.StartLine(line.at("n").get<std::int64_t>(), line.at("op").get_ref<const std::string&>());
  const Nanos now = ReadMillis(line.at("t"));
  if (now < now_) FailTrace("time runs backwards");
  now_ = now;
  popped_.clear();
  host_.StartLine(line);
  hints_.Compare(line, queue_);
  Run(line);
  wanted_.Apply(line.at("state"), line.value("full", false), objects_);
  compare_.Compare(wanted_, attempts_, popped_);
}

void QueueRun::Run(const Json& line) {
  static const std::map<std::string, void (QueueRun::*)(const Json&)> kOperations = {
      {"Add", &QueueRun::Add},
      {"Update", &QueueRun::Update},
      {"Delete", &QueueRun::Delete},
      {"Pop", &QueueRun::Pop},
      {"PopSpecificPod", &QueueRun::PopSpecific},
      {"Done", &QueueRun::Done},
      {"AddUnschedulableIfNotPresent", &QueueRun::Return},
      {"Activate", &QueueRun::Activate},
      {"MoveAllToActiveOrBackoffQueue", &QueueRun::Move},
      {"AssignedPodAdded", &QueueRun::AssignedAdded},
      {"AssignedPodUpdated", &QueueRun::AssignedUpdated},
      {"AddNominatedPod", &QueueRun::AddNominated},
      {"UpdateNominatedPod", &QueueRun::UpdateNominated},
      {"DeleteNominatedPodIfExists", &QueueRun::DeleteNominated},
      {"AddPodGroup", &QueueRun::PutGroup},
      {"UpdatePodGroup", &QueueRun::PutGroup},
      {"DeletePodGroup", &QueueRun::DeleteGroup},
      {"AddAttemptedPodGroupIfNeeded", &QueueRun::AddAttempted},
      {"flushBackoffQCompleted", &QueueRun::FlushBackoff},
      {"flushUnschedulablePodsLeftover", &QueueRun::FlushLeftover}};
  const auto operation = kOperations.find(line.at("op").get_ref<const std::string&>());
  if (operation == kOperations.end())
    FailTrace(fmt::format("unknown operation {}", line["op"].dump()));
  (this->*operation->second)(line);
}

void QueueRun::Add(const Json& line) { queue_.Add(objects_.Pod(line.at("pod")), now_); }

void QueueRun::Update(const Json& line) {
  std::vector<queue::EventInstance> events;
  if (line.contains("events")) {
    for (const Json& event : line["events"]) {
      events.push_back(ReadTraceEvent(event, line.at("old"), line.at("new"), header_, objects_));
    }
  }
  queue_.Update(objects_.Pod(line.at("old")), objects_.Pod(line.at("new")), events, now_);
}

void QueueRun::Delete(const Json& line) { queue_.Delete(objects_.Pod(line.at("pod"))); }

void QueueRun::ComparePopped(const Json& line, queue::RecordId got) {
  const Json& wanted = line.at("popped");
  const std::string text =
      got == queue::kNone ? "null" : objects_.keys.Text(queue_.At(got).pod.key);
  const std::string wanted_text = wanted.is_null() ? "null" : wanted.get<std::string>();
  log_.Compare(popped_count_, text == wanted_text, [&] {
    return QueueMismatch{0, "", "popped", wanted_text, text};
  });
  if (got == queue::kNone) return;
  const auto hold = [&](queue::RecordId id) {
    const queue::PodVersion& pod = queue_.At(id).pod;
    popped_.push_back(pod.key);
    attempts_.push_back({line["n"].get<std::int64_t>(), pod.uid, pod.key, id, std::nullopt});
  };
  if (!queue_.At(got).IsGroup()) return hold(got);
  for (const queue::RecordId id : queue_.At(got).members) hold(id);
}

void QueueRun::Pop(const Json& line) { ComparePopped(line, queue_.Pop(now_)); }

void QueueRun::PopSpecific(const Json& line) {
  ComparePopped(line, queue_.PopSpecificPod(objects_.Pod(line.at("pod")), now_));
}

std::vector<HeldAttempt>::iterator QueueRun::FindAttempt(const Json& line, queue::PodUid uid) {
  const bool by_line = line.contains("popLine");
  const std::int64_t number = by_line ? line["popLine"].get<std::int64_t>() : 0;
  return std::find_if(attempts_.begin(), attempts_.end(), [&](const HeldAttempt& attempt) {
    return by_line ? attempt.line == number : attempt.uid == uid;
  });
}

void QueueRun::Done(const Json& line) {
  const queue::PodUid uid = objects_.uids.Of(line.at("uid").get<std::string>());
  queue_.Done(uid);
  const auto attempt = FindAttempt(line, uid);
  if (attempt == attempts_.end()) return;
  if (!attempt->left) queue_.Release(attempt->record);
  attempts_.erase(attempt);
}

void QueueRun::Return(const Json& line) {
  const queue::PodVersion pod = objects_.Pod(line.at("pod"));
  const bool other = line.contains("poppedUid");
  const auto attempt =
      FindAttempt(line, other ? objects_.uids.Of(line["poppedUid"].get<std::string>()) : pod.uid);
  const bool popped = attempt != attempts_.end() && !attempt->left;
  const queue::PluginSet unsched = objects_.Plugins(line.at("unsched"));
  const queue::PluginSet pending = objects_.Plugins(line.at("pending"));
  const queue::RecordId record =
      popped ? attempt->record : queue_.Adopt(pod, line.at("attempts").get<int>(), now_);
  if (popped && other) {
    // Its own flight never ends, and is shown with the record as it came back.
    attempt->left = queue_.At(record);
    attempt->left->pod = pod;
    attempt->left->unschedulable = unsched;
    attempt->left->pending = pending;
  } else if (popped) {
    attempts_.erase(attempt);
  }
  const queue::Refusal refusal = queue_.AddUnschedulableIfNotPresent(
      record, pod, unsched, pending, line.at("cycle").get<std::int64_t>(), now_);
  const std::string wanted = line.value("error", "");
  const std::string got = RefusalText(refusal, objects_.keys.Text(pod.key));
  log_.Compare(error_count_, wanted == got, [&] {
    return QueueMismatch{0, "", "error", wanted, got};
  });
}

void QueueRun::Activate(const Json& line) {
  std::vector<queue::PodVersion> pods;
  for (const Json& pod : line.at("pods")) pods.push_back(objects_.Pod(pod));
  queue_.Activate(pods, now_);
}

queue::EventInstance QueueRun::EventOf(const Json& line) {
  return ReadTraceEvent(line.at("event"), line.at("old"), line.at("new"), header_, objects_);
}

void QueueRun::Move(const Json& line) {
  const queue::EventInstance event = EventOf(line);
  if (!line.contains("preCheck")) {
    queue_.Move(event, nullptr, now_);
    return;
  }
  std::vector<queue::PodKey> passing;
  for (const auto& pod : line["preCheck"].items()) {
    if (pod.value().get<bool>()) passing.push_back(objects_.keys.Of(pod.key()));
  }
  queue_.Move(
      event,
      [&](const queue::PodVersion& pod) {
        return std::find(passing.begin(), passing.end(), pod.key) != passing.end();
      },
      now_);
}

void QueueRun::AssignedAdded(const Json& line) {
  queue_.AssignedPodAdded(objects_.Pod(line.at("pod")), now_);
}

void QueueRun::AssignedUpdated(const Json& line) {
  queue_.AssignedPodUpdated(objects_.Pod(line.at("new")), EventOf(line), now_);
}

void QueueRun::AddNominated(const Json& line) {
  const std::string& mode = line.at("mode").get_ref<const std::string&>();
  if (mode != "Noop" && mode != "Override") FailTrace(fmt::format("unknown mode `{}`", mode));
  const queue::PodVersion pod = objects_.Pod(line.at("pod"));
  if (mode == "Noop") return host_.Nominate(pod);
  host_.nominator.Override(pod, objects_.nodes.Of(line.at("node").get<std::string>()),
                           host_.ListedWithoutNode(pod), header_.rules.minor >= 37);
}

void QueueRun::UpdateNominated(const Json& line) {
  host_.UpdateNomination(objects_.Pod(line.at("old")), objects_.Pod(line.at("new")));
}

void QueueRun::DeleteNominated(const Json& line) {
  host_.ForgetNomination(objects_.Pod(line.at("pod")).uid);
}

void QueueRun::PutGroup(const Json& line) {
  queue_.PutPodGroup(objects_.Group(line.at("group")), now_);
}

void QueueRun::DeleteGroup(const Json& line) {
  queue_.DeletePodGroup(objects_.Group(line.at("group")));
}

void QueueRun::AddAttempted(const Json& line) {
  static const std::map<std::string, queue::GroupOutcome> kOutcomes = {
      {"Success", queue::GroupOutcome::kSuccess},
      {"Unschedulable", queue::GroupOutcome::kUnschedulable},
      {"Error", queue::GroupOutcome::kError}};
  const auto outcome = kOutcomes.find(line.at("status").get<std::string>());
  if (outcome == kOutcomes.end()) FailTrace("unknown status " + line["status"].dump());
  queue_.AddAttemptedPodGroupIfNeeded(objects_.keys.Of(line.at("key").get<std::string>()),
                                      outcome->second, now_);
}

void QueueRun::FlushBackoff(const Json&) { queue_.FlushBackoffCompleted(now_); }

void QueueRun::FlushLeftover(const Json&) { queue_.FlushUnschedulableLeftover(now_); }

}  // namespace schedlens::verify
