#pragma once

#include <deque>

#include "base/text.h"
#include "base/yaml_load.h"

namespace schedlens {

// YAML and JSON of megabytes in little memory: 16 bytes an entry and its text, where yaml-cpp's own
// nodes, and the tokens it keeps of whatever stands in braces, take hundreds.

class YamlTree;

/// An entry of a document: as cheap to copy as a pointer, valid as long as its tree. What is not
/// there is false and of no kind; asking it for anything finds nothing.
class YamlNode {
 public:
  class Iterator;

  YamlNode() = default;

  explicit operator bool() const { return tree_ != nullptr; }
  bool IsNull() const { return Is(YamlKind::kNull); }
  bool IsScalar() const { return Is(YamlKind::kScalar); }
  bool IsSequence() const { return Is(YamlKind::kSequence); }
  bool IsMap() const { return Is(YamlKind::kMap); }
  /// Of a scalar its text; else empty.
  std::string Scalar() const { return std::string(Text()); }
  /// Of a map the first value with this key.
  YamlNode operator[](std::string_view key) const;
  /// The first element, where there is any.
  YamlNode First() const;
  /// How many elements or pairs.
  std::size_t size() const;
  /// Byte in the text, after a byte order mark, and line from 1.
  std::size_t pos() const;
  int line() const;
  bool is(const YamlNode& other) const { return tree_ == other.tree_ && id_ == other.id_; }

  /// The elements of a list, as pairs of an empty node and the element, or the pairs of a map.
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class YamlTree;
  YamlNode(const YamlTree* tree, std::uint32_t id) : tree_(tree), id_(id) {}
  bool Is(YamlKind kind) const;
  std::string_view Text() const;

  const YamlTree* tree_ = nullptr;
  std::uint32_t id_ = 0;
};

class YamlNode::Iterator {
 public:
  std::pair<YamlNode, YamlNode> operator*() const;
  Iterator& operator++();
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  friend class YamlNode;
  const YamlTree* tree_ = nullptr;
  std::uint32_t at_ = 0;  ///< 0 at the end: the first entry of a tree is nobody's child
  bool pairs_ = false;
};

inline YamlNode YamlNode::First() const {
  return begin() == end() ? YamlNode() : (*begin()).second;
}

/// The documents of a text. Not to be moved: nodes point to it.
class YamlTree {
 public:
  /// Throws YAML::Exception as LoadAllYaml does, with its limits. JSON is read as JSON; other text
  /// in braces may not take much more memory than it is long.
  explicit YamlTree(const std::string& text);
  YamlTree(const YamlTree&) = delete;
  YamlTree& operator=(const YamlTree&) = delete;

  std::vector<YamlNode> documents() const;

 private:
  friend class YamlNode;
  friend class YamlTreeBuilder;
  friend class JsonTreeReader;

  /// The children of an entry follow it, each with all of its own.
  struct Entry {
    std::uint32_t pos = 0;
    std::uint32_t next = 0;   ///< the next child of the same parent; 0 for the last one
    std::uint32_t begin = 0;  ///< of a scalar in scalars_; of an alias what it stands for
    YamlKind kind : 3;
    std::uint32_t size : 29;  ///< of a scalar; of others whether there is any child
  };

  /// An entry whose children are being added; `last` is the newest, 0 without one.
  struct Parent {
    std::uint32_t id = 0, last = 0;
  };

  /// A child of the parent; without one a document. Throws YAML::Exception for a text that the
  /// numbers of an entry cannot hold.
  std::uint32_t Add(YamlKind kind, std::size_t pos, std::string_view scalar, Parent* parent);
  /// False, and nothing kept, where the text is anything but one JSON document.
  bool ReadJson(std::string_view text);
  /// The entry itself, or what it is an alias of.
  std::uint32_t Resolved(std::uint32_t id) const;

  std::deque<Entry> entries_ = std::deque<Entry>(1);  ///< the first one is of no document
  std::string scalars_;
  std::vector<std::uint32_t> documents_;
  std::vector<std::uint32_t> line_ends_;  ///< each behind what is in its line and before the next
};

/// Where the lines of a text end, by its bytes.
std::vector<std::uint32_t> LineEnds(std::string_view text);

// Where the text of a YAML scalar stands in its file, and how it is changed there: only the bytes
// that differ, in the scalar's own style (plain, quoted, literal or folded).

class ScalarPlace {
 public:
  /// The scalar at byte `begin` of `file` (its tag, anchor, quote or first letter), which YAML
  /// reads as `value`. Nothing where the bytes there are not that value, or of a file of 4 GiB.
  static std::optional<ScalarPlace> Find(std::string_view file, std::size_t begin,
                                         std::string_view value);

  /// The byte of the file at which this byte of the value stands, or the next one that is no blank;
  /// nothing behind the last of those.
  std::optional<std::size_t> ByteOf(std::size_t offset) const;
  /// The changes that make the value this one, blanks aside: line breaks, indentation and folding
  /// of what stays are kept.
  std::vector<TextEdit> EditsTo(std::string_view value) const;
  /// The same as one change: the whole scalar in double quotes on one line. For what its own style
  /// cannot hold.
  TextEdit Quoted(std::string_view value) const;

 private:
  /// A letter of the value: its byte there, and its bytes in the file. Small, there may be
  /// millions.
  struct Letter {
    std::uint32_t at = 0, begin = 0, end = 0;
  };
  std::string Encoded(std::string_view text) const;

  char style_ = 0;  ///< `"`, `'`, `|`, `>`, 0 for plain
  std::size_t begin_ = 0, end_ = 0;
  std::string value_;
  std::vector<Letter> letters_;  ///< one for each byte of the value that is no blank, ascending
};

}  // namespace schedlens
