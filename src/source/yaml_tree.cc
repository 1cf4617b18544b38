#include "source/yaml_tree.h"

#include <re2/re2.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

#include "base/file.h"
#include "source/http/json_stream.h"

namespace schedlens {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::uint32_t Narrow(std::size_t bytes) { return static_cast<std::uint32_t>(bytes); }

/// Past `!tag` and `&anchor`.
std::size_t PastProperties(std::string_view file, std::size_t at) {
  while (at < file.size() && (file[at] == '!' || file[at] == '&')) {
    while (at < file.size() && !IsBlank(file[at])) ++at;
    while (at < file.size() && IsBlank(file[at])) ++at;
  }
  return at;
}

using Pieces = std::vector<std::string_view>;

/// Words and single marks, without the blanks between them.
Pieces PiecesOf(std::string_view text) {
  static const RE2 kPiece("([\\w:.]+|[^ \\t\\r\\n])", RE2::Latin1);
  Pieces pieces;
  re2::StringPiece rest(text);
  for (re2::StringPiece piece; RE2::FindAndConsume(&rest, kPiece, &piece);) {
    pieces.emplace_back(piece.data(), piece.size());
  }
  return pieces;
}

const char* EndOf(std::string_view piece) { return piece.data() + piece.size(); }

/// The blanks before a piece that is not the first.
std::string_view Between(const Pieces& pieces, std::size_t i) {
  const char* end = EndOf(pieces[i - 1]);
  return {end, static_cast<std::size_t>(pieces[i].data() - end)};
}

/// What an escape of a double-quoted scalar stands for, and its length. Nothing for a broken one.
struct Escape {
  std::string text;
  std::size_t length = 2;
};

std::optional<Escape> ReadEscape(std::string_view rest) {
  if (rest.size() < 2) return std::nullopt;
  const char c = rest[1];
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits > 0) {
    const auto code = WholeNumber<unsigned>(rest.substr(2, digits), 16);
    if (rest.size() < 2 + digits || !code) return std::nullopt;
    Escape escape{"", 2 + digits};
    AppendUtf8(escape.text, *code);
    return escape;
  }
  // A line break that is escaped is none; every other letter that a rule can hold is itself.
  if (IsBlank(c) || c == 'n' || c == 't' || c == 'r') return Escape{" ", 2};
  return Escape{std::string(1, c), 2};
}

}  // namespace

bool YamlNode::Is(YamlKind kind) const { return tree_ && tree_->entries_[id_].kind == kind; }

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

/// Puts YAML's events into a tree.
class YamlTreeBuilder : public YamlEvents {
 public:
  explicit YamlTreeBuilder(YamlTree* tree) : tree_(*tree) {}

  void Entry(YamlKind kind, std::size_t pos, std::size_t line, std::string_view scalar,
             std::size_t anchor) override {
    // The text may be UTF-16: only the marks tell its lines.
    while (tree_.line_ends_.size() < line) tree_.line_ends_.push_back(Narrow(pos - 1));
    const std::uint32_t id = tree_.Add(kind, pos, scalar, open_.empty() ? nullptr : &open_.back());
    if (kind == YamlKind::kAlias) {
      tree_.entries_[id].begin = anchors_.at(anchor);
    } else if (anchor != 0) {
      anchors_[anchor] = id;
    }
    if (kind == YamlKind::kSequence || kind == YamlKind::kMap) open_.push_back({id, 0});
  }
  void Close() override { open_.pop_back(); }

 private:
  YamlTree& tree_;
  std::vector<YamlTree::Parent> open_;
  std::map<std::size_t, std::uint32_t> anchors_;
};

YamlTree::YamlTree(const std::string& text) {
  if (ReadJson(text.starts_with(kByteOrderMark) ? std::string_view(text).substr(3) : text)) return;
  YamlTreeBuilder builder(this);
  ReadYaml(text, builder);
}

std::vector<YamlNode> YamlTree::documents() const {
  std::vector<YamlNode> all;
  for (const std::uint32_t id : documents_) all.push_back({this, id});
  return all;
}

std::uint32_t YamlTree::Add(YamlKind kind, std::size_t pos, std::string_view scalar,
                            Parent* parent) {
  constexpr std::size_t kMost = std::size_t{1} << 29;
  if (entries_.size() >= kMost || scalar.size() >= kMost || pos >= UINT32_MAX ||
      scalars_.size() + scalar.size() >= UINT32_MAX) {
    throw YAML::Exception(YAML::Mark::null_mark(), "it is too long");
  }
  Entry entry{Narrow(pos), 0, Narrow(scalars_.size()), kind, Narrow(scalar.size())};
  scalars_.append(scalar);
  entries_.push_back(entry);
  const std::uint32_t id = Narrow(entries_.size() - 1);
  if (parent == nullptr) {
    documents_.push_back(id);
    return id;
  }
  if (parent->last != 0) entries_[parent->last].next = id;
  entries_[parent->id].size = 1;
  return parent->last = id;
}

std::uint32_t YamlTree::Resolved(std::uint32_t id) const {
  while (entries_[id].kind == YamlKind::kAlias) id = entries_[id].begin;
  return id;
}

/// Puts JSON's events into a tree. Half a letter stays as many bytes as it is written in.
class JsonTreeReader : public JsonEvents {
 public:
  explicit JsonTreeReader(YamlTree* tree) : tree_(*tree) {}
  void Read(std::string_view text) {
    stream_.Feed(text);
    stream_.Finish();
  }

  void Open(bool object) override {
    open_.push_back({Put(object ? YamlKind::kMap : YamlKind::kSequence, ""), 0});
  }
  void Close() override { open_.pop_back(); }
  void Key(std::string_view name) override { Put(YamlKind::kScalar, name); }
  void String(std::string_view value) override { Put(YamlKind::kScalar, value); }
  void Number(std::string_view text) override { Put(YamlKind::kScalar, text); }
  void Word(std::string_view word) override {
    word == "null" ? Put(YamlKind::kNull, "") : Put(YamlKind::kScalar, word);
  }

 private:
  std::uint32_t Put(YamlKind kind, std::string_view scalar) {
    return tree_.Add(kind, stream_.position(), scalar, open_.empty() ? nullptr : &open_.back());
  }

  YamlTree& tree_;
  std::vector<YamlTree::Parent> open_;
  JsonStream stream_{*this, true};
};

bool YamlTree::ReadJson(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string_view rest = text.substr(first);
  if (!(rest.starts_with('{') || rest.starts_with('[')) || !IsText(text)) return false;
  try {
    JsonTreeReader(this).Read(text);
  } catch (const Error&) {
    entries_ = std::deque<Entry>(1);
    scalars_.clear();
    documents_.clear();
    return false;
  }
  line_ends_ = LineEnds(text);
  return true;
}

std::vector<std::uint32_t> LineEnds(std::string_view text) {
  std::vector<std::uint32_t> ends;
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    ends.push_back(Narrow(at));
  }
  return ends;
}

std::optional<ScalarPlace> ScalarPlace::Find(std::string_view file, std::size_t begin,
                                             std::string_view value) {
  if (std::max(file.size(), value.size()) > UINT32_MAX) return std::nullopt;
  ScalarPlace place;
  place.value_ = value;
  std::size_t at = PastProperties(file, begin);
  if (at >= file.size()) return std::nullopt;
  place.begin_ = at;
  const char mark = file[at];
  const bool quoted = mark == '"' || mark == '\'';
  if (quoted || mark == '|' || mark == '>') place.style_ = mark;
  if (quoted) ++at;
  if (mark == '|' || mark == '>') at = std::min(file.find('\n', at), file.size());
  // Folding, chomping and indentation change blanks alone: letter by letter it is the same text.
  std::size_t i = 0;
  const auto skip_blanks = [&] {
    while (i < value.size() && IsBlank(value[i])) ++i;
  };
  for (skip_blanks(); i < value.size();) {
    if (at >= file.size()) return std::nullopt;
    Escape one{std::string(1, file[at]), 1};
    if (mark == '\'' && file[at] == '\'') one.length = 2;
    if (mark == '"' && file[at] == '\\') {
      const auto escape = ReadEscape(file.substr(at));
      if (!escape) return std::nullopt;
      one = *escape;
    }
    for (const char c : one.text) {
      if (IsBlank(c)) continue;
      if (i >= value.size() || c != value[i]) return std::nullopt;
      place.letters_.push_back({Narrow(i), Narrow(at), Narrow(at + one.length)});
      ++i;
    }
    at += one.length;
    skip_blanks();
  }
  if (quoted) {
    while (at < file.size() && file[at] != mark) at += file[at] == '\\' && mark == '"' ? 2 : 1;
    ++at;
  }
  place.end_ = std::min(at, file.size());
  if (place.letters_.empty()) return std::nullopt;
  return place;
}

std::optional<std::size_t> ScalarPlace::ByteOf(std::size_t offset) const {
  const auto letter = std::ranges::lower_bound(letters_, offset, {}, &Letter::at);
  if (letter == letters_.end()) return std::nullopt;
  return letter->begin;
}

std::string ScalarPlace::Encoded(std::string_view text) const {
  std::string out;
  for (const char c : text) {
    if (style_ == '\'' && c == '\'') out += '\'';
    if (style_ == '"' && (c == '"' || c == '\\')) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::vector<TextEdit> ScalarPlace::EditsTo(std::string_view value) const {
  const Pieces olds = PiecesOf(value_);
  const Pieces news = PiecesOf(value);
  // Letters before the end of each piece.
  std::vector<std::size_t> letters;
  for (const std::string_view piece : olds) {
    letters.push_back(piece.size() + (letters.empty() ? 0 : letters.back()));
  }
  const auto begin_of = [&](std::size_t piece) -> std::size_t {
    return letters_[letters[piece] - olds[piece].size()].begin;
  };
  const auto end_of = [&](std::size_t piece) -> std::size_t {
    return letters_[letters[piece] - 1].end;
  };
  std::vector<TextEdit> edits;
  for (const Hunk& hunk : Differences(olds, news)) {
    const bool removes = hunk.a_begin < hunk.a_end;
    const bool adds = hunk.b_begin < hunk.b_end;
    const bool inside = hunk.a_begin > 0 && hunk.b_begin > 0 && hunk.a_end < olds.size() &&
                        hunk.b_end < news.size();
    // What only comes or goes does so with the blanks before it, at the very start with those
    // after; but so that the blanks that stay are those of the new value.
    bool blanks_before = removes != adds && hunk.a_begin > 0 && hunk.b_begin > 0;
    const bool keeps_first =
        inside && removes != adds && Between(olds, hunk.a_begin) == Between(news, hunk.b_begin);
    if (keeps_first) blanks_before = false;
    const bool blanks_after =
        removes != adds && !blanks_before && (keeps_first || hunk.b_end < news.size());
    TextEdit edit;
    edit.begin = blanks_before ? end_of(hunk.a_begin - 1) : begin_of(hunk.a_begin);
    edit.end = !removes ? edit.begin : blanks_after ? begin_of(hunk.a_end) : end_of(hunk.a_end - 1);
    if (adds) {
      // Between two that had no blank between them it brings those on both sides.
      const bool both = inside && !removes && Between(olds, hunk.a_begin).empty();
      const char* from = blanks_before ? EndOf(news[hunk.b_begin - 1]) : news[hunk.b_begin].data();
      const char* to = blanks_after || both ? news[hunk.b_end].data() : EndOf(news[hunk.b_end - 1]);
      edit.text = Encoded({from, static_cast<std::size_t>(to - from)});
    }
    edits.push_back(edit);
  }
  return edits;
}

TextEdit ScalarPlace::Quoted(std::string_view value) const {
  while (!value.empty() && IsBlank(value.back())) value.remove_suffix(1);
  // A comment in the expression ends at a line's end: those stay.
  return {begin_, end_, '"' + Escaped(value, "\"\\\n") + '"'};
}

}  // namespace schedlens
