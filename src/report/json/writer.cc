#include "report/json/writer.h"

#include <cmath>

#include "model/text.h"
#include "report/escape.h"

namespace schedlens {

namespace {

double UnixSeconds(TimeMs time) { return static_cast<double>(time) / 1000.0; }

}  // namespace

std::string JsonWriter::Write(const Diagnosis& diagnosis, std::string_view schema) {
  JsonWriter writer;
  writer.Open('{');
  writer("schema", std::string(schema));
  Fields(writer, diagnosis);
  writer.Close('}');
  return writer.out_ + "\n";
}

void JsonWriter::Number(std::string_view key, const std::optional<double>& value,
                        std::string_view unit, std::string_view basis) {
  if (!value || !std::isfinite(*value)) {
    (*this)(key, std::optional<Measured>());
    return;
  }
  const std::optional<double> bound = basis == "exact" ? value : std::nullopt;
  (*this)(key, Measured{value, bound, bound, std::string(unit), std::string(basis)});
}

void JsonWriter::Time(std::string_view key, TimeMs time) { (*this)(key, UnixSeconds(time)); }

void JsonWriter::Times(std::string_view key, const std::vector<TimeMs>& times) {
  std::vector<double> seconds;
  seconds.reserve(times.size());
  for (const TimeMs time : times) seconds.push_back(UnixSeconds(time));
  (*this)(key, seconds);
}

void JsonWriter::Key(std::string_view key) {
  NewLine();
  Put(std::string(key));
  out_ += ": ";
}

void JsonWriter::NewLine() {
  if (!first_) out_ += ',';
  first_ = false;
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
  if (!first_) {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  first_ = false;
  out_ += bracket;
}

void JsonWriter::Put(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out_ += '"';
  for (const char c : CleanUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_ += {'\\', c};
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out_ += "\\u00";
      out_ += {kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

void JsonWriter::Put(double number) {
  out_ += std::isfinite(number) ? FormatNumber(number) : "null";
}

void JsonWriter::Put(Semantics::Dialect dialect) {
  Put(std::string(dialect == Semantics::Dialect::kPrometheus ? "prometheus" : "victoriametrics"));
}

void JsonWriter::Put(const LabelPairs& labels) {
  Open('{');
  for (const auto& [name, value] : labels) (*this)(name, value);
  Close('}');
}

// On one line: a timeline has thousands of numbers.
void JsonWriter::Put(const std::vector<double>& numbers) {
  out_ += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out_ += ", ";
    Put(numbers[i]);
  }
  out_ += ']';
}

}  // namespace schedlens
