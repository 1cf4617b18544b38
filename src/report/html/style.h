#ifndef SCHEDLENS_REPORT_HTML_STYLE_H_
#define SCHEDLENS_REPORT_HTML_STYLE_H_

#include <string_view>

namespace schedlens {

/// The page's style sheet: light and dark by the reader's preference, narrow and wide, print.
std::string_view HtmlStyle();

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_HTML_STYLE_H_
