#ifndef SCHEDLENS_MODEL_TEMPLATE_TEXT_H_
#define SCHEDLENS_MODEL_TEMPLATE_TEXT_H_

#include <string>
#include <string_view>

namespace schedlens {

/// Whether a text that is no YAML looks like a template that makes some: it has a line that begins
/// with an action, as `{{- if .Values.x }}` or `{% raw %}`, or names values of a chart. The
/// `{{ $labels.x }}` within the annotations of alerts is no such sign.
bool LooksLikeTemplate(std::string_view text);

/// What to do about a text that looks like a template, a clause; empty for any other.
std::string AdviceForTemplate(std::string_view text);

/// Why a text is refused that no YAML reader takes, for `reason`: "not YAML: illegal block entry",
/// and for a template what to do about it.
std::string NotYaml(std::string_view text, std::string_view reason);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_TEMPLATE_TEXT_H_
