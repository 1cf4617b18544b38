#ifndef SCHEDLENS_REPORT_JSON_WRITER_H_
#define SCHEDLENS_REPORT_JSON_WRITER_H_

// Writes the fields of json_fields.h as indented JSON. Numbers are in their shortest form that
// reads back to the same double; what is not finite becomes null; text becomes well-formed UTF-8.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/diagnosis.h"
#include "report/json/fields.h"

namespace schedlens {

class JsonWriter {
 public:
  static constexpr bool kReading = false;

  /// `schema` becomes the first field, of that name.
  static std::string Write(const Diagnosis& diagnosis, std::string_view schema);

  template <class T>
  void operator()(std::string_view key, const T& value) {
    Key(key);
    Put(value);
  }
  void Number(std::string_view key, const std::optional<double>& value, std::string_view unit,
              std::string_view basis);
  void Time(std::string_view key, TimeMs time);
  void Times(std::string_view key, const std::vector<TimeMs>& times);
  // A bound is a plain number here: +Inf is not finite and so becomes null by itself.
  void Bound(std::string_view key, double bound) { (*this)(key, bound); }
  void Bounds(std::string_view key, const std::vector<double>& bounds) { (*this)(key, bounds); }

 private:
  using LabelPairs = std::vector<std::pair<std::string, std::string>>;

  void Key(std::string_view key);
  void NewLine();
  void Put(const std::string& text);
  void Put(bool flag) { out_ += flag ? "true" : "false"; }
  void Put(double number);
  void Put(int number) { out_ += std::to_string(number); }
  void Put(std::size_t number) { out_ += std::to_string(number); }
  void Put(Verdict verdict) { Put(ToString(verdict)); }
  void Put(Confidence confidence) { Put(ToString(confidence)); }
  void Put(Decided decided) { Put(ToString(decided)); }
  void Put(Semantics::Dialect dialect);
  void Put(const LabelPairs& labels);
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

  void Open(char bracket);
  void Close(char bracket);

  std::string out_;
  std::size_t depth_ = 0;
  bool first_ = true;  ///< nothing is yet in the innermost bracket
};

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_WRITER_H_
