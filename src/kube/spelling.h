#ifndef SCHEDLENS_KUBE_SPELLING_H_
#define SCHEDLENS_KUBE_SPELLING_H_

// Enums whose values have a spelling in labels and reports, and arrays keyed by such an enum.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace schedlens::kube {

/// The spellings of an enum's values, in their order. Specialized next to each enum.
template <typename Enum>
inline constexpr std::array<std::string_view, 0> kSpellings{};

template <typename Enum>
concept Spelled = kSpellings<Enum>
.size() > 0;

template <Spelled Enum>
inline constexpr std::size_t kSize = kSpellings<Enum>.size();

template <Spelled Enum>
constexpr std::size_t IndexOf(Enum value) {
  return static_cast<std::size_t>(value);
}

template <Spelled Enum>
constexpr std::string_view ToString(Enum value) {
  return kSpellings<Enum>[IndexOf(value)];
}

/// Empty for a spelling that the enum does not have.
template <Spelled Enum>
constexpr std::optional<Enum> Parse(std::string_view spelling) {
  for (std::size_t i = 0; i < kSize<Enum>; ++i) {
    if (kSpellings<Enum>[i] == spelling) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// Every value, in the order of the enum.
template <Spelled Enum>
constexpr std::array<Enum, kSize<Enum>> All() {
  std::array<Enum, kSize<Enum>> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}

/// One value for each value of an enum; starts with `Value{}` everywhere.
template <Spelled Enum, typename Value>
class EnumMap {
 public:
  constexpr Value& operator[](Enum key) { return values_[IndexOf(key)]; }
  constexpr const Value& operator[](Enum key) const { return values_[IndexOf(key)]; }
  friend constexpr bool operator==(const EnumMap&, const EnumMap&) = default;

 private:
  std::array<Value, kSize<Enum>> values_{};
};

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_SPELLING_H_
