#ifndef SCHEDLENS_SOURCE_RULE_TEMPLATE_LEXER_H_
#define SCHEDLENS_SOURCE_RULE_TEMPLATE_LEXER_H_

// The words of a Go template, as text/template tells them apart.

#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

enum class TemplateWord {
  kText,
  kLeft,   ///< {{
  kRight,  ///< }}
  kSpace,
  kAssign,  ///< = and :=
  kPipe,
  kString,
  kCharacter,  ///< 'x'
  kVariable,   ///< $x
  kField,      ///< .x
  kDot,
  kNumber,
  kName,      ///< of a function
  kConstant,  ///< true, false, nil
  kKeyword,
  kLeftParen,
  kRightParen,
  kOther,  ///< any other printed sign
  kFault,  ///< why the text cannot be read on; the last one
  kEnd,
};

struct TemplateItem {
  TemplateWord word;
  std::string text;
};

/// Ends with kEnd or kFault. Letters outside ASCII count as letters.
std::vector<TemplateItem> LexTemplate(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_TEMPLATE_LEXER_H_
