#ifndef SCHEDLENS_REPORT_TEXT_PARAGRAPH_H_
#define SCHEDLENS_REPORT_TEXT_PARAGRAPH_H_

#include <string>
#include <string_view>

namespace schedlens {

/// Breaks a paragraph at blanks, and between wide characters, into lines of at most `width`
/// columns; the first line starts with `first`, the others with `rest`. A word longer than a line
/// stays whole, and so does text in backquotes: commands are to be copied. Ends with a newline.
std::string Paragraph(std::string_view text, std::size_t width, const std::string& first,
                      const std::string& rest);

/// `text` and as many blanks as it lacks of `width` columns; it is never cut.
std::string Padded(std::string_view text, int width);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_TEXT_PARAGRAPH_H_
