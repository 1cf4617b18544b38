#pragma once

// JSON. One way in: nlohmann's documents, by ReadJson. One way out: JsonText, and WriteJson for a
// document that was read. Two readers are apart, for they read what nlohmann cannot hold: answers
// of hundreds of megabytes as they arrive (source/http/json_stream.h), and files whose places are
// edited (source/yaml_tree.h).

#include <concepts>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace schedlens {

/// No document that is read here nests deeper, and no stack overflows at this.
inline constexpr int kDeepestJson = 256;

/// The text, or none where its brackets nest deeper than kDeepestJson: what reads it then finds no
/// JSON. Brackets in strings do not count; whether it is JSON is not looked at.
std::string_view ShallowJson(std::string_view text);

/// Discarded (is_discarded()) for what is no JSON, and for what nests deeper than kDeepestJson.
nlohmann::json ReadJson(std::string_view text);

// Members of what may be no object at all.
/// Null without it.
const nlohmann::json& MemberAt(const nlohmann::json& object, const char* key);
/// Empty where it is no list.
const nlohmann::json& ListAt(const nlohmann::json& object, const char* key);
/// Empty where it is no text.
std::string TextAt(const nlohmann::json& object, const char* key);

/// On one line, members by name. Text becomes well-formed UTF-8.
std::string WriteJson(const nlohmann::json& document);

/// How a document is laid out. Every schema has one of these for good.
enum class JsonStyle {
  kReport,    ///< two spaces a level, lists of numbers on one line: the diagnosis
  kDocument,  ///< two spaces a level; a double always has a point or an exponent: 6000.0
  kCompact,   ///< one line without blanks
  kLine,      ///< the same with <, > and & escaped, as Go's encoding/json writes it
};

/// Writes structure and plain values. Members come in the order they are written in. Numbers are in
/// their shortest form that reads back to the same double; what is not finite becomes null; text
/// becomes well-formed UTF-8. report/json/json.h adds the types of the reports.
class JsonText {
 public:
  explicit JsonText(JsonStyle style) : style_(style) {}

  /// One object, without a line end: `members(json)` writes what is in it.
  template <class Writer = JsonText, class Members>
  static std::string Document(JsonStyle style, const Members& members) {
    Writer json(style);
    json.Inside(
        '{', [&] { members(json); }, '}');
    return std::move(json.out_);
  }

  /// A member of the object that is being written: text, flag or number.
  template <class T>
  void operator()(std::string_view key, const T& value) {
    Key(key);
    Put(value);
  }
  /// A member that is a number or another literal, already written as JSON.
  void Literal(std::string_view key, std::string_view literal) {
    Key(key);
    out_ += literal;
  }
  /// A member that is an object or an array; `content()` writes its members or elements.
  template <class Content>
  void Object(std::string_view key, const Content& content) {
    Key(key);
    Inside('{', content, '}');
  }
  template <class Content>
  void Array(std::string_view key, const Content& content) {
    Key(key);
    Inside('[', content, ']');
  }

  /// An element of the array that is being written.
  template <class T>
  void Element(const T& value) {
    NewLine();
    Put(value);
  }
  template <class Content>
  void ObjectElement(const Content& content) {
    NewLine();
    Inside('{', content, '}');
  }
  template <class Content>
  void ArrayElement(const Content& content) {
    NewLine();
    Inside('[', content, ']');
  }
  void LiteralElement(std::string_view literal) {
    NewLine();
    out_ += literal;
  }
  /// An object that stays on one line: a row of a table.
  template <class Content>
  void RowElement(const Content& content) {
    NewLine();
    OnOneLine([&] { Inside('{', content, '}'); });
  }

 protected:
  JsonStyle style() const { return style_; }

  void Key(std::string_view key);
  void NewLine();
  void Put(std::string_view text);
  void Put(const std::string& text) { Put(std::string_view(text)); }
  void Put(const char* text) { Put(std::string_view(text)); }
  void Put(bool flag) { PutLiteral(flag ? "true" : "false"); }
  void Put(double number);
  void Put(std::integral auto number) { out_ += std::to_string(number); }
  void PutLiteral(std::string_view literal) { out_ += literal; }

  template <class Content>
  void Inside(char open, const Content& content, char close) {
    Open(open);
    content();
    Close(close);
  }
  template <class Content>
  void OnOneLine(const Content& content) {
    const bool before = std::exchange(flat_, true);
    content();
    flat_ = before;
  }

 private:
  bool OneLine() const { return style_ == JsonStyle::kCompact || style_ == JsonStyle::kLine; }
  void Open(char bracket);
  void Close(char bracket);
  void Break();
  void PutEscaped(unsigned char byte);

  JsonStyle style_;
  std::string out_;
  std::size_t depth_ = 0;
  bool flat_ = false;  ///< no line ends
  bool first_ = true;  ///< nothing is yet in the innermost bracket
};

}  // namespace schedlens
