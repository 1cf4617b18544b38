#pragma once

// YAML with limits, and what to say of a text that is none. Every reader of YAML goes through here.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace YAML {
class EventHandler;
class Node;
}  // namespace YAML

namespace schedlens {

/// How deep lists and maps may stand in each other.
inline constexpr int kDeepestYaml = 256;

/// What aliases may add to what is written out: in entries of lists and maps, each counted as often
/// as it is read. A list of aliases of lists of aliases multiplies (ten lines make a billion).
inline constexpr std::size_t kMostFromAliases = 100'000;
/// And in bytes of scalars.
inline constexpr std::size_t kMostTextFromAliases = std::size_t{16} << 20;

/// The first document; a null node where there is none. Throws YAML::Exception with place and
/// reason, on one line, for what is not YAML and for what goes over the limits above.
YAML::Node LoadYaml(const std::string& text);

/// All documents; none for an empty text. The limits count for all of them together.
std::vector<YAML::Node> LoadAllYaml(const std::string& text);

/// What yaml-cpp may take beyond this many times what it has read of a text before it gives an
/// event. It keeps all that stands in a pair of braces, 88 bytes a bracket.
inline constexpr std::size_t kMostMemoryOfYaml = 16;

/// All documents, event by event, without the limits. Throws YAML::Exception for what is not YAML,
/// and where yaml-cpp takes too much memory. Where a document ends before its line does (`{a}, b`),
/// there are empty documents for ever, all at the same place, until the handler throws.
void ReadYaml(const std::string& text, YAML::EventHandler& handler);

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
