#ifndef SCHEDLENS_REPORT_TEXT_REPORT_TABLE_H_
#define SCHEDLENS_REPORT_TEXT_REPORT_TABLE_H_

#include <cstddef>
#include <string>

#include "report/tables.h"
#include "report/text/sections.h"

namespace schedlens {

/// A report's table on a terminal, its parts indented; where it is narrow the columns after the
/// first `kept` go, the last first. Empty without rows.
std::string TerminalTable(const TextPage& page, const ReportTable& table, std::size_t kept);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_TEXT_REPORT_TABLE_H_
