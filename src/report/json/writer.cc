#include "report/json/writer.h"

#include <cmath>

#include "messages/catalog.h"
#include "model/seconds.h"
#include "model/text.h"

namespace schedlens {

std::string_view ValueTypeName(Value::Type type) {
  switch (type) {
    case Value::Type::kText:
      return "text";
    case Value::Type::kMetric:
      return "metric";
    case Value::Type::kPromql:
      return "promql";
    case Value::Type::kCount:
      return "count";
    case Value::Type::kNumber:
      return "number";
    case Value::Type::kDuration:
      return "duration";
    case Value::Type::kShare:
      return "share";
    case Value::Type::kTime:
      return "time";
    case Value::Type::kMessages:
      return "messages";
  }
  return "";
}

void JsonWriter::Number(std::string_view key, const std::optional<double>& value,
                        std::string_view unit, BasisKind basis) {
  if (!value || !std::isfinite(*value)) {
    (*this)(key, std::optional<Measured>());
    return;
  }
  const std::optional<double> bound = basis == BasisKind::kExact ? value : std::nullopt;
  (*this)(key, Measured{value, bound, bound, std::string(unit), basis});
}

void JsonWriter::Time(std::string_view key, TimeMs time) { (*this)(key, MsToSeconds(time)); }

void JsonWriter::Moment(std::string_view key, const std::optional<TimeMs>& time) {
  if (time) {
    Time(key, *time);
  } else {
    Null(key);
  }
}

void JsonWriter::Times(std::string_view key, const std::vector<TimeMs>& times) {
  std::vector<double> seconds;
  seconds.reserve(times.size());
  for (const TimeMs time : times) seconds.push_back(MsToSeconds(time));
  (*this)(key, seconds);
}

void JsonWriter::Text(std::string_view key, std::string_view details_key, const Message& message) {
  (*this)(key, InEnglish(message));
  (*this)(details_key, message.empty() ? std::nullopt : std::optional(message));
}

void JsonWriter::Texts(std::string_view key, std::string_view details_key,
                       const std::vector<Message>& messages) {
  (*this)(key, InEnglish(messages));
  (*this)(details_key, messages);
}

void JsonWriter::Steps(std::string_view key, std::string_view details_key,
                       const std::vector<NextStep>& steps) {
  std::vector<Message> texts;
  for (const NextStep& step : steps) texts.push_back(step.text);
  (*this)(key, InEnglish(texts));
  (*this)(details_key, steps);
}

void JsonWriter::Members(const Message& message) {
  const auto args = [&] {
    for (const Argument& argument : message.args) (*this)(argument.name, argument.value);
  };
  (*this)("id", message.id);
  Object("args", args);
  (*this)("text", InEnglish(message));
}

void JsonWriter::Put(const Message& message) {
  Inside(
      '{', [&] { Members(message); }, '}');
}

void JsonWriter::Put(const NextStep& step) {
  const auto members = [&] {
    Members(step.text);
    (*this)("query", step.query);
    (*this)("answered", step.answered);
    (*this)("command", step.command);
  };
  Inside('{', members, '}');
}

// One field, whose name is the type. A number that JSON lacks is its text.
void JsonWriter::Put(const Value& value) {
  const std::string_view type = ValueTypeName(value.type);
  const auto field = [&] {
    switch (value.type) {
      case Value::Type::kText:
      case Value::Type::kMetric:
      case Value::Type::kPromql:
        (*this)(type, value.text);
        break;
      case Value::Type::kTime:
        Time(type, value.time);
        break;
      case Value::Type::kMessages:
        (*this)(type, value.messages);
        break;
      default:
        if (std::isfinite(value.number)) {
          (*this)(type, value.number);
        } else {
          (*this)(type, FormatNumber(value.number));
        }
    }
  };
  Inside('{', field, '}');
}

void JsonWriter::Put(Semantics::Dialect dialect) {
  Put(std::string(dialect == Semantics::Dialect::kPrometheus ? "prometheus" : "victoriametrics"));
}

void JsonWriter::Put(const LabelPairs& labels) {
  const auto members = [&] {
    for (const auto& [name, value] : labels) (*this)(name, value);
  };
  Inside('{', members, '}');
}

void JsonWriter::Put(const Labels& labels) {
  const auto members = [&] {
    for (const auto& [name, value] : labels) (*this)(name, value);
  };
  Inside('{', members, '}');
}

// On one line: a timeline has thousands of numbers.
void JsonWriter::Put(const std::vector<double>& numbers) {
  const auto elements = [&] {
    for (const double number : numbers) Element(number);
  };
  if (style() == JsonStyle::kReport) {
    OnOneLine([&] { Inside('[', elements, ']'); });
  } else {
    Inside('[', elements, ']');
  }
}

}  // namespace schedlens
