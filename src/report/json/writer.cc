#include "report/json/writer.h"

#include <charconv>
#include <cmath>

#include "messages/catalog.h"
#include "model/seconds.h"
#include "model/text.h"
#include "report/escape.h"

namespace schedlens {

namespace {

/// A double that cannot be taken for an integer: `6000.0`, `1e+15`, `0.25`, `1e-05`.
std::string WithPoint(double number) {
  const double size = std::fabs(number);
  if (size != 0 && (size < 1e-4 || size >= 1e15)) {
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
    return {buffer, end};
  }
  std::string text = FormatNumber(number);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace

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

void JsonWriter::Put(const Message& message) {
  Open('{');
  (*this)("id", message.id);
  Key("args");
  Open('{');
  for (const Argument& argument : message.args) (*this)(argument.name, argument.value);
  Close('}');
  (*this)("text", InEnglish(message));
  Close('}');
}

// One field, whose name is the type. A number that JSON lacks is its text.
void JsonWriter::Put(const Value& value) {
  Open('{');
  const std::string_view type = ValueTypeName(value.type);
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
  Close('}');
}

void JsonWriter::Key(std::string_view key) {
  NewLine();
  Put(key);
  out_ += style_ == JsonStyle::kLine ? ":" : ": ";
}

void JsonWriter::NewLine() {
  if (!first_) out_ += flat_ && style_ != JsonStyle::kLine ? ", " : ",";
  first_ = false;
  Break();
}

void JsonWriter::Break() {
  if (flat_ || style_ == JsonStyle::kLine) return;
  out_ += '\n';
  out_.append(2 * depth_, ' ');
}

void JsonWriter::Open(char bracket) {
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::Close(char bracket) {
  --depth_;
  if (!first_) Break();
  first_ = false;
  out_ += bracket;
}

void JsonWriter::Put(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  const bool report = style_ == JsonStyle::kReport;
  out_ += '"';
  for (const char c : CleanUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool markup = c == '<' || c == '>' || c == '&';
    if (c == '"' || c == '\\') {
      out_ += {'\\', c};
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (!report && (c == '\r' || c == '\t')) {
      out_ += c == '\r' ? "\\r" : "\\t";
    } else if (byte < 0x20 || (report && byte == 0x7F) || (markup && style_ == JsonStyle::kLine)) {
      out_ += "\\u00";
      out_ += {kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

void JsonWriter::Put(double number) {
  if (!std::isfinite(number)) {
    out_ += "null";
  } else {
    out_ += style_ == JsonStyle::kDocument ? WithPoint(number) : FormatNumber(number);
  }
}

void JsonWriter::Put(Semantics::Dialect dialect) {
  Put(std::string(dialect == Semantics::Dialect::kPrometheus ? "prometheus" : "victoriametrics"));
}

void JsonWriter::Put(const LabelPairs& labels) {
  Open('{');
  for (const auto& [name, value] : labels) (*this)(name, value);
  Close('}');
}

void JsonWriter::Put(const Labels& labels) {
  Open('{');
  for (const auto& [name, value] : labels) (*this)(name, value);
  Close('}');
}

// On one line: a timeline has thousands of numbers.
void JsonWriter::Put(const std::vector<double>& numbers) {
  const auto elements = [&] {
    for (const double number : numbers) Element(number);
  };
  if (style_ == JsonStyle::kReport) {
    OnOneLine([&] { Inside('[', elements, ']'); });
  } else {
    Inside('[', elements, ']');
  }
}

}  // namespace schedlens
