#include <gtest/gtest.h>

#include <sstream>

#include "contract/report.h"
#include "report/format.h"
#include "report/samples.h"

namespace schedlens {
namespace {

TEST(MarkdownTest, OutsideTextBringsNoMarkup) {
  for (const char* lang : {"en", "zh"}) {
    const std::string text = RenderMarkdown(HostileNames(), {.lang = lang});
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      EXPECT_EQ(Visible(line), line);
    }
    // Only inside code spans may a tag be written as it is.
    for (std::size_t at = text.find("<script"); at != std::string::npos;
         at = text.find("<script", at + 1)) {
      const std::size_t line = text.rfind('\n', at);
      const std::string before = text.substr(line + 1, at - line - 1);
      EXPECT_NE(before.find('`'), std::string::npos) << before;
    }
  }
}

TEST(MarkdownTest, TablesKeepTheirColumns) {
  for (const auto& [name, d] : AllSamples()) {
    std::istringstream in(RenderMarkdown(d, {}));
    std::size_t columns = 0;
    for (std::string line; std::getline(in, line);) {
      std::size_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') {
          ++i;
        } else if (line[i] == '|') {
          ++bars;
        }
      }
      if (line.empty() || line[0] != '|') {
        columns = 0;
      } else if (columns == 0) {
        columns = bars;
      } else {
        EXPECT_EQ(bars, columns) << name << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace schedlens
