#ifndef SCHEDLENS_CONTRACT_SHARED_BYTES_H_
#define SCHEDLENS_CONTRACT_SHARED_BYTES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace schedlens {

/// Bytes that do not change once they are written. All copies have the same ones: a copy costs a
/// count, in whatever thread it is made.
class SharedBytes {
 public:
  class Room;

  SharedBytes() = default;
  /// `write` fills room for up to `most` bytes from the pointer it is given, and returns where they
  /// end. Throws std::length_error for 4 GiB and more.
  template <class Write>
  SharedBytes(std::size_t most, Write write, Room* room = nullptr) {
    if (most == 0) return;
    if (most > UINT32_MAX) throw std::length_error("SharedBytes");
    block_ = NewBlock(sizeof(Block) + most, room);
    char* const begin = block_->bytes();
    block_->size = static_cast<std::uint32_t>(write(begin) - begin);
    if (block_->place != 0) TakeBack(most, block_->size, room);
  }
  SharedBytes(const SharedBytes& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->uses.fetch_add(1, std::memory_order_relaxed);
  }
  SharedBytes(SharedBytes&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedBytes& operator=(SharedBytes other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedBytes() {
    if (block_ == nullptr || block_->uses.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    Delete(block_);
  }

  const char* data() const { return block_ == nullptr ? nullptr : block_->bytes(); }
  std::size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  std::string_view view() const { return {data(), size()}; }
  bool operator==(const SharedBytes& other) const {
    return block_ == other.block_ || view() == other.view();
  }

 private:
  struct Block {
    std::atomic<std::uint32_t> uses = 1;
    std::uint32_t size = 0;
    std::uint32_t place = 0;  // behind the beginning of its slab; 0 where it has none
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };

  static Block* NewBlock(std::size_t size, Room* room);
  static void TakeBack(std::size_t most, std::size_t needed, Room* room);
  static void Delete(Block* block);

  Block* block_ = nullptr;
};

/// Puts bytes side by side into slabs, for one thread: the heap would take time and memory for each
/// of them. A slab goes when all bytes in it have gone, so they should be of the same life.
class SharedBytes::Room {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { Release(slab_); }

 private:
  friend class SharedBytes;
  static constexpr std::size_t kSlab = std::size_t{64} << 10;

  struct Slab {
    std::atomic<std::uint32_t> uses = 1;  // by blocks, and by the room that fills it
  };

  static void Release(Slab* slab) {
    if (slab == nullptr || slab->uses.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    slab->~Slab();
    ::operator delete(slab);
  }

  static std::size_t Aligned(std::size_t size) {
    return (size + alignof(Block) - 1) / alignof(Block) * alignof(Block);
  }

  /// Of the last block.
  void Shorten(std::size_t size, std::size_t needed) { used_ -= Aligned(size) - Aligned(needed); }

  Block* NewBlock(std::size_t size) {
    size = Aligned(size);
    if (slab_ == nullptr || size > kSlab - used_) {
      Release(slab_);
      slab_ = new (::operator new(kSlab)) Slab;
      used_ = sizeof(Slab);
    }
    slab_->uses.fetch_add(1, std::memory_order_relaxed);
    auto* const block = new (reinterpret_cast<char*>(slab_) + used_) Block;
    block->place = static_cast<std::uint32_t>(used_);
    used_ += size;
    return block;
  }

  Slab* slab_ = nullptr;
  std::size_t used_ = 0;
};

inline SharedBytes::Block* SharedBytes::NewBlock(std::size_t size, Room* room) {
  constexpr std::size_t kLarge = Room::kSlab / 16;
  if (room != nullptr && size <= kLarge) return room->NewBlock(size);
  return new (::operator new(size)) Block;
}

inline void SharedBytes::TakeBack(std::size_t most, std::size_t needed, Room* room) {
  room->Shorten(sizeof(Block) + most, sizeof(Block) + needed);
}

inline void SharedBytes::Delete(Block* block) {
  const std::uint32_t place = block->place;
  block->~Block();
  if (place == 0) return ::operator delete(block);
  Room::Release(reinterpret_cast<Room::Slab*>(reinterpret_cast<char*>(block) - place));
}

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_SHARED_BYTES_H_
