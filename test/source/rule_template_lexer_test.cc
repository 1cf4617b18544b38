#include "source/rule_template_lexer.h"

#include <gtest/gtest.h>

#include <string>

namespace schedlens {
namespace {

/// The words of a text, one behind the other.
std::string Words(const char* text) {
  std::string words;
  for (const TemplateItem& item : LexTemplate(text)) {
    words += "<" + std::to_string(static_cast<int>(item.word)) + ":" + item.text + ">";
  }
  return words;
}

std::string Word(TemplateWord word, const std::string& text) {
  return "<" + std::to_string(static_cast<int>(word)) + ":" + text + ">";
}

TEST(LexTemplateTest, TellsTextFromActions) {
  using enum TemplateWord;
  EXPECT_EQ(Words("a {{$x.b|len}}"), Word(kText, "a ") + Word(kLeft, "{{") + Word(kVariable, "$x") +
                                         Word(kField, ".b") + Word(kPipe, "|") +
                                         Word(kName, "len") + Word(kRight, "}}") + Word(kEnd, ""));
  EXPECT_EQ(Words("{{- 1 -}}{{/* c */}}b"), Word(kLeft, "{{- ") + Word(kNumber, "1") +
                                                Word(kRight, " -}}") + Word(kText, "b") +
                                                Word(kEnd, ""));
}

TEST(LexTemplateTest, EndsWithTheFault) {
  using enum TemplateWord;
  EXPECT_EQ(Words("{{.}} {{"), Word(kLeft, "{{") + Word(kDot, ".") + Word(kRight, "}}") +
                                   Word(kText, " ") + Word(kLeft, "{{") +
                                   Word(kFault, "unclosed action"));
}

}  // namespace
}  // namespace schedlens
