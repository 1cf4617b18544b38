// The grammar of `name{label="value",...}`.

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

#include "model/exposition_line.h"
#include "model/exposition_scan.h"
#include "model/utf8.h"

namespace schedlens {
namespace {

/// Reads the label set from left to right.
class KeyParser {
 public:
  KeyParser(const TextLine& line, std::size_t start, std::size_t end)
      : line_(line), text_(line.text.substr(0, end)), at_(start) {
    constexpr std::size_t kUsual = 16;
    pairs_.reserve(kUsual);
    starts_.reserve(kUsual);
  }

  /// The views are into the line and into this parser.
  std::vector<Labels::View> Parse(bool name_required) {
    const std::size_t start = at_;
    at_ = NameEnd(text_, at_, true);
    if (at_ > start) Add(start, kMetricName, text_.substr(start, at_ - start));
    Skip();
    if (At('{')) {
      ++at_;
      ParseLabels();
    } else if (pairs_.empty()) {
      FailAt(line_, at_, "a metric name");
    }
    if (at_ < text_.size()) FailAt(line_, at_, "a blank and a value");
    if (name_required && !HasMetricName()) FailAt(line_, start, "a metric name");
    CheckDistinct();
    return std::move(pairs_);
  }

 private:
  void Skip() { at_ = SkipBlanks(text_, at_); }
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool HasMetricName() const {
    return std::any_of(pairs_.begin(), pairs_.end(), [](const Labels::View& pair) {
      return pair.first == kMetricName && !pair.second.empty();
    });
  }

  void Add(std::size_t start, std::string_view name, std::string_view value) {
    pairs_.emplace_back(name, value);
    starts_.push_back(start);
  }

  /// By sorting: a line may hold a million labels. Most lines are sorted.
  void CheckDistinct() const {
    const auto not_ascending = [](const Labels::View& a, const Labels::View& b) {
      return a.first >= b.first;
    };
    if (std::adjacent_find(pairs_.begin(), pairs_.end(), not_ascending) == pairs_.end()) return;
    std::vector<std::size_t> order(pairs_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      const int by_name = pairs_[a].first.compare(pairs_[b].first);
      return by_name != 0 ? by_name < 0 : a < b;
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (pairs_[order[i]].first != pairs_[order[i - 1]].first) continue;
      FailAt(line_, starts_[order[i]], "a label that was not given before");
    }
  }

  void ParseLabels() {
    for (;;) {
      Skip();
      if (At('}')) break;
      ParseLabel();
      Skip();
      if (At('}')) break;
      if (!At(',')) FailAt(line_, at_, "`,` or `}` after a label");
      ++at_;
    }
    ++at_;
  }

  void ParseLabel() {
    const std::size_t start = at_;
    const bool quoted = At('"');
    std::string_view name;
    if (quoted) {
      name = ParseQuoted();
    } else {
      at_ = NameEnd(text_, at_, false);
      name = text_.substr(start, at_ - start);
    }
    if (name.empty()) FailAt(line_, start, "a label name or `}`");
    Skip();
    if (quoted && !At('=')) {  // {"metric.name", ...}
      Add(start, kMetricName, name);
      return;
    }
    if (!At('=')) FailAt(line_, at_, "`=` after a label name");
    ++at_;
    Skip();
    if (!At('"')) FailAt(line_, at_, "a label value in double quotes");
    Add(start, name, ParseQuoted());
  }

  std::string_view ParseQuoted() {
    const std::size_t start = at_++;
    std::size_t stop = at_;
    while (stop < text_.size() && text_[stop] != '"' && text_[stop] != '\\') ++stop;
    if (stop == text_.size()) FailAt(line_, start, kUnclosed);
    if (text_[stop] == '\\') return Unescape(start);
    const std::string_view value = text_.substr(at_, stop - at_);
    at_ = stop + 1;
    return value;
  }

  std::string_view Unescape(std::size_t start) {
    std::string& value = unescaped_.emplace_back();
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return value;
      }
      if (c != '\\' || at_ + 1 == text_.size()) {
        value.push_back(c);
        continue;
      }
      const char escaped = text_[++at_];
      if (escaped == 'n') {
        value.push_back('\n');
      } else {
        if (escaped != '\\' && escaped != '"') value.push_back('\\');
        value.push_back(escaped);
      }
    }
    FailAt(line_, start, kUnclosed);
  }

  static constexpr std::string_view kUnclosed = "a closing double quote for this one";

  const TextLine& line_;
  std::string_view text_;
  std::size_t at_;
  std::vector<Labels::View> pairs_;
  std::vector<std::size_t> starts_;    // where each pair begins in the line
  std::deque<std::string> unescaped_;  // texts that differ from those in the line
};

}  // namespace

std::size_t FindKeyEnd(std::string_view text, std::size_t position) {
  const std::size_t name_end = NameEnd(text, position, true);
  std::size_t i = SkipBlanks(text, name_end);
  if (i >= text.size() || text[i] != '{') return name_end > position ? name_end : text.size();
  for (++i; i < text.size(); ++i) {
    if (text[i] == '}') return i + 1;
    if (text[i] != '"') continue;
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\') ++i;
    }
  }
  return text.size();
}

Labels ParseKey(const TextLine& line, std::size_t start, std::size_t end) {
  KeyParser parser(line, start, end);
  Labels labels(parser.Parse(true));
  if (!IsText(line.text.substr(start, end - start))) FailAt(line, start, "");
  return labels;
}

void CheckLabelSet(const TextLine& line, std::size_t start, std::size_t end) {
  KeyParser(line, start, end).Parse(false);
}

}  // namespace schedlens
