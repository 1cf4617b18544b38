#include "source/capture/redact_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/public_words.h"

namespace schedlens {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// Mixes all bits of the state with those of the input (the finalizer of SplitMix64).
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t HashBytes(std::uint64_t state, std::string_view bytes) {
  for (const char c : bytes) state = Mix(state ^ static_cast<unsigned char>(c));
  return Mix(state ^ bytes.size());
}

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool HasLongNumber(std::string_view digits) {
  constexpr std::size_t kLongest = 4;
  std::size_t length = 0;
  for (const char c : digits) {
    length = c == '.' ? 0 : length + 1;
    if (length > kLongest) return true;
  }
  return false;
}

/// `host:port` without the port; anything else as it is.
std::string_view WithoutPort(std::string_view value) {
  const std::size_t colon = value.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return value;
  const std::string_view host = value.substr(0, colon);
  const std::string_view port = value.substr(colon + 1);
  // An IPv6 address without brackets has further colons and no port.
  const bool bare_ipv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return IsDigits(port) && port.size() <= 5 && !bare_ipv6 ? host : value;
}

/// A version of an API: `v1`, `v1beta1`.
bool IsApiVersion(std::string_view part) {
  if (!part.starts_with('v') || part.size() > 12) return false;
  part.remove_prefix(1);
  for (const std::string_view stage : {"alpha", "beta"}) {
    const std::size_t at = part.find(stage);
    if (at == std::string_view::npos) continue;
    return IsDigits(part.substr(0, at)) && IsDigits(part.substr(at + stage.size()));
  }
  return IsDigits(part);
}

/// What client-go writes for a part that it leaves out: `%7Bnamespace%7D`.
bool IsPlaceholder(std::string_view part) {
  return part == "%7Bvalue%7D" || part == "%7Bnamespace%7D" || part == "%7Bname%7D" ||
         part == "%7Bprefix%7D" || part == "{namespace}" || part == "{name}" || part == "{value}";
}

}  // namespace

WordRedactor::WordRedactor(std::string_view salt) : seed_(HashBytes(0, salt)) {}

std::string WordRedactor::Code(std::string_view name) const {
  return fmt::format("n{:016x}", HashBytes(seed_, name));
}

std::string WordRedactor::LabelName(std::string_view name) const {
  return kube::IsPublicLabel(name) ? std::string(name) : Code(name);
}

std::string WordRedactor::MetricName(std::string_view name) const {
  if (kube::IsPublicMetric(name)) return std::string(name);
  for (const std::string_view end : {"_bucket", "_sum", "_count", "_total", "_created"}) {
    if (!name.ends_with(end)) continue;
    return Code(name.substr(0, name.size() - end.size())) + std::string(end);
  }
  return Code(name);
}

std::string WordRedactor::Value(std::string_view label, std::string_view value) const {
  if (value.empty() || kube::IsPublicValue(label, value)) return std::string(value);
  if (label == "__name__") return MetricName(value);
  if (kube::IsVersionLabel(label)) return Version(value);
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return Address(value);
  const std::string_view name = value.substr(0, scheme);
  if (name != "http" && name != "https" && name != "unix") return Code(value);
  return Url(value.substr(0, scheme + 3), value.substr(scheme + 3));
}

std::string WordRedactor::Address(std::string_view text) const {
  const std::string_view host = WithoutPort(text);
  return host.empty() ? "" : Code(host) + std::string(text.substr(host.size()));
}

std::string WordRedactor::Url(std::string_view scheme, std::string_view rest) const {
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  std::string out = std::string(scheme) + Address(authority);
  rest.remove_prefix(authority.size());
  while (!rest.empty()) {
    out += rest.front();
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find_first_of("/?#&=,"));
    const bool known =
        part.empty() || kube::IsPublicWord(part) || IsApiVersion(part) || IsPlaceholder(part);
    out += known ? std::string(part) : Code(part);
    rest.remove_prefix(part.size());
  }
  return out;
}

std::string WordRedactor::Version(std::string_view text) const {
  std::size_t start = 0;
  for (const std::string_view before : {"v", "go"}) {
    if (text.starts_with(before)) start = before.size();
  }
  std::size_t end = start;
  while (end < text.size() &&
         (kDigits.find(text[end]) != std::string_view::npos || (text[end] == '.' && end > start))) {
    ++end;
  }
  const std::string_view digits = text.substr(start, end - start);
  const auto points = std::count(digits.begin(), digits.end(), '.');
  // An address has more points, an account's number more digits in one piece.
  if (digits.empty() || digits.size() > 12 || points > 2 || HasLongNumber(digits)) {
    return Code(text);
  }
  if (end == text.size()) return std::string(text);
  return fmt::format("{}-{}", text.substr(0, end), Code(text.substr(end)));
}

}  // namespace schedlens
