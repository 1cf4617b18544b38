#include "source/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>

#include "model/yaml_load.h"

namespace schedlens {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

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
  return 1 + static_cast<int>(std::lower_bound(ends.begin(), ends.end(), pos()) - ends.begin());
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

}  // namespace schedlens
