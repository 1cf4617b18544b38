#include "sim/queue/backoff.h"

#include <algorithm>

namespace schedlens::sim::queue {
namespace {

int CountOf(const Record& record, BackoffCount count) {
  switch (count) {
    case BackoffCount::kAttempts:
      return record.attempts;
    case BackoffCount::kAttemptsAtLeastOne:
      return std::max(record.attempts, 1);
    case BackoffCount::kOutcomes:
      break;
  }
  return record.consecutive_errors > 0 ? record.consecutive_errors : record.unschedulable_count;
}

}  // namespace

Nanos Backoff::LengthOf(const Record& record) const {
  const int count = CountOf(record, rules_.backoff_count);
  if (count == 0) return 0;
  const bool outcomes = rules_.backoff_count == BackoffCount::kOutcomes;
  if (outcomes && settings_.initial > settings_.max) return settings_.max;
  Nanos length = settings_.initial;
  for (int i = 1; i < count; ++i) {
    if (length > settings_.max - length) return settings_.max;
    length += length;
  }
  return length;
}

Nanos Backoff::Cut(Nanos t) const {
  if (!rules_.whole_seconds) return t;
  const Nanos rest = (t + settings_.start) % kSecond;
  return t - (rest < 0 ? rest + kSecond : rest);
}

Nanos Backoff::ExpiryOf(const Record& record) const {
  const Nanos length = LengthOf(record);
  if (length == 0 && rules_.backoff_count == BackoffCount::kOutcomes) return kNever;
  return Cut(record.timestamp + length);
}

bool Backoff::BacksOff(const Record& record, Nanos now) const {
  if (record.gated && !rules_.gated_backs_off) return false;
  if (rules_.backs_off_through) return record.expiry >= Cut(now);
  return record.expiry > now;
}

bool ActiveLess(const Record& a, const Record& b) {
  if (a.pod.priority != b.pod.priority) return a.pod.priority > b.pod.priority;
  return a.timestamp < b.timestamp;
}

bool ExpiryLess(const Record& a, const Record& b) { return a.expiry < b.expiry; }

bool ExpiryThenActiveLess(const Record& a, const Record& b) {
  if (a.expiry != b.expiry) return a.expiry < b.expiry;
  return ActiveLess(a, b);
}

}  // namespace schedlens::sim::queue
