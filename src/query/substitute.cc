#include "contract/source.h"

namespace schedlens {
namespace {

constexpr std::string_view kSelector = "$selector";
constexpr std::string_view kWindow = "$window";

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (std::size_t at = text->find(from); at != std::string::npos; at = text->find(from, at)) {
    text->replace(at, from.size(), to);
    at += to.size();
  }
}

/// An empty selector takes the comma before it along: `{a="b", $selector}` becomes `{a="b"}`.
void DropSelectors(std::string* text) {
  for (std::size_t at = text->find(kSelector); at != std::string::npos;
       at = text->find(kSelector)) {
    std::size_t end = at + kSelector.size();
    std::size_t begin = text->find_last_not_of(" \t\n", at - (at > 0 ? 1 : 0));
    if (begin != std::string::npos && at > 0 && (*text)[begin] == ',') {
      at = begin;
    } else if (const std::size_t next = text->find_first_not_of(" \t\n", end);
               next != std::string::npos && (*text)[next] == ',') {
      end = next + 1;
    }
    text->erase(at, end - at);
  }
}

}  // namespace

std::string Substitute(std::string_view statement, std::string_view selector,
                       std::string_view window) {
  std::string text(statement);
  if (selector.empty()) {
    DropSelectors(&text);
  } else {
    ReplaceAll(&text, kSelector, selector);
  }
  ReplaceAll(&text, kWindow, window);
  return text;
}

}  // namespace schedlens
