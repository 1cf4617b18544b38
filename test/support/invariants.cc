#include "support/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string_view>

namespace schedlens::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool Has(const std::vector<std::string>& words, std::string_view name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == name || word.starts_with(std::string(name) + "=");
  });
}

/// The values of an option, `--name VALUE` and `--name=VALUE`.
std::vector<std::string> ValuesOf(const std::vector<std::string>& words, const std::string& name) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) values.push_back(words[i + 1]);
    if (words[i].starts_with(name + "=")) values.push_back(words[i].substr(name.size() + 1));
  }
  return values;
}

/// The code point at `at` and its length in bytes; length 0 where it is no valid UTF-8.
std::pair<std::uint32_t, std::size_t> CodePoint(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || at + length > text.size()) return {0, 0};
  std::uint32_t point = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {0, 0};
    point = (point << 6) | (byte(at + i) & 0x3FU);
  }
  const bool too_long = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool half = point >= 0xD800 && point <= 0xDFFF;
  return too_long || half || point > 0x10FFFF ? std::pair(0U, std::size_t{0})
                                              : std::pair(point, length);
}

bool Moves(std::uint32_t point) {
  const bool control =
      (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7F && point <= 0x9F);
  const bool turns = point == 0x061C || point == 0x200E || point == 0x200F ||
                     (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
  return control || turns;
}

/// `\x1b[1;32m`: how many bytes; 0 where it is none.
std::size_t ColourAt(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\x1b[") return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 - at : 0;
}

void CheckText(const std::string& name, std::string_view text, bool colours,
               std::vector<std::string>* broken) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t colour = colours ? ColourAt(text, at) : 0;
    const auto [point, length] = CodePoint(text, at);
    if (colour == 0 && (length == 0 || Moves(point))) {
      const std::size_t from = at < 40 ? 0 : at - 40;
      std::string around;
      for (const char c : text.substr(from, 80)) {
        around += c >= ' ' && c < 0x7F ? std::string(1, c)
                                       : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
      broken->push_back(fmt::format("{} at byte {}: {}: {}", name, at,
                                    length == 0 ? "no UTF-8" : "a control character", around));
      return;
    }
    at += colour > 0 ? colour : length;
  }
}

void CheckCode(const std::vector<std::string>& words, int code, bool silent,
               std::vector<std::string>* broken) {
  static const std::set<int> kDocumented = {0, 1, 2, 3, 4, 5, 124, 130};
  if (kDocumented.count(code) == 0) {
    broken->push_back(fmt::format("exit code {} is not documented", code));
  }
  const bool finds = !words.empty() && (words[0] == "lint" || Has(words, "--fail-on"));
  if (code == 3 && !finds) broken->push_back("exit code 3 of a command that finds nothing");
  // A diff of what cannot be fixed is empty.
  if (code != 0 && code != 3 && silent)
    broken->push_back(fmt::format("exit code {} without a word", code));
}

/// The exit code that a `diagnose` with this document has to end with.
int CodeOf(const json& document, const std::vector<std::string>& words) {
  const json all = document.contains("diagnoses") ? document["diagnoses"] : json::array({document});
  const std::vector<std::string> asked = ValuesOf(words, "--fail-on");
  static const std::vector<std::string> kConfidences = {"certain", "likely", "possible"};
  bool judged = false, found = false;
  for (const json& diagnosis : all) {
    const std::string verdict = diagnosis.value("verdict", "");
    judged = judged || verdict != "insufficient-data";
    if (verdict != "incident" || asked.empty()) continue;
    for (const json& finding : diagnosis["findings"]) {
      const std::string confidence = finding.value("confidence", "");
      found = found || std::find(kConfidences.begin(), kConfidences.end(), confidence) <=
                           std::find(kConfidences.begin(), kConfidences.end(), asked.back());
    }
  }
  return !judged ? 5 : found ? 3 : 0;
}

void CheckVerdict(const std::vector<std::string>& words, int code, const json& document,
                  std::vector<std::string>* broken) {
  if (words.empty() || words[0] != "diagnose" || !document.is_object()) return;
  const std::string schema = document.value("schema", "");
  if (!schema.starts_with("schedlens.diagnosis/") && !schema.starts_with("schedlens.diagnoses/"))
    return;
  if (const int wanted = CodeOf(document, words); code != wanted) {
    broken->push_back(fmt::format("exit code {}, but the verdict asks for {}", code, wanted));
  }
}

std::optional<double> NumberAt(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return std::nullopt;
  if (at->is_number()) return at->get<double>();
  const bool measured = at->is_object() && at->contains("value") && (*at)["value"].is_number();
  return measured ? std::optional((*at)["value"].get<double>()) : std::nullopt;
}

/// Numbers are printed rounded.
bool Above(double a, double b) { return a > b + 1e-9 + 1e-9 * std::abs(b); }

void CheckNumbers(const json& node, const std::string& place, std::vector<std::string>* broken) {
  const auto ordered = [&](const char* less, const char* more) {
    const auto a = NumberAt(node, less), b = NumberAt(node, more);
    if (a && b && Above(*a, *b)) {
      broken->push_back(fmt::format("{}: {} {} above {} {}", place, less, *a, more, *b));
    }
  };
  if (node.is_object()) {
    ordered("low", "high");
    ordered("low", "value");
    ordered("value", "high");
    if (node.contains("pods")) ordered("over", "pods");
    const auto share = NumberAt(node, "share");
    if (share && (Above(*share, 1) || Above(0, *share))) {
      broken->push_back(fmt::format("{}: a share of {}", place, *share));
    }
    for (const auto& [key, value] : node.items()) {
      CheckNumbers(value, fmt::format("{}.{}", place, key), broken);
    }
  } else if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      CheckNumbers(node[i], fmt::format("{}[{}]", place, i), broken);
    }
  }
}

/// What WriteFileAtomically calls a file before it is whole: its name, a point, six letters or a
/// process's number.
void CheckFolder(const std::string& word, std::vector<std::string>* broken) {
  const std::string path = word.starts_with("-") ? word.substr(word.find('=') + 1) : word;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0 || path.find("://") != std::string::npos) return;
  const fs::path folder = path.substr(0, slash);
  const std::string name = path.substr(slash + 1);
  std::error_code none;
  if (name.empty() || !fs::is_directory(folder, none)) return;
  static const std::regex kEnding("\\.([A-Za-z0-9]{6}|[0-9]+)");
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string other = entry.path().filename();
    if (other.size() <= name.size() || !other.starts_with(name)) continue;
    if (std::regex_match(other.substr(name.size()), kEnding)) {
      broken->push_back("a temporary file is left: " + entry.path().string());
    }
  }
}

/// Of a URL, of a header, of a configuration of HTTP.
std::vector<std::string> Secrets(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  static const std::regex kUser("[a-z]+://[^/@\\s]*:([^@\\s]+)@");
  static const std::regex kKey(
      "(password|credentials|client_secret|token):\\s*['\"]?([^'\"\\s,}]+)");
  std::smatch match;
  for (const std::string& word : words) {
    if (std::regex_search(word, match, kUser)) found.push_back(match[1]);
  }
  for (const std::string& header : ValuesOf(words, "--header")) {
    const std::size_t colon = header.find(':');
    if (colon == std::string::npos || header.starts_with("X-Scope-OrgID")) continue;
    const std::size_t last = header.find_last_of(" :");
    found.push_back(header.substr(last + 1));
  }
  for (const std::string& path : ValuesOf(words, "--http.config.file")) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    for (std::sregex_iterator it(text.begin(), text.end(), kKey), end; it != end; ++it) {
      found.push_back((*it)[2]);
    }
  }
  // Short ones and plain words stand in any text.
  std::erase_if(found, [](const std::string& secret) {
    return secret.size() < 6 || secret == "secret" || secret == "password";
  });
  return found;
}

}  // namespace

std::vector<std::string> BrokenInvariants(const std::vector<std::string>& words, int code,
                                          const std::string& out, const std::string& err) {
  std::vector<std::string> broken;
  const bool colours = Has(words, "--color");
  CheckText("standard output", out, colours, &broken);
  CheckText("standard error", err, colours, &broken);
  CheckCode(words, code, out.empty() && err.empty(), &broken);
  if (out.starts_with("{") || out.starts_with("[")) {
    const json document = json::parse(out, nullptr, false);
    if (!document.is_discarded()) {
      CheckNumbers(document, "JSON", &broken);
      CheckVerdict(words, code, document, &broken);
    }
  }
  for (const std::string& word : words) CheckFolder(word, &broken);
  for (const std::string& secret : Secrets(words)) {
    for (const auto& [name, text] : {std::pair("output", &out), std::pair("error", &err)}) {
      if (text->find(secret) != std::string::npos) {
        broken.push_back(fmt::format("a secret of the command line is on standard {}", name));
      }
    }
  }
  return broken;
}

}  // namespace schedlens::test
