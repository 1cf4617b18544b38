#ifndef SCHEDLENS_CONTRACT_DOCTOR_H_
#define SCHEDLENS_CONTRACT_DOCTOR_H_

// What `doctor` saw of a source.

#include <string>
#include <vector>

namespace schedlens {

enum class Health { kOk, kNote, kProblem };
/// "ok", "note", "problem".
std::string ToString(Health health);

/// One check.
struct CheckUp {
  Health health = Health::kOk;
  std::string subject;  ///< "source", "scheduler", "release", "metric", "scrapes", ...
  std::string text;     ///< what was seen, and what it costs
  std::string fix;      ///< what to do; may be empty
  std::string
      evidence;  ///< the PromQL or the request that shows it; empty where the text says it all
};

struct DoctorReport {
  std::vector<CheckUp> checks;
  bool diagnosable = false;  ///< attempts' buckets are there, with increases
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_DOCTOR_H_
