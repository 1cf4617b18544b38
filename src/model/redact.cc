// Which names are hidden, and by what.

#include "model/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <unordered_set>

namespace schedlens {
namespace {

/// Labels whose whole value is a name (Prometheus's target labels, kube-state-metrics, cAdvisor).
constexpr std::array<std::string_view, 17> kNameLabels = {"node",
                                                          "pod",
                                                          "instance",
                                                          "host",
                                                          "hostname",
                                                          "nodename",
                                                          "node_name",
                                                          "pod_name",
                                                          "host_name",
                                                          "pod_ip",
                                                          "host_ip",
                                                          "internal_ip",
                                                          "kubernetes_node",
                                                          "kubernetes_pod_name",
                                                          "server",
                                                          "machine",
                                                          "target"};

/// Labels with words of kube-scheduler, client-go and Prometheus.
constexpr std::array<std::string_view, 20> kWordLabels = {
    "__name__", "le",        "quantile", "job",
    "result",   "profile",   "plugin",   "extension_point",
    "status",   "queue",     "event",    "type",
    "work",     "verb",      "code",     "method",
    "attempts", "operation", "version",  "severity"};

template <std::size_t N>
bool Contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsNameLabel(std::string_view label) {
  constexpr std::string_view kExported = "exported_";
  if (label.starts_with(kExported)) label.remove_prefix(kExported.size());
  return Contains(kNameLabels, label);
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

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

/// `host:port` without the port; anything else as it is.
std::string_view WithoutPort(std::string_view value) {
  const std::size_t colon = value.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == value.size()) return value;
  const std::string_view host = value.substr(0, colon);
  const bool digits = value.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  // An IPv6 address without brackets has further colons and no port.
  const bool bare_ipv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return digits && !bare_ipv6 ? host : value;
}

class Redactor {
 public:
  explicit Redactor(std::string_view salt) : seed_(HashBytes(0, salt)) {}

  void Learn(const Labels& labels) {
    for (const auto& [name, value] : labels) {
      if (IsNameLabel(name)) names_.insert(std::string(WithoutPort(value)));
    }
  }

  Labels Redact(const Labels& labels) {
    std::vector<Labels::Pair> pairs;
    for (const auto& [name, value] : labels) {
      std::string& redacted = pairs.emplace_back(name, value).second;
      if (IsNameLabel(name)) {
        const std::string host(WithoutPort(value));
        redacted = Code(host) + redacted.substr(host.size());
      } else if (!Contains(kWordLabels, name)) {
        redacted = RedactText(redacted);
      }
    }
    return Labels(pairs);
  }

  /// Replaces learnt names where they stand as whole words.
  std::string RedactText(const std::string& text) {
    const auto known = texts_.find(text);
    if (known != texts_.end()) return known->second;
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && IsNameCharacter(text[end])) ++end;
      if (text[i] == '[' && text.find(']', i) != std::string::npos) end = text.find(']', i) + 1;
      if (end == i) {
        out.push_back(text[i++]);
        continue;
      }
      const std::string word = text.substr(i, end - i);
      out += names_.contains(word) ? Code(word) : word;
      i = end;
    }
    return texts_[text] = out;
  }

 private:
  std::string Code(const std::string& name) const {
    return fmt::format("n-{:016x}", HashBytes(seed_, name));
  }

  std::uint64_t seed_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::string> texts_;
};

}  // namespace

Exposition Redacted(Exposition exposition, std::string_view salt) {
  Redactor redactor(salt);
  for (const Series& series : exposition.series) redactor.Learn(series.labels);
  for (Series& series : exposition.series) series.labels = redactor.Redact(series.labels);
  for (std::string& comment : exposition.comments) comment = redactor.RedactText(comment);
  for (Message& warning : exposition.warnings) {
    for (Argument& argument : warning.args) {
      argument.value.text = redactor.RedactText(argument.value.text);
    }
  }
  return exposition;
}

std::string RandomSalt() {
  std::random_device device;
  std::string salt;
  for (int i = 0; i < 4; ++i) salt += fmt::format("{:08x}", device());
  return salt;
}

}  // namespace schedlens
