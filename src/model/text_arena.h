#ifndef SCHEDLENS_MODEL_TEXT_ARENA_H_
#define SCHEDLENS_MODEL_TEXT_ARENA_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace schedlens {

/// Keeps texts in large blocks, until all of them go together.
class TextArena {
 public:
  /// A copy that stays where it is as long as the arena.
  std::string_view Add(std::string_view text) {
    if (text.size() > left_) {
      left_ = std::max(kBlock, text.size());
      blocks_.emplace_back(new char[left_]);
      at_ = blocks_.back().get();
    }
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    const std::string_view copy(at_, text.size());
    at_ += text.size();
    left_ -= text.size();
    return copy;
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{256} << 10;

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_TEXT_ARENA_H_
