// Measured numbers, and what they rest on.

#include <algorithm>
#include <iterator>
#include <utility>

#include "schedlens/estimate.h"

namespace schedlens {
namespace {

constexpr std::string_view kAnd = " and ";

using Spelling = std::pair<BasisKind, std::string_view>;

/// Of every rule; kNone and kOther have none.
constexpr Spelling kSpellings[] = {
#include "contract/basis_spellings.inc"
};

}  // namespace

std::string ToString(const Basis& basis) {
  const Spelling* own = std::ranges::find(kSpellings, basis.kind, &Spelling::first);
  std::string text(own == std::end(kSpellings) ? std::string_view() : own->second);
  for (const std::string& name : basis.names) {
    if (!text.empty()) text += kAnd;
    text += name;
  }
  return text;
}

Basis ParseBasis(std::string_view words) {
  if (words.empty()) return {};
  std::string_view rest = words;
  const std::string_view rule = rest.substr(0, rest.find(kAnd));
  const Spelling* own = std::ranges::find(kSpellings, rule, &Spelling::second);
  Basis basis(own == std::end(kSpellings) ? BasisKind::kOther : own->first);
  rest.remove_prefix(rule.size());
  while (basis.kind != BasisKind::kOther && !rest.empty()) {
    rest.remove_prefix(kAnd.size());
    const std::string_view name = rest.substr(0, rest.find(kAnd));
    basis.names.emplace_back(name);
    rest.remove_prefix(name.size());
  }
  if (ToString(basis) == words) return basis;
  basis.kind = BasisKind::kOther;
  basis.names = {std::string(words)};
  return basis;
}

Measured Exact(double value, std::string unit) {
  return {value, value, value, std::move(unit), BasisKind::kExact};
}

Measured Estimated(double value, std::string unit, Basis basis) {
  return {value, std::nullopt, std::nullopt, std::move(unit), std::move(basis)};
}

Measured Bounded(double low, double value, double high, std::string unit, Basis basis) {
  // Not std::clamp: rounding may leave low a little above high, and then the bounds take
  // precedence.
  const double clamped = std::min(std::max(value, low), std::max(low, high));
  return {clamped, low, std::max(low, high), std::move(unit), std::move(basis)};
}

}  // namespace schedlens
