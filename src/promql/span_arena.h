#ifndef SCHEDLENS_PROMQL_SPAN_ARENA_H_
#define SCHEDLENS_PROMQL_SPAN_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace schedlens::promql {

/// Keeps short arrays in large blocks, until all of them go together: most series have a few
/// samples, and a vector's own size and the heap's would be more than theirs.
template <class T>
class SpanArena {
 public:
  /// A copy that stays where it is as long as the arena, also when that is moved.
  std::span<const T> Add(std::span<const T> values) {
    if (values.empty()) return {};
    if (values.size() > left_) {
      left_ = std::max(kBlock, values.size());
      blocks_.push_back(std::make_unique_for_overwrite<T[]>(left_));
      at_ = blocks_.back().get();
    }
    const std::span<const T> copy(at_, values.size());
    at_ = std::copy(values.begin(), values.end(), at_);
    left_ -= values.size();
    return copy;
  }

 private:
  /// Small enough for the gaps that a reader leaves between what it read.
  static constexpr std::size_t kBlock = (std::size_t{16} << 10) / sizeof(T);

  std::vector<std::unique_ptr<T[]>> blocks_;
  T* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_SPAN_ARENA_H_
