#ifndef SCHEDLENS_REPORT_JSON_WRITER_H_
#define SCHEDLENS_REPORT_JSON_WRITER_H_

// The one writer of JSON. Members come in the order they are written in. Numbers are in their
// shortest form that reads back to the same double; what is not finite becomes null; text becomes
// well-formed UTF-8.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/diagnosis.h"
#include "contract/message.h"
#include "report/json/fields.h"

namespace schedlens {

/// How a document is laid out. Every schema has one of these for good.
enum class JsonStyle {
  kReport,    ///< two spaces a level, lists of numbers on one line: the diagnosis
  kDocument,  ///< two spaces a level; a double always has a point or an exponent: 6000.0
  kLine,      ///< one line without blanks, <, > and & escaped, as Go's encoding/json writes it
};
/// "text", "metric", "duration", ...: the field that holds an argument of a message.
std::string_view ValueTypeName(Value::Type type);

class JsonWriter {
 public:
  static constexpr bool kReading = false;

  explicit JsonWriter(JsonStyle style) : style_(style) {}

  /// One object, without a line end: `members(json)` writes what is in it.
  template <class Members>
  static std::string Document(JsonStyle style, const Members& members) {
    JsonWriter json(style);
    json.Open('{');
    members(json);
    json.Close('}');
    return json.out_;
  }

  /// A member of the object that is being written. A type of one's own needs a function
  /// `Fields(JsonWriter&, const T&)` in its namespace, which writes its members.
  template <class T>
  void operator()(std::string_view key, const T& value) {
    Key(key);
    Put(value);
  }
  void Null(std::string_view key) { (*this)(key, std::optional<double>()); }
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
  /// An element that is a number or another literal, already written as JSON.
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

  void Number(std::string_view key, const std::optional<double>& value, std::string_view unit,
              BasisKind basis);
  void Time(std::string_view key, TimeMs time);
  void Times(std::string_view key, const std::vector<TimeMs>& times);
  void Text(std::string_view key, std::string_view details_key, const Message& message);
  void Texts(std::string_view key, std::string_view details_key,
             const std::vector<Message>& messages);
  // A bound is a plain number here: +Inf is not finite and so becomes null by itself.
  void Bound(std::string_view key, double bound) { (*this)(key, bound); }
  void Bounds(std::string_view key, const std::vector<double>& bounds) { (*this)(key, bounds); }

 private:
  using LabelPairs = std::vector<std::pair<std::string, std::string>>;

  void Key(std::string_view key);
  void NewLine();
  void Put(std::string_view text);
  void Put(const std::string& text) { Put(std::string_view(text)); }
  void Put(const char* text) { Put(std::string_view(text)); }
  void Put(bool flag) { out_ += flag ? "true" : "false"; }
  void Put(double number);
  void Put(int number) { out_ += std::to_string(number); }
  void Put(std::size_t number) { out_ += std::to_string(number); }
  void Put(std::int64_t number) { out_ += std::to_string(number); }
  void Put(const Basis& basis) { Put(ToString(basis)); }
  void Put(Verdict verdict) { Put(ToString(verdict)); }
  void Put(Confidence confidence) { Put(ToString(confidence)); }
  void Put(Decided decided) { Put(ToString(decided)); }
  void Put(ReplayVerdict verdict) { Put(ToString(verdict)); }
  void Put(Semantics::Dialect dialect);
  void Put(const LabelPairs& labels);
  void Put(const Labels& labels);
  void Put(const Message& message);
  void Put(const Value& value);
  void Put(const std::vector<double>& numbers);

  template <class T>
  void Put(const std::optional<T>& value) {
    if (value) {
      Put(*value);
    } else {
      out_ += "null";
    }
  }

  template <class T>
  void Put(const std::vector<T>& values) {
    Open('[');
    for (const T& value : values) {
      NewLine();
      Put(value);
    }
    Close(']');
  }

  template <class T>
  requires std::is_class_v<T>
  void Put(const T& value) {
    Open('{');
    Fields(*this, value);
    Close('}');
  }

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
  void Open(char bracket);
  void Close(char bracket);
  void Break();

  JsonStyle style_;
  std::string out_;
  std::size_t depth_ = 0;
  bool flat_ = false;  ///< no line ends
  bool first_ = true;  ///< nothing is yet in the innermost bracket
};

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_WRITER_H_
