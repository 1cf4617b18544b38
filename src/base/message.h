#pragma once

// What the analysis says, as data: which sentence, and what varies in it. The sentences themselves
// are in `src/messages/LANGUAGE.txt`; who writes for a reader looks them up there.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/series.h"
#include "schedlens/error.h"

namespace schedlens {

/// What an enumeration's value is called in JSON; what is beyond the last one is called as it.
template <class Enum>
std::string WordOf(Enum value, std::initializer_list<const char*> words) {
  return words.begin()[std::min(static_cast<std::size_t>(value), words.size() - 1)];
}

struct Message;

/// A value that a message holds. Its type says how it is written and what a program may do with it.
struct Value {
  enum class Type {
    kText,      ///< a name, a label value, words of somebody else
    kMetric,    ///< a metric's name
    kPromql,    ///< an expression
    kCount,     ///< how many; not always whole, increases are measured
    kNumber,    ///< any other number
    kDuration,  ///< seconds
    kShare,     ///< a fraction of 1
    kTime,      ///< a moment
    kMessages,  ///< sentences or words that are translated themselves
  };

  // Defined where Message is whole: clang needs it to make the list of messages.
  Value();
  Value(std::string words);         // NOLINT: reads as the text
  Value(std::string_view words);    // NOLINT
  Value(const char* words);         // NOLINT
  Value(Message message);           // NOLINT
  Value(std::vector<Message> all);  // NOLINT
  Value(Type t, std::string words);
  Value(Type t, double x);

  bool operator==(const Value& other) const;

  Type type = Type::kText;
  std::string text;  ///< of kText, kMetric, kPromql
  double number = 0;
  TimeMs time = 0;
  std::vector<Message> messages;
};

struct Argument {
  std::string name;
  Value value;
  bool operator==(const Argument&) const = default;
};

/// One sentence, or a phrase within another one. Empty when there is nothing to say.
struct Message {
  Message() = default;
  explicit Message(std::string message_id, std::vector<Argument> arguments = {})
      : id(std::move(message_id)), args(std::move(arguments)) {}

  bool empty() const { return id.empty(); }
  bool operator==(const Message& other) const { return id == other.id && args == other.args; }

  std::string id;
  std::vector<Argument> args;
};

inline Value::Value() = default;
inline Value::Value(std::string words) : text(std::move(words)) {}
inline Value::Value(std::string_view words) : text(words) {}
inline Value::Value(const char* words) : text(words) {}
inline Value::Value(Type t, std::string words) : type(t), text(std::move(words)) {}
inline Value::Value(Type t, double x) : type(t), number(x) {}
inline Value::Value(Message message) : type(Type::kMessages) {
  messages.push_back(std::move(message));
}
inline Value::Value(std::vector<Message> all) : type(Type::kMessages), messages(std::move(all)) {}
inline bool Value::operator==(const Value& other) const {
  return std::tie(type, text, number, time, messages) ==
         std::tie(other.type, other.text, other.number, other.time, other.messages);
}

/// Words that are not ours and so stay as they are: a server's annotation, a metric's name.
inline Message Verbatim(std::string words) {
  return Message("verbatim", {{"text", Value(std::move(words))}});
}

/// The typed values of a message's arguments.
namespace arg {

inline Value Metric(std::string_view name) { return {Value::Type::kMetric, std::string(name)}; }
inline Value Promql(std::string_view text) { return {Value::Type::kPromql, std::string(text)}; }
inline Value Count(double n) { return {Value::Type::kCount, n}; }
inline Value Count(std::size_t n) { return Count(static_cast<double>(n)); }
inline Value Count(int n) { return Count(static_cast<double>(n)); }
inline Value Number(double x) { return {Value::Type::kNumber, x}; }
inline Value Duration(double seconds) { return {Value::Type::kDuration, seconds}; }
inline Value Share(double fraction) { return {Value::Type::kShare, fraction}; }
inline Value Time(TimeMs t) {
  Value value;
  value.type = Value::Type::kTime;
  value.time = t;
  return value;
}

}  // namespace arg

/// An error whose reason is a message of the analysis. `cli` writes it after the text: `TEXT:
/// REASON`.
class ReasonedError : public Error {
 public:
  ReasonedError(ErrorKind kind, const std::string& text, Message reason)
      : Error(kind, text), reason_(std::move(reason)) {}
  const Message& reason() const { return reason_; }

 private:
  Message reason_;
};

}  // namespace schedlens
