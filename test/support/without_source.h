#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace schedlens::test {

/// A document without what names the source: the field itself, and commands that lead to it.
inline nlohmann::json WithoutSource(nlohmann::json document) {
  if (document.is_string()) {
    const auto& text = document.get_ref<const std::string&>();
    const std::size_t at = text.find("schedlens ");
    return at == text.npos ? document : nlohmann::json(text.substr(0, at));
  }
  if (document.is_object()) document.erase("source");
  if (document.is_structured()) {
    for (auto& item : document) item = WithoutSource(item);
  }
  return document;
}

}  // namespace schedlens::test
