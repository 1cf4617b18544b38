#pragma once

// Enums whose values have a spelling in labels and reports, and arrays keyed by such an enum.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

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
  /// The values in the order of the enum.
  constexpr auto begin() const { return values_.begin(); }
  constexpr auto end() const { return values_.end(); }
  constexpr auto begin() { return values_.begin(); }
  constexpr auto end() { return values_.end(); }
  friend constexpr bool operator==(const EnumMap&, const EnumMap&) = default;

 private:
  std::array<Value, kSize<Enum>> values_{};
};

/// Values for some of an enum's values; iterated in the order of the enum.
template <Spelled Enum, typename Value>
class PartialEnumMap {
 public:
  PartialEnumMap() = default;
  PartialEnumMap(std::initializer_list<std::pair<Enum, Value>> values) {
    for (const auto& [key, value] : values) values_[key] = value;
  }

  bool contains(Enum key) const { return values_[key].has_value(); }
  bool empty() const { return begin() == end(); }
  /// Null where there is none.
  const Value* Find(Enum key) const { return values_[key] ? &*values_[key] : nullptr; }
  /// The value, `otherwise` where there is none.
  Value Get(Enum key, Value otherwise = {}) const { return values_[key].value_or(otherwise); }
  /// Makes a `Value{}` where there is none.
  Value& operator[](Enum key) {
    if (!values_[key]) values_[key].emplace();
    return *values_[key];
  }
  void erase(Enum key) { values_[key].reset(); }

  class Iterator {
   public:
    Iterator(const PartialEnumMap* map, std::size_t at) : map_(map), at_(at) { Skip(); }
    std::pair<Enum, const Value&> operator*() const {
      return {static_cast<Enum>(at_), *map_->values_[static_cast<Enum>(at_)]};
    }
    Iterator& operator++() {
      ++at_;
      Skip();
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    void Skip() {
      while (at_ < kSize<Enum> && !map_->contains(static_cast<Enum>(at_))) ++at_;
    }
    const PartialEnumMap* map_;
    std::size_t at_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, kSize<Enum>}; }

 private:
  EnumMap<Enum, std::optional<Value>> values_;
};

}  // namespace schedlens::kube
