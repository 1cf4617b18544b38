#include <algorithm>

#include "base/text.h"
#include "base/work_budget.h"

namespace schedlens {
namespace {

constexpr std::size_t kContext = 3;
/// Edits that are searched at once, in memory of their square; then the search goes on from the
/// furthest place that they lead to.
constexpr long kMostEdits = 1000;

using Pieces = std::vector<std::string_view>;

/// With their ends.
Pieces LinesOf(std::string_view text) {
  Pieces lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// The furthest reaching paths: row d holds x at diagonals -d, -d + 2, ..., d.
using Rows = std::vector<std::vector<long>>;

long At(const std::vector<long>& row, long d, long k) {
  return row[static_cast<std::size_t>((k + d) / 2)];
}

/// Those of a search, and the diagonal on which it ended.
struct Paths {
  Rows rows;
  long k = 0;
  std::size_t x() const {
    return static_cast<std::size_t>(At(rows.back(), static_cast<long>(rows.size()) - 1, k));
  }
  std::size_t y() const { return static_cast<std::size_t>(static_cast<long>(x()) - k); }
};

/// Whether the path of d edits to diagonal k comes from above (an insertion).
bool FromAbove(const std::vector<long>& row, long d, long k) {
  return k == -d || (k != d && At(row, d - 1, k - 1) < At(row, d - 1, k + 1));
}

/// To the ends of both, or as far as kMostEdits lead.
Paths Search(std::span<const std::string_view> a, std::span<const std::string_view> b) {
  const long n = static_cast<long>(a.size());
  const long m = static_cast<long>(b.size());
  Rows rows;
  for (long d = 0;; ++d) {
    CheckBudget();
    std::vector<long> row;
    long furthest = -1, at = 0;
    for (long k = -d; k <= d; k += 2) {
      long x = 0;
      if (d > 0) {
        const bool above = FromAbove(rows.back(), d, k);
        x = above ? At(rows.back(), d - 1, k + 1) : At(rows.back(), d - 1, k - 1) + 1;
      }
      while (x < n && x - k < m && x - k >= 0 &&
             a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) {
        ++x;
      }
      row.push_back(x);
      // Paths may run over an end by an edit that is none.
      if (x <= n && x - k <= m && 2 * x - k > furthest) {
        furthest = 2 * x - k;
        at = k;
      }
      if (x >= n && x - k >= m) break;
    }
    rows.push_back(std::move(row));
    if (furthest == n + m || d == kMostEdits) return {std::move(rows), at};
  }
}

/// Joined with the last one where they touch.
void Append(const Hunk& hunk, std::vector<Hunk>* hunks) {
  const bool touches =
      !hunks->empty() && hunks->back().a_end == hunk.a_begin && hunks->back().b_end == hunk.b_begin;
  if (!touches) return hunks->push_back(hunk);
  hunks->back().a_end = hunk.a_end;
  hunks->back().b_end = hunk.b_end;
}

/// Backwards through the rows: one hunk an edit.
std::vector<Hunk> Follow(const Paths& paths) {
  const Rows& rows = paths.rows;
  std::vector<Hunk> hunks;
  long k = paths.k;
  for (long d = static_cast<long>(rows.size()) - 1; d > 0; --d) {
    const auto& before = rows[static_cast<std::size_t>(d - 1)];
    const bool above = FromAbove(before, d, k);
    k = above ? k + 1 : k - 1;
    const auto x = static_cast<std::size_t>(At(before, d - 1, k));
    const auto y = static_cast<std::size_t>(static_cast<long>(x) - k);
    hunks.push_back({x, x + (above ? 0 : 1), y, y + (above ? 1 : 0)});
  }
  std::ranges::reverse(hunks);
  return hunks;
}

void AppendLines(std::string* out, char mark, const Pieces& lines, std::size_t begin,
                 std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    *out += mark;
    *out += lines[i];
    if (lines[i].back() != '\n') *out += "\n\\ No newline at end of file\n";
  }
}

/// `12,3`, as diff(1) writes it: an empty range stands after the line before it.
std::string Range(std::size_t begin, std::size_t end) {
  const std::size_t first = begin == end ? begin : begin + 1;
  return end - begin == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, end - begin);
}

}  // namespace

std::vector<Hunk> Differences(const Pieces& a, const Pieces& b) {
  // Equal ends need no search.
  const auto begin = std::ranges::mismatch(a, b).in1 - a.begin();
  const auto end = std::mismatch(a.rbegin(), a.rend() - begin, b.rbegin(), b.rend() - begin).first;
  const auto head = static_cast<std::size_t>(begin);
  const auto tail = static_cast<std::size_t>(end - a.rbegin());
  std::vector<Hunk> hunks;
  std::size_t i = head, j = head;
  do {
    const Paths paths = Search(std::span(a).subspan(i, a.size() - tail - i),
                               std::span(b).subspan(j, b.size() - tail - j));
    for (const Hunk& hunk : Follow(paths)) {
      Append({hunk.a_begin + i, hunk.a_end + i, hunk.b_begin + j, hunk.b_end + j}, &hunks);
    }
    i += paths.x();
    j += paths.y();
  } while (i + tail < a.size() || j + tail < b.size());
  return hunks;
}

std::string UnifiedDiff(const std::string& name, std::string_view before, std::string_view after) {
  const Pieces a = LinesOf(before);
  const Pieces b = LinesOf(after);
  const std::vector<Hunk> hunks = Differences(a, b);
  if (hunks.empty()) return "";
  std::string out = fmt::format("--- {}\n+++ {}\n", name, name);
  for (std::size_t first = 0; first < hunks.size();) {
    std::size_t last = first;
    while (last + 1 < hunks.size() && hunks[last + 1].a_begin - hunks[last].a_end <= 2 * kContext) {
      ++last;
    }
    const std::size_t lead = std::min(kContext, hunks[first].a_begin);
    const std::size_t trail = std::min(kContext, a.size() - hunks[last].a_end);
    out += fmt::format("@@ -{} +{} @@\n",
                       Range(hunks[first].a_begin - lead, hunks[last].a_end + trail),
                       Range(hunks[first].b_begin - lead, hunks[last].b_end + trail));
    std::size_t at = hunks[first].a_begin - lead;
    for (; first <= last; ++first) {
      AppendLines(&out, ' ', a, at, hunks[first].a_begin);
      AppendLines(&out, '-', a, hunks[first].a_begin, hunks[first].a_end);
      AppendLines(&out, '+', b, hunks[first].b_begin, hunks[first].b_end);
      at = hunks[first].a_end;
    }
    AppendLines(&out, ' ', a, at, at + trail);
  }
  return out;
}

std::string Apply(std::string_view text, std::vector<TextEdit> edits) {
  std::ranges::stable_sort(edits, {}, &TextEdit::begin);
  std::string out;
  std::size_t at = 0;
  for (const TextEdit& edit : edits) {
    out += text.substr(at, edit.begin - at);
    out += edit.text;
    at = edit.end;
  }
  return out + std::string(text.substr(at));
}

}  // namespace schedlens
