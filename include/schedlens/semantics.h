#pragma once

#include <string>
#include <string_view>

namespace schedlens {

/// Whose arithmetic to reproduce: a Prometheus version, or VictoriaMetrics.
struct Semantics {
  enum class Dialect { kPrometheus, kVictoriaMetrics };
  Dialect dialect = Dialect::kPrometheus;
  int major = 3;
  int minor = 15;
  /// The last multiply-add of the quantile is fused, as Go compiles it for arm64, ppc64le, s390x.
  bool fma = false;

  bool operator==(const Semantics&) const = default;
  /// True when this is Prometheus `major.minor` or newer.
  bool AtLeast(int want_major, int want_minor) const {
    return dialect == Dialect::kPrometheus &&
           (major > want_major || (major == want_major && minor >= want_minor));
  }
  bool IsVictoriaMetrics() const { return dialect == Dialect::kVictoriaMetrics; }
};

/// Reads `2.42`, `v3.5.1`, `3.0-arm64`, `main`, `victoriametrics` (newest), `victoriametrics-1.79`.
/// Oldest: 2.20 (1.79); newer than known is the newest. Throws Error(kUsage) for anything else.
Semantics ParseSemantics(std::string_view text);

/// `2.42`, `3.15-arm64`, `victoriametrics`: what ParseSemantics reads.
std::string ToString(const Semantics& semantics);

}  // namespace schedlens
