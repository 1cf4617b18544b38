#ifndef SCHEDLENS_REPORT_JSON_WRITER_H_
#define SCHEDLENS_REPORT_JSON_WRITER_H_

// The writer of JSON (model/json_text.h) with the types of the reports.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/diagnosis.h"
#include "contract/message.h"
#include "model/json.h"
#include "report/json/fields.h"

namespace schedlens {

/// "text", "metric", "duration", ...: the field that holds an argument of a message.
std::string_view ValueTypeName(Value::Type type);

class JsonWriter : public JsonText {
 public:
  static constexpr bool kReading = false;

  using JsonText::JsonText;

  template <class Members>
  static std::string Document(JsonStyle style, const Members& members) {
    return JsonText::Document<JsonWriter>(style, members);
  }

  /// A member of the object that is being written. A type of one's own needs a function
  /// `Fields(JsonWriter&, const T&)` in its namespace, which writes its members.
  template <class T>
  void operator()(std::string_view key, const T& value) {
    Key(key);
    Put(value);
  }
  /// A member that documents of before it lack.
  template <class T>
  void Added(std::string_view key, const T& value) {
    (*this)(key, value);
  }
  /// A number that may be unknown.
  void OrNull(std::string_view key, double number) { (*this)(key, number); }
  void Null(std::string_view key) { Literal(key, "null"); }
  template <class T>
  void Element(const T& value) {
    NewLine();
    Put(value);
  }

  void Number(std::string_view key, const std::optional<double>& value, std::string_view unit,
              BasisKind basis);
  void Time(std::string_view key, TimeMs time);
  void Moment(std::string_view key, const std::optional<TimeMs>& time);
  void Times(std::string_view key, const std::vector<TimeMs>& times);
  void Text(std::string_view key, std::string_view details_key, const Message& message);
  void Texts(std::string_view key, std::string_view details_key,
             const std::vector<Message>& messages);
  void Steps(std::string_view key, std::string_view details_key,
             const std::vector<NextStep>& steps);
  // A bound is a plain number here: +Inf is not finite and so becomes null by itself.
  void Bound(std::string_view key, double bound) { (*this)(key, bound); }
  void Bounds(std::string_view key, const std::vector<double>& bounds) { (*this)(key, bounds); }

 private:
  using LabelPairs = std::vector<std::pair<std::string, std::string>>;

  using JsonText::Put;
  void Put(const Basis& basis) { Put(ToString(basis)); }
  void Put(Verdict verdict) { Put(ToString(verdict)); }
  void Put(Confidence confidence) { Put(ToString(confidence)); }
  void Put(Decided decided) { Put(ToString(decided)); }
  void Put(FiresState state) { Put(ToString(state)); }
  void Put(ReplayVerdict verdict) { Put(ToString(verdict)); }
  void Put(Semantics::Dialect dialect);
  void Put(const LabelPairs& labels);
  void Put(const Labels& labels);
  void Put(const Message& message);
  void Put(const NextStep& step);
  void Members(const Message& message);
  void Put(const Value& value);
  void Put(const std::vector<double>& numbers);

  template <class T>
  void Put(const std::optional<T>& value) {
    if (value) {
      Put(*value);
    } else {
      PutLiteral("null");
    }
  }

  template <class T>
  void Put(const std::vector<T>& values) {
    Inside(
        '[',
        [&] {
          for (const T& value : values) Element(value);
        },
        ']');
  }

  template <class T>
  requires std::is_class_v<T>
  void Put(const T& value) {
    Inside(
        '{', [&] { Fields(*this, value); }, '}');
  }
};

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_WRITER_H_
