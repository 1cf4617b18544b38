// JSON into a tree, one letter after the other: nothing is kept but the tree.

#include <algorithm>
#include <cctype>
#include <string>

#include "model/utf8.h"
#include "model/yaml_load.h"
#include "source/yaml_tree.h"

namespace schedlens {

/// Reads one document; as soon as a letter is not JSON's it stops.
class JsonTreeReader {
 public:
  JsonTreeReader(std::string_view text, YamlTree* tree) : text_(text), tree_(*tree) {}

  /// Whether all of the text is one list or map.
  bool Read() {
    SkipBlanks();
    if (!At('{') && !At('[')) return false;
    const std::uint32_t root = Value(0);
    SkipBlanks();
    if (root == 0 || at_ != text_.size()) return false;
    tree_.documents_.push_back(root);
    return true;
  }

 private:
  using Kind = YamlTree::Kind;

  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Take(char c) {
    SkipBlanks();
    if (!At(c)) return false;
    ++at_;
    return true;
  }
  void SkipBlanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  /// The entry, or 0 for what is no JSON.
  std::uint32_t Value(int depth) {
    SkipBlanks();
    if (At('{')) return Children(Kind::kMap, '}', depth);
    if (At('[')) return Children(Kind::kSequence, ']', depth);
    if (At('"')) return Text();
    return Word();
  }

  std::uint32_t Children(Kind kind, char close, int depth) {
    if (depth == kDeepestYaml) return 0;
    const std::uint32_t id = tree_.Add(kind, at_++, "");
    if (Take(close)) return id;
    tree_.entries_[id].size = 1;
    std::uint32_t last = 0;
    const auto add = [&](std::uint32_t child) {
      if (last != 0) tree_.entries_[last].next = child;
      return last = child;
    };
    do {
      SkipBlanks();
      if (kind == Kind::kMap && (!At('"') || add(Text()) == 0 || !Take(':'))) return 0;
      if (add(Value(depth + 1)) == 0) return 0;
    } while (Take(','));
    return Take(close) ? id : 0;
  }

  /// Numbers as they are written, `true`, `false` and `null`.
  std::uint32_t Word() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "null") return tree_.Add(Kind::kNull, begin, "");
    const bool number = word.find_first_not_of("0123456789+-.eE") == std::string_view::npos &&
                        !word.empty() && word != "-";
    if (!number && word != "true" && word != "false") return 0;
    return tree_.Add(Kind::kScalar, begin, word);
  }

  std::uint32_t Text() {
    const std::size_t begin = at_++;
    scalar_.clear();
    while (at_ < text_.size() && text_[at_] != '"') {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c < 0x20) return 0;
      if (c == '\\') {
        if (!Escape()) return 0;
      } else if (c < 0x80) {
        scalar_ += text_[at_++];
      } else {
        const Character letter = NextCharacter(text_.substr(at_));
        if (!letter.well_formed) return 0;
        scalar_ += text_.substr(at_, letter.bytes);
        at_ += letter.bytes;
      }
    }
    return Take('"') ? tree_.Add(Kind::kScalar, begin, scalar_) : 0;
  }

  bool Escape() {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (++at_ >= text_.size()) return false;
    const char letter = text_[at_++];
    if (letter != 'u') {
      const std::size_t which = kLetters.find(letter);
      if (which != std::string_view::npos) scalar_ += kMeant[which];
      return which != std::string_view::npos;
    }
    const std::string_view digits = text_.substr(at_, 4);
    unsigned code = 0;
    for (const char c : digits) {
      if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return false;
      code = 16 * code + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    at_ += digits.size();
    if (code >= 0xD800 && code < 0xE000) {
      scalar_ += "??????";  // half a letter: as many bytes as it is written in
    } else {
      AppendUtf8(scalar_, code);
    }
    return digits.size() == 4;
  }

  std::string_view text_;
  YamlTree& tree_;
  std::size_t at_ = 0;
  std::string scalar_;
};

bool YamlTree::ReadJson(std::string_view text) {
  if (!JsonTreeReader(text, this).Read()) {
    entries_ = std::deque<Entry>(1);
    scalars_.clear();
    return false;
  }
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    line_ends_.push_back(static_cast<std::uint32_t>(at));
  }
  return true;
}

}  // namespace schedlens
