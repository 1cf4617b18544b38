// The grammar of a line of Prometheus text or OpenMetrics.

#include <array>
#include <numeric>

#include "base/exposition_reader.h"
#include "base/text.h"
#include "base/url.h"

namespace schedlens {
namespace {

constexpr std::array<double, 16> kPowersOfTen = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/// `digits[.digits]`, how most values and times are written.
struct PlainDecimal {
  std::uint64_t mantissa = 0;
  unsigned digits = 0, after_point = 0;
  bool point = false;

  /// At most 15 digits: mantissa and power of ten are exact doubles then, and one division of
  /// exact numbers is rounded correctly.
  bool IsExact() const { return digits > 0 && digits <= 15; }
  double Value() const {
    const auto whole = static_cast<double>(mantissa);
    return after_point == 0 ? whole : whole / kPowersOfTen[after_point];
  }
};

/// Reads digits and a point and returns where they end. Stops after 16 digits, which is more than
/// anyone uses.
const char* ScanPlainDecimal(const char* at, const char* end, PlainDecimal* out) {
  const char* point = nullptr;
  const char* const start = at;
  std::uint64_t mantissa = 0;
  for (; at < end && at - start <= 16; ++at) {
    const auto digit = static_cast<unsigned>(*at) - '0';
    if (digit <= 9) {
      mantissa = mantissa * 10 + digit;
    } else if (*at == '.' && point == nullptr) {
      point = at;
    } else {
      break;
    }
  }
  out->mantissa = mantissa;
  out->point = point != nullptr;
  out->digits = static_cast<unsigned>(at - start) - (out->point ? 1 : 0);
  out->after_point = out->point ? static_cast<unsigned>(at - point) - 1 : 0;
  return at;
}

/// Takes a timestamp; false, and nothing done, for one with more than 15 digits or more than three
/// behind the point.
bool SetPlainTime(const PlainDecimal& time, Rest* rest) {
  if (!time.IsExact() || time.after_point > 3) return false;
  constexpr std::int64_t kScale[] = {1000, 100, 10, 1};
  rest->has_time = true;
  rest->time_thousandths = static_cast<std::int64_t>(time.mantissa) * kScale[time.after_point];
  rest->time_is_decimal = time.point;
  return true;
}

/// What stands at a position, fit for a one-line message.
std::string Found(std::string_view text, std::size_t position) {
  constexpr std::size_t kShown = 24;
  if (position >= text.size()) return "the end of the line";
  if (MaskKnownSecrets(std::string(text)) != text) return std::string(kKnownSecretText);
  std::string shown;
  for (const char c : text.substr(position, kShown)) {
    if (c < ' ' || c == '\x7f') {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      shown.push_back(c);
    }
  }
  // A cut in the middle of a character would make the message itself bad text.
  while (!shown.empty() && !IsText(shown)) shown.pop_back();
  return fmt::format("`{}{}`", shown, text.size() - position > kShown ? "..." : "");
}

/// The usual rest of a line: one blank, a plain value, one blank, a plain time of at most three
/// digits after the point. False for everything else, which the whole grammar reads then.
bool ParsePlainRest(std::string_view text, std::size_t position, Rest* rest) {
  if (position >= text.size() || text[position] != ' ') return false;
  const char* const end = text.data() + text.size();
  PlainDecimal value;
  const char* at = ScanPlainDecimal(text.data() + position + 1, end, &value);
  if (!value.IsExact() || at == end || *at != ' ') return false;
  PlainDecimal time;
  if (ScanPlainDecimal(at + 1, end, &time) != end || !SetPlainTime(time, rest)) return false;
  rest->value = value.Value();
  return true;
}

double ParseValue(const TextLine& line, std::size_t start, std::size_t end) {
  const std::string_view token = line.text.substr(start, end - start);
  // Prometheus reads hexadecimal and underscores nowhere in expositions.
  if (token.find_first_of("pP_xX") == std::string_view::npos) {
    if (const auto number = ParseNumber(token)) return *number;
  }
  FailAt(line, start, "a number as value");
}

/// A decimal number times 1000, further digits cut; false if malformed or out of range.
bool ParseThousandths(std::string_view token, std::int64_t* thousandths, bool* decimal) {
  constexpr std::uint64_t kLimit = 9'000'000'000'000'000'000;
  std::size_t i = 0;
  const bool negative = !token.empty() && token[0] == '-';
  if (negative || (!token.empty() && token[0] == '+')) ++i;
  std::uint64_t mantissa = 0;
  int scale = 3;
  std::size_t digits = 0;
  bool point = false;
  for (; i < token.size() && (IsDigit(token[i]) || (token[i] == '.' && !point)); ++i) {
    if (token[i] == '.') {
      point = true;
      continue;
    }
    ++digits;
    if (mantissa > (kLimit - 9) / 10) {  // no room: digits before the point count, others are cut
      if (!point) return false;
      continue;
    }
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(token[i] - '0');
    if (point) --scale;
  }
  if (digits == 0) return false;
  *decimal = point;
  if (i < token.size()) {
    if (token[i] != 'e' && token[i] != 'E') return false;
    *decimal = true;
    const auto exponent = ParseNumber(token.substr(i + 1));
    const bool whole = exponent && std::trunc(*exponent) == *exponent;
    if (!whole || std::fabs(*exponent) > 400 || !IsDigit(token.back()) ||
        token.substr(i + 1).find_first_of(".eExX_") != std::string_view::npos) {
      return false;
    }
    scale += static_cast<int>(*exponent);
  }
  for (; scale < 0 && mantissa > 0; ++scale) mantissa /= 10;
  for (; scale > 0 && mantissa > 0; --scale) {
    if (mantissa > kLimit / 10) return false;
    mantissa *= 10;
  }
  *thousandths =
      negative ? -static_cast<std::int64_t>(mantissa) : static_cast<std::int64_t>(mantissa);
  return true;
}

class KeyParser {
 public:
  /// From `*at` on, which is moved behind it.
  KeyParser(const TextLine& line, std::size_t* at) : line_(line), text_(line.text), at_(*at) {
    constexpr std::size_t kUsual = 16;
    pairs_.reserve(kUsual);
    starts_.reserve(kUsual);
  }

  /// The views are into the line and into this parser.
  std::vector<Labels::View> Parse(bool name_required) {
    const std::size_t start = at_;
    at_ = NameEnd(text_, at_, true);
    if (at_ > start) Add(start, kMetricName, text_.substr(start, at_ - start));
    const std::size_t brace = SkipBlanks(text_, at_);
    if (brace < text_.size() && text_[brace] == '{') {
      at_ = brace + 1;
      ParseLabels();
    } else if (pairs_.empty()) {
      FailAt(line_, brace, "a metric name");
    }
    if (name_required && !HasMetricName()) FailAt(line_, start, "a metric name");
    CheckDistinct();
    return std::move(pairs_);
  }

 private:
  void Skip() { at_ = SkipBlanks(text_, at_); }
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool HasMetricName() const {
    return std::ranges::any_of(pairs_, [](const Labels::View& pair) {
      return pair.first == kMetricName && !pair.second.empty();
    });
  }

  void Add(std::size_t start, std::string_view name, std::string_view value) {
    pairs_.emplace_back(name, value);
    starts_.push_back(start);
  }

  /// By sorting: a line may hold a million labels. Most lines are sorted.
  void CheckDistinct() const {
    const auto not_ascending = [](const Labels::View& a, const Labels::View& b) {
      return a.first >= b.first;
    };
    if (std::ranges::adjacent_find(pairs_, not_ascending) == pairs_.end()) return;
    std::vector<std::size_t> order(pairs_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [this](std::size_t a, std::size_t b) {
      const int by_name = pairs_[a].first.compare(pairs_[b].first);
      return by_name != 0 ? by_name < 0 : a < b;
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (pairs_[order[i]].first != pairs_[order[i - 1]].first) continue;
      FailAt(line_, starts_[order[i]], "a label that was not given before");
    }
  }

  void ParseLabels() {
    for (;;) {
      Skip();
      if (At('}')) break;
      ParseLabel();
      Skip();
      if (At('}')) break;
      if (!At(',')) FailAt(line_, at_, "`,` or `}` after a label");
      ++at_;
    }
    ++at_;
  }

  void ParseLabel() {
    const std::size_t start = at_;
    const bool quoted = At('"');
    std::string_view name;
    if (quoted) {
      name = ParseQuoted();
    } else {
      at_ = NameEnd(text_, at_, false);
      name = text_.substr(start, at_ - start);
    }
    if (name.empty()) FailAt(line_, start, "a label name or `}`");
    Skip();
    if (quoted && !At('=')) {  // {"metric.name", ...}
      Add(start, kMetricName, name);
      return;
    }
    if (!At('=')) FailAt(line_, at_, "`=` after a label name");
    ++at_;
    Skip();
    if (!At('"')) FailAt(line_, at_, "a label value in double quotes");
    Add(start, name, ParseQuoted());
  }

  std::string_view ParseQuoted() {
    const std::size_t start = at_++;
    std::size_t stop = at_;
    while (stop < text_.size() && text_[stop] != '"' && text_[stop] != '\\') ++stop;
    if (stop == text_.size()) FailAt(line_, start, kUnclosed);
    if (text_[stop] == '\\') return Unescape(start);
    const std::string_view value = text_.substr(at_, stop - at_);
    at_ = stop + 1;
    return value;
  }

  std::string_view Unescape(std::size_t start) {
    std::string& value = unescaped_.emplace_back();
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return value;
      }
      if (c != '\\' || at_ + 1 == text_.size()) {
        value.push_back(c);
        continue;
      }
      const char escaped = text_[++at_];
      if (escaped == 'n') {
        value.push_back('\n');
      } else {
        if (escaped != '\\' && escaped != '"') value.push_back('\\');
        value.push_back(escaped);
      }
    }
    FailAt(line_, start, kUnclosed);
  }

  static constexpr std::string_view kUnclosed = "a closing double quote for this one";

  const TextLine& line_;
  std::string_view text_;
  std::size_t& at_;
  std::vector<Labels::View> pairs_;
  std::vector<std::size_t> starts_;    // where each pair begins in the line
  std::deque<std::string> unescaped_;  // texts that differ from those in the line
};

/// Value and, unless `end` comes first, a timestamp, from `start` on; where what follows begins.
std::size_t ParseValueAndTime(const TextLine& line, std::size_t start, char end,
                              std::string_view timestamp, Rest* rest) {
  std::size_t stop = TokenEnd(line.text, start);
  rest->value = ParseValue(line, start, stop);
  start = SkipBlanks(line.text, stop);
  if (start == line.text.size() || line.text[start] == end) return start;
  stop = TokenEnd(line.text, start);
  rest->has_time = true;
  if (!ParseThousandths(line.text.substr(start, stop - start), &rest->time_thousandths,
                        &rest->time_is_decimal)) {
    FailAt(line, start, timestamp);
  }
  return SkipBlanks(line.text, stop);
}

/// `# {labels} value [timestamp]`, checked and forgotten.
void CheckExemplar(const TextLine& line, std::size_t position) {
  std::size_t i = SkipBlanks(line.text, position + 1);
  if (i >= line.text.size() || line.text[i] != '{') FailAt(line, i, "an exemplar's `{`");
  KeyParser(line, &i).Parse(false);
  Rest forgotten;
  i = ParseValueAndTime(line, SkipBlanks(line.text, i), '\0', "an exemplar's timestamp",
                        &forgotten);
  if (i < line.text.size()) FailAt(line, i, "the end of the line");
}

constexpr std::array<std::string_view, 9> kTypes = {"counter",        "gauge",    "histogram",
                                                    "summary",        "unknown",  "info",
                                                    "gaugehistogram", "stateset", "untyped"};

/// What a file is that begins like none of the two formats; empty where it may be one of them.
std::string WhatItIsInstead(const TextLine& line) {
  const std::size_t first = SkipBlanks(line.text, 0);
  if (line.number != 1 || first >= line.text.size()) return "";
  const std::string_view text = line.text.substr(first);
  if (text.front() == '<') return ": this is a web page, not what /metrics answers";
  const bool json = text == "{" || text.front() == '[' ||
                    (text.starts_with("{\"") && text.find("\":") != std::string_view::npos);
  return json ? ": this is JSON; `schedlens report` reads a saved diagnosis" : "";
}

}  // namespace

void FailAt(const TextLine& line, std::size_t position, std::string_view expected) {
  if (!IsText(line.text)) {
    Raise(ErrorKind::kFailed,
          "reading {}: line {}: binary data, neither Prometheus text nor OpenMetrics", line.file,
          line.number);
  }
  Raise(ErrorKind::kFailed, "reading {}: line {}, column {}: expected {}, found {}{}", line.file,
        line.number, position + 1, expected, Found(line.text, position), WhatItIsInstead(line));
}

Rest ParseRest(const TextLine& line, std::size_t position) {
  const std::string_view text = line.text;
  Rest rest;
  if (ParsePlainRest(text, position, &rest)) return rest;
  std::size_t start = SkipBlanks(text, position);
  if (start == position && start < text.size()) FailAt(line, start, "a blank and a value");
  start = ParseValueAndTime(line, start, '#', "a timestamp", &rest);
  if (start == text.size()) return rest;
  if (text[start] != '#') FailAt(line, start, "the end of the line");
  rest.has_exemplar = true;
  CheckExemplar(line, start);
  return rest;
}

Metadata ParseHashLine(const TextLine& line, std::size_t position) {
  const std::string_view text = line.text;
  if (!IsText(text)) FailAt(line, position, "");
  if (text == "# EOF") return {HashLine::kEof, "", ""};
  const std::size_t body = SkipBlanks(text, position + 1);
  const std::size_t word_end = TokenEnd(text, body);
  const std::string_view word = text.substr(body, word_end - body);
  Metadata result;
  if (body > position + 1) {
    if (word == "TYPE") result.kind = HashLine::kType;
    if (word == "HELP") result.kind = HashLine::kHelp;
    if (word == "UNIT") result.kind = HashLine::kUnit;
  }
  if (result.kind == HashLine::kComment) {
    result.text = text.substr(std::min(text.size(), body));
    return result;
  }

  const std::size_t name = SkipBlanks(text, word_end);
  std::size_t name_end = TokenEnd(text, name);
  if (name < text.size() && text[name] == '"') {
    name_end = name + 1;  // blanks in quotes belong to the name
    while (name_end < text.size() && text[name_end] != '"')
      name_end += text[name_end] == '\\' ? 2 : 1;
    name_end = std::min(name_end + 1, text.size());
    const std::string braced = fmt::format("{{{}}}", text.substr(name, name_end - name));
    const TextLine inner{braced, line.number, line.file};
    std::size_t at = 0;
    result.family = ParseKey(inner, &at).Get(kMetricName);
  } else if (name == name_end || NameEnd(text, name, true) != name_end) {
    FailAt(line, name, "a metric name");
  } else {
    result.family = text.substr(name, name_end - name);
  }
  const std::size_t start = SkipBlanks(text, name_end);
  result.text = text.substr(start);
  if (result.kind != HashLine::kType) return result;
  while (!result.text.empty() && IsBlank(result.text.back())) result.text.pop_back();
  if (std::ranges::find(kTypes, result.text) == kTypes.end()) {
    FailAt(line, start, "a metric type (counter, gauge, histogram, summary, ...)");
  }
  if (result.text == "untyped") result.text = "unknown";
  return result;
}

Labels ParseKey(const TextLine& line, std::size_t* at) {
  const std::size_t start = *at;
  KeyParser parser(line, at);
  Labels labels(parser.Parse(true));
  if (!IsText(line.text.substr(start, *at - start))) FailAt(line, start, "");
  return labels;
}

}  // namespace schedlens
