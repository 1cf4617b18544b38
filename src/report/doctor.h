#ifndef SCHEDLENS_REPORT_DOCTOR_H_
#define SCHEDLENS_REPORT_DOCTOR_H_

// How `doctor` prints what it saw.

#include <string>

#include "contract/doctor.h"
#include "report/messages/messages.h"

namespace schedlens {

/// For a person: a line for each check, what to do about it, and its evidence, shortened; then what
/// to paste so that missing neighbours are scraped.
std::string DoctorText(const Messages& t, const DoctorReport& report);
/// Schema schedlens.doctor/1.
std::string DoctorJson(const DoctorReport& report);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_DOCTOR_H_
