#ifndef SCHEDLENS_SOURCE_RULE_TEMPLATE_WORDS_H_
#define SCHEDLENS_SOURCE_RULE_TEMPLATE_WORDS_H_

#include <string_view>

namespace schedlens {

/// Whether a template of a rule may call it: Go's own functions and those of Prometheus.
bool IsTemplateFunction(std::string_view name);

/// Whether the letters of a number make one.
bool IsReadableNumber(std::string_view number);

/// Whether there is one letter or one escape between the quotes.
bool IsOneTemplateCharacter(std::string_view quoted);

/// Whether Go knows every escape of a quoted text.
bool IsReadableString(std::string_view quoted);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_TEMPLATE_WORDS_H_
