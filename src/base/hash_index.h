#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedlens {

/// Numbers found by a hash of what they stand for, in one block with open addressing: the standard
/// containers would allocate a node each. What they stand for is kept elsewhere.
class HashIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// The number with this hash for which `same(number)` holds, or kNone.
  template <class Same>
  std::uint32_t Find(std::size_t hash, Same same) const {
    if (slots_.empty()) return kNone;
    for (std::size_t i = static_cast<std::uint32_t>(hash) & mask();; i = (i + 1) & mask()) {
      const Slot& slot = slots_[i];
      if (slot.number == kNone) return kNone;
      if (slot.hash == static_cast<std::uint32_t>(hash) && same(slot.number)) return slot.number;
    }
  }

  /// Adds a number other than kNone; its hash may be there already.
  void Add(std::size_t hash, std::uint32_t number) {
    if (4 * (used_ + 1) > 3 * slots_.size()) Grow();
    Put({static_cast<std::uint32_t>(hash), number});
    ++used_;
  }

 private:
  /// The low 32 bits of the hash, which are enough for as many slots as numbers can fill.
  struct Slot {
    std::uint32_t hash = 0, number = kNone;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void Put(const Slot& slot) {
    std::size_t i = slot.hash & mask();
    while (slots_[i].number != kNone) i = (i + 1) & mask();
    slots_[i] = slot;
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNone) Put(slot);
    }
  }

  std::vector<Slot> slots_;  ///< a power of two
  std::size_t used_ = 0;
};

}  // namespace schedlens
