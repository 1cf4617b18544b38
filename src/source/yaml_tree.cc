#include "source/yaml_tree.h"

// JSON into a tree, one letter after the other: nothing is kept but the tree.

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml_load.h"

namespace schedlens {

bool YamlNode::IsNull() const {
  return tree_ && tree_->entries_[id_].kind == YamlTree::Kind::kNull;
}
bool YamlNode::IsScalar() const {
  return tree_ && tree_->entries_[id_].kind == YamlTree::Kind::kScalar;
}
bool YamlNode::IsSequence() const {
  return tree_ && tree_->entries_[id_].kind == YamlTree::Kind::kSequence;
}
bool YamlNode::IsMap() const { return tree_ && tree_->entries_[id_].kind == YamlTree::Kind::kMap; }

std::string_view YamlNode::Text() const {
  if (!IsScalar()) return "";
  const YamlTree::Entry& entry = tree_->entries_[id_];
  return std::string_view(tree_->scalars_).substr(entry.begin, entry.size);
}

YamlNode YamlNode::operator[](std::string_view key) const {
  if (!IsMap()) return {};
  for (const auto& [name, value] : *this) {
    if (name.IsScalar() && name.Text() == key) return value;
  }
  return {};
}

std::size_t YamlNode::size() const {
  std::size_t n = 0;
  for (auto it = begin(); it != end(); ++it) ++n;
  return n;
}

std::size_t YamlNode::pos() const { return tree_ ? tree_->entries_[id_].pos : 0; }

int YamlNode::line() const {
  if (tree_ == nullptr) return 1;
  const auto& ends = tree_->line_ends_;
  return 1 + static_cast<int>(std::ranges::lower_bound(ends, pos()) - ends.begin());
}

YamlNode::Iterator YamlNode::begin() const {
  Iterator it;
  if (!IsSequence() && !IsMap()) return it;
  it.tree_ = tree_;
  it.at_ = tree_->entries_[id_].size > 0 ? id_ + 1 : 0;
  it.pairs_ = IsMap();
  return it;
}

YamlNode::Iterator YamlNode::end() const { return {}; }

std::pair<YamlNode, YamlNode> YamlNode::Iterator::operator*() const {
  const auto node = [&](std::uint32_t id) { return YamlNode(tree_, tree_->Resolved(id)); };
  if (!pairs_) return {YamlNode(), node(at_)};
  return {node(at_), node(tree_->entries_[at_].next)};
}

YamlNode::Iterator& YamlNode::Iterator::operator++() {
  if (pairs_) at_ = tree_->entries_[at_].next;
  at_ = tree_->entries_[at_].next;
  return *this;
}

/// Puts yaml-cpp's events into a tree, within the limits of LoadAllYaml: aliases count as what they
/// stand for.
class YamlTreeBuilder : public YAML::EventHandler {
 public:
  YamlTreeBuilder(const std::string& text, YamlTree* tree)
      : tree_(*tree),
        entries_(text.size() + kMostFromAliases),
        bytes_(text.size() + kMostTextFromAliases) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // As yaml-cpp does for ever after `{a: b}, c`.
    if (last_ == mark.pos) throw YAML::ParserException(mark, "text after the end of a document");
    last_ = mark.pos;
    anchors_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Leaf(YamlTree::Kind::kNull, mark, "", anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    Leaf(YamlTree::Kind::kScalar, mark, value, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto at = anchors_.find(anchor);
    // What holds itself has no end.
    if (at == anchors_.end()) throw TooDeep(mark);
    const Size& size = at->second.size;
    if (open_.size() + static_cast<std::size_t>(size.depth) > kDeepestYaml) throw TooDeep(mark);
    Count(size, mark);
    tree_.entries_[Put(YamlTree::Kind::kAlias, mark, "")].begin = at->second.id;
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlTree::Kind::kSequence, mark, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlTree::Kind::kMap, mark, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  /// Of an entry with all in it, aliases followed.
  struct Size {
    std::size_t entries = 0, bytes = 0;
    int depth = 0;  ///< lists and maps in each other
  };
  struct Anchored {
    std::uint32_t id = 0;
    Size size;
  };
  struct OpenEntry {
    std::uint32_t id = 0, last = 0;  ///< last child so far, 0 without one
    YAML::anchor_t anchor = 0;
    Size size;
  };

  static YAML::Exception TooDeep(const YAML::Mark& mark) {
    return {mark, fmt::format("lists and maps nest deeper than {}", kDeepestYaml)};
  }

  void Count(const Size& size, const YAML::Mark& mark) {
    if (entries_ < size.entries || bytes_ < size.bytes) {
      throw YAML::Exception(mark,
                            fmt::format("its aliases stand for more than {} entries or {} bytes",
                                        kMostFromAliases, kMostTextFromAliases));
    }
    entries_ -= size.entries;
    bytes_ -= size.bytes;
    if (!open_.empty()) AddTo(size, &open_.back().size);
  }

  static void AddTo(const Size& size, Size* whole) {
    whole->entries += size.entries;
    whole->bytes += size.bytes;
    whole->depth = std::max(whole->depth, size.depth + 1);
  }

  std::uint32_t Put(YamlTree::Kind kind, const YAML::Mark& mark, std::string_view scalar) {
    const std::uint32_t id = tree_.Add(kind, static_cast<std::size_t>(mark.pos), scalar);
    // The text may be UTF-16: only the marks tell its lines.
    while (tree_.line_ends_.size() < static_cast<std::size_t>(mark.line)) {
      tree_.line_ends_.push_back(static_cast<std::uint32_t>(mark.pos - 1));
    }
    if (open_.empty()) {
      tree_.documents_.push_back(id);
      return id;
    }
    OpenEntry& parent = open_.back();
    if (parent.last != 0) tree_.entries_[parent.last].next = id;
    parent.last = id;
    tree_.entries_[parent.id].size = 1;
    return id;
  }

  void Leaf(YamlTree::Kind kind, const YAML::Mark& mark, std::string_view scalar,
            YAML::anchor_t anchor) {
    const Size size{1, scalar.size(), 0};
    Count(size, mark);
    const std::uint32_t id = Put(kind, mark, scalar);
    if (anchor != 0) anchors_[anchor] = {id, size};
  }

  void Open(YamlTree::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() == kDeepestYaml) throw TooDeep(mark);
    const std::uint32_t id = Put(kind, mark, "");
    open_.push_back({id, 0, anchor, {}});
    Count({1, 0, 0}, mark);
  }

  void Close() {
    const OpenEntry closed = open_.back();
    open_.pop_back();
    if (closed.anchor != 0) anchors_[closed.anchor] = {closed.id, closed.size};
    if (!open_.empty()) AddTo(closed.size, &open_.back().size);
  }

  YamlTree& tree_;
  std::size_t entries_, bytes_;  ///< left
  std::vector<OpenEntry> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::optional<int> last_;  ///< where the last document started
};

YamlTree::YamlTree(const std::string& text) {
  if (ReadJson(text.starts_with(kByteOrderMark) ? std::string_view(text).substr(3) : text)) return;
  YamlTreeBuilder builder(text, this);
  ReadYaml(text, builder);
}

std::vector<YamlNode> YamlTree::documents() const {
  std::vector<YamlNode> all;
  for (const std::uint32_t id : documents_) all.push_back({this, id});
  return all;
}

std::uint32_t YamlTree::Add(Kind kind, std::size_t pos, std::string_view scalar) {
  constexpr std::size_t kMost = std::size_t{1} << 29;
  if (entries_.size() >= kMost || scalar.size() >= kMost || pos >= UINT32_MAX ||
      scalars_.size() + scalar.size() >= UINT32_MAX) {
    throw YAML::Exception(YAML::Mark::null_mark(), "it is too long");
  }
  Entry entry{static_cast<std::uint32_t>(pos), 0, static_cast<std::uint32_t>(scalars_.size()), kind,
              static_cast<std::uint32_t>(scalar.size())};
  scalars_.append(scalar);
  entries_.push_back(entry);
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

std::uint32_t YamlTree::Resolved(std::uint32_t id) const {
  while (entries_[id].kind == Kind::kAlias) id = entries_[id].begin;
  return id;
}

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
