#ifndef SCHEDLENS_PROMQL_TOP_HEAP_H_
#define SCHEDLENS_PROMQL_TOP_HEAP_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace schedlens::promql {

/// The k largest (or smallest) of a group, kept in a heap as Go's container/heap keeps it: which of
/// equal values stays, and in which order they come out, follows from that.
class TopHeap {
 public:
  TopHeap(std::size_t k, bool largest) : k_(k), largest_(largest) {}

  void Offer(std::size_t row, double v) {
    if (items_.size() < k_) {
      items_.push_back({row, v});
      Up(items_.size() - 1);
    } else if (Better(v, items_[0].value)) {
      items_[0] = {row, v};
      if (k_ > 1) Down(0);
    }
  }

  /// Best first.
  std::vector<std::size_t> Rows() {
    std::stable_sort(items_.begin(), items_.end(),
                     [this](const Item& a, const Item& b) { return Less(b.value, a.value); });
    std::vector<std::size_t> rows;
    for (const Item& item : items_) rows.push_back(item.row);
    return rows;
  }

 private:
  struct Item {
    std::size_t row;
    double value;
  };

  bool Less(double a, double b) const {
    if (std::isnan(a)) return !std::isnan(b);
    return largest_ ? a < b : a > b;
  }
  bool Better(double v, double root) const {
    if (std::isnan(root)) return !std::isnan(v);
    return largest_ ? root < v : root > v;
  }
  void Up(std::size_t j) {
    while (j > 0) {
      const std::size_t parent = (j - 1) / 2;
      if (!Less(items_[j].value, items_[parent].value)) break;
      std::swap(items_[j], items_[parent]);
      j = parent;
    }
  }
  void Down(std::size_t i) {
    while (true) {
      std::size_t j = 2 * i + 1;
      if (j >= items_.size()) break;
      if (j + 1 < items_.size() && Less(items_[j + 1].value, items_[j].value)) ++j;
      if (!Less(items_[j].value, items_[i].value)) break;
      std::swap(items_[i], items_[j]);
      i = j;
    }
  }

  std::size_t k_;
  bool largest_;
  std::vector<Item> items_;
};

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_TOP_HEAP_H_
