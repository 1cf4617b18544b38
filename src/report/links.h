#ifndef SCHEDLENS_REPORT_LINKS_H_
#define SCHEDLENS_REPORT_LINKS_H_

#include <string>
#include <string_view>

#include "contract/series.h"
#include "contract/source.h"

namespace schedlens {

/// Where the source's own page answers this query at that time: as a table, or drawn over the
/// length before it. Empty for a source that is no http server. `javascript:...` stays text.
std::string TableUrl(const SourceInfo& source, std::string_view promql, TimeMs at);
std::string GraphUrl(const SourceInfo& source, std::string_view promql, const TimeRange& range);

/// Whether the text is a link that may be printed as one: http or https, nothing in it that ends a
/// link in Slack or HTML.
bool IsWebLink(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_LINKS_H_
