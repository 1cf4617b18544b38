#include "source/http/status_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "source/http/api_answer.h"

namespace schedlens {
namespace {

/// `limit`, and not `limitk` or `limit_ratio`, which are functions.
bool HoldsWord(std::string_view text, std::string_view word) {
  const auto in_word = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (!in_word(at - 1) && !in_word(at + word.size())) return true;
  }
  return false;
}

/// The server's flag behind a limit, where its words tell which; else just "limit".
std::string FlagOf(std::string_view text) {
  if (text.find("too many samples") != std::string_view::npos) return "--query.max-samples";
  for (const std::string_view start : {"-search.max", "-querier.max", "-store.max"}) {
    const auto at = text.find(start);
    if (at == std::string_view::npos) continue;
    auto end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '.' || text[end] == '-')) {
      ++end;
    }
    return std::string(text.substr(at, end - at));
  }
  return "limit";
}

std::string Advice(int status, const std::string& type, const std::string& text) {
  const auto says = [&text](const char* words) { return text.find(words) != std::string::npos; };
  if (TellsALimit(text) || says("exceeds") || HoldsWord(text, "limit")) {
    return fmt::format(
        ": ask for a shorter --window, narrow it with --selector, or raise the server's {}",
        FlagOf(text));
  }
  if (type == "timeout" || type == "canceled") {
    return ": ask for a shorter --window or raise the server's query timeout";
  }
  if (says("to an HTTPS server")) return ": try https:// in the URL";
  if (status / 100 == 3) return ": give the URL behind the redirect, or allow follow_redirects";
  if (status == 404) return ": is the URL's path prefix right?";
  if (status == 429 || status >= 502) return ": the server is overloaded or down, try later";
  return "";
}

}  // namespace

bool TellsALimit(std::string_view text) {
  // Prometheus and Thanos; VictoriaMetrics, whose limits are flags; Mimir and Cortex.
  for (const std::string_view words : {"too many samples", "-search.max", "maximum resolution",
                                       "err-mimir-max", "the query hit the max"}) {
    if (text.find(words) != std::string_view::npos) return true;
  }
  return false;
}

void ThrowOf(const std::string& what, const std::string& url, ErrorKind kind,
             const std::string& text) {
  std::string line = fmt::format("{} ({}): {}", what, PrintableUrl(url), text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  throw Error(kind, line);
}

void ThrowOf(const HttpRequest& request, ErrorKind kind, const std::string& text) {
  ThrowOf(request.what, request.url, kind, text);
}

std::string KubernetesMessage(const std::string& body) {
  const auto document = ReadJson(body);
  return TextAt(document, "kind") == "Status" ? TextAt(document, "message") : "";
}

void ThrowStatus(const HttpRequest& request, const HttpAnswer& answer) {
  ApiAnswer api;
  try {
    api = ReadApiAnswer(answer.body);
  } catch (const Error&) {
    // No JSON: a proxy or another program answered, perhaps in one line of plain words.
    const bool marked = answer.body.starts_with("<") || answer.body.starts_with("{");
    if (!marked)
      api.error = answer.body.substr(0, std::min<std::size_t>(answer.body.find('\n'), 120));
  }
  const std::string refusal = KubernetesMessage(answer.body);
  if (!refusal.empty()) {
    ThrowOf(request, ErrorKind::kFailed,
            fmt::format("the API server answers {}: {}", answer.status, refusal));
  }
  const std::string said = api.error.empty() ? "" : ": " + api.error;
  // VictoriaMetrics gives the status as the type.
  const bool told = api.error_type.empty() || api.error_type == std::to_string(answer.status);
  const std::string type = told ? "" : " " + api.error_type;
  const ErrorKind kind = api.error_type == "timeout" || answer.status == 504 ? ErrorKind::kTimeout
                                                                             : ErrorKind::kFailed;
  ThrowOf(request, kind,
          fmt::format("the server answers {}{}{}{}", answer.status, type, said,
                      Advice(answer.status, api.error_type, api.error)));
}

}  // namespace schedlens
