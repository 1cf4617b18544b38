#ifndef SCHEDLENS_SOURCE_RULE_TEMPLATE_H_
#define SCHEDLENS_SOURCE_RULE_TEMPLATE_H_

// The labels and annotations of alerts are Go templates. Prometheus refuses a rule file with one
// that does not parse.

#include <string>
#include <string_view>

namespace schedlens {

/// Why Prometheus does not read a label's or an annotation's text as a template, in the words of
/// Go's text/template; empty where it does. Like `promtool check rules`, it looks neither at the
/// types of values nor at what fields they have. Nothing is said of nesting deeper than 100.
std::string TemplateFault(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_TEMPLATE_H_
