#include "model/template_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace schedlens {
namespace {

constexpr std::array<std::string_view, 10> kActions = {"{%",        "{{-",    "{{/*",     "{{ if",
                                                       "{{ else",   "{{ end", "{{ range", "{{ with",
                                                       "{{ define", "{{ tpl"};
constexpr std::array<std::string_view, 7> kSigns = {
    ".Values.", ".Release.", ".Chart.", ".Capabilities.", "{{ include", "{{ toYaml", "{{`"};

bool IsAction(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  return std::any_of(kActions.begin(), kActions.end(),
                     [&](std::string_view action) { return line.starts_with(action); });
}

bool IsOfTemplate(std::string_view line) {
  return IsAction(line) || (line.find("{{") != std::string_view::npos &&
                            std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) {
                              return line.find(sign) != std::string_view::npos;
                            }));
}

}  // namespace

bool LooksLikeTemplate(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (IsOfTemplate(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

std::string AdviceForTemplate(std::string_view text) {
  if (!LooksLikeTemplate(text)) return "";
  return "a template is to be rendered first (helm template, or what it is for): give what that "
         "prints";
}

std::string NotYaml(std::string_view text, std::string_view reason) {
  const std::string advice = AdviceForTemplate(text);
  return fmt::format("not YAML: {}{}{}", reason, advice.empty() ? "" : "; ", advice);
}

}  // namespace schedlens
