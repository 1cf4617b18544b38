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
  SharedBytes() = default;
  /// `write` fills room for up to `most` bytes from the pointer it is given, and returns where they
  /// end. Throws std::length_error for 4 GiB and more.
  template <class Write>
  SharedBytes(std::size_t most, Write write) {
    if (most == 0) return;
    if (most > UINT32_MAX) throw std::length_error("SharedBytes");
    block_ = new (::operator new(sizeof(Block) + most)) Block;
    char* const begin = block_->bytes();
    block_->size = static_cast<std::uint32_t>(write(begin) - begin);
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
    block_->~Block();
    ::operator delete(block_);
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
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };

  Block* block_ = nullptr;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_SHARED_BYTES_H_
