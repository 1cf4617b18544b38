#ifndef SCHEDLENS_REPORT_MARKDOWN_TABLE_H_
#define SCHEDLENS_REPORT_MARKDOWN_TABLE_H_

#include <string>

#include "report/tables.h"

namespace schedlens {

/// A report's table in Markdown, its parts indented; the head alone without rows.
std::string MarkdownTable(const ReportTable& table);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_MARKDOWN_TABLE_H_
