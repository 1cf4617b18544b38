#ifndef SCHEDLENS_CONTRACT_DOCTOR_H_
#define SCHEDLENS_CONTRACT_DOCTOR_H_

// What `doctor` saw of a source.

#include <string>
#include <vector>

#include "contract/message.h"

namespace schedlens {

enum class Health { kOk, kNote, kProblem };
/// "ok", "note", "problem".
std::string ToString(Health health);

/// One check.
struct CheckUp {
  Health health = Health::kOk;
  std::string subject;  ///< "source", "scheduler", "release", "metric", "scrapes", ...
  Message text;         ///< what was seen, and what it costs
  Message fix;          ///< what to do; may be empty
  Message evidence;     ///< the PromQL or the request that shows it; empty where the text says all
};

struct DoctorReport {
  std::vector<CheckUp> checks;
  bool diagnosable = false;  ///< attempts' buckets are there, with increases
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_DOCTOR_H_
