// Names of servers' arithmetic: `2.42`, `3.0-arm64`, `victoriametrics`.

#include "schedlens/semantics.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr int kOldestMajor = 2;
constexpr int kOldestMinor = 20;
constexpr int kOldestVictoriaMinor = 79;
constexpr int kNewestVictoriaMinor = 999;  // whatever is current

// Architectures whose Go compiler fuses a multiply and an add.
constexpr std::array<std::string_view, 5> kFusing = {"arm64", "ppc64le", "ppc64", "s390x",
                                                     "riscv64"};
constexpr std::array<std::string_view, 3> kPlain = {"amd64", "386", "arm"};

/// Takes digits from the front.
std::optional<int> TakeNumber(std::string_view* text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || text->empty() || text->front() == '-') return std::nullopt;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return value;
}

bool TakeChar(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

std::optional<Semantics> ParseVersion(std::string_view text) {
  Semantics semantics;
  TakeChar(&text, 'v');
  const auto major = TakeNumber(&text);
  if (!major || !TakeChar(&text, '.')) return std::nullopt;
  const auto minor = TakeNumber(&text);
  if (!minor) return std::nullopt;
  if (TakeChar(&text, '.') && !TakeNumber(&text)) return std::nullopt;
  semantics.major = *major;
  semantics.minor = *minor;
  // A release candidate or vendor suffix does not change the arithmetic; an architecture does.
  if (TakeChar(&text, '-') || TakeChar(&text, '+')) {
    if (text.empty()) return std::nullopt;
    const std::size_t dash = text.rfind('-');
    const std::string_view last = dash == std::string_view::npos ? text : text.substr(dash + 1);
    semantics.fma = std::find(kFusing.begin(), kFusing.end(), last) != kFusing.end();
    const bool plain = std::find(kPlain.begin(), kPlain.end(), last) != kPlain.end();
    const bool candidate = text.starts_with("rc.") || text.starts_with("beta.");
    if (!semantics.fma && !plain && !candidate) return std::nullopt;
  } else if (!text.empty()) {
    return std::nullopt;
  }
  return semantics;
}

/// `victoriametrics` or `vm`, with or without `-1.79`.
std::optional<Semantics> ParseVictoria(std::string_view text) {
  Semantics semantics;
  semantics.dialect = Semantics::Dialect::kVictoriaMetrics;
  semantics.major = 1;
  semantics.minor = kNewestVictoriaMinor;
  for (const std::string_view name : {"victoriametrics", "vm"}) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    if (text.empty()) return semantics;
    const auto version = TakeChar(&text, '-') ? ParseVersion(text) : std::nullopt;
    if (!version || version->major != 1 || version->minor < kOldestVictoriaMinor) break;
    semantics.minor = std::min(version->minor, kNewestVictoriaMinor);
    return semantics;
  }
  return std::nullopt;
}

}  // namespace

Semantics ParseSemantics(std::string_view text) {
  Semantics semantics;
  if (const auto victoria = ParseVictoria(text)) return *victoria;
  if (text == "main") return semantics;
  const Semantics newest;
  const auto parsed = ParseVersion(text);
  if (parsed && parsed->AtLeast(kOldestMajor, kOldestMinor)) {
    semantics = *parsed;
    if (semantics.AtLeast(newest.major, newest.minor)) {
      semantics.major = newest.major;
      semantics.minor = newest.minor;
    }
    return semantics;
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("--semantics \"{}\": expected a Prometheus version from {}.{} to {}.{}, "
                          "main, with -arm64 for a server on ARM, or \"victoriametrics\" "
                          "(\"victoriametrics-1.79\" and newer)",
                          text, kOldestMajor, kOldestMinor, newest.major, newest.minor));
}

std::string ToString(const Semantics& semantics) {
  if (semantics.IsVictoriaMetrics()) {
    if (semantics.minor == kNewestVictoriaMinor) return "victoriametrics";
    return fmt::format("victoriametrics-1.{}", semantics.minor);
  }
  return fmt::format("{}.{}{}", semantics.major, semantics.minor, semantics.fma ? "-arm64" : "");
}

}  // namespace schedlens
