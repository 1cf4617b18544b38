// promtool's dump of a TSDB. Its label values are quoted as Go quotes strings, which the PromQL
// lexer reads.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "base/exposition.h"
#include "base/text.h"
#include "promql/lexer.h"
#include "schedlens/error.h"
#include "source/capture/capture_file.h"

namespace schedlens {
namespace {

using promql::Token;
using promql::TokenKind;

/// Longer lines are no dump; the limit keeps binary junk from filling the memory.
constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// Where the label set that `line` begins with ends: behind its brace, npos without one.
std::size_t LabelsEnd(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && line[i] == '}') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

class TsdbDumpReader : public CaptureReader {
 public:
  explicit TsdbDumpReader(std::string name) : name_(std::move(name)) {}

  void Feed(std::string_view piece) override {
    for (std::size_t end; (end = piece.find('\n')) != std::string_view::npos;) {
      if (rest_.empty()) {
        AddLine(piece.substr(0, end));
      } else {
        rest_.append(piece.substr(0, end));
        AddLine(rest_);
        rest_.clear();
      }
      piece.remove_prefix(end + 1);
    }
    rest_.append(piece);
    if (rest_.size() > kLongestLine) {
      ++number_;
      Fail(fmt::format("a line longer than {} MiB", kLongestLine >> 20));
    }
  }

  Exposition Finish() override {
    if (!rest_.empty()) {
      ++number_;
      Fail("expected a line end (is the file cut off?)");
    }
    Exposition out;
    out.series = collector_.Take();
    return out;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorKind::kFailed,
                fmt::format("reading {}: line {} of a TSDB dump: {}", name_, number_, what));
  }

  void AddLine(std::string_view line) {
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return;
    const std::size_t end = LabelsEnd(line);
    if (line.front() != '{' || end == std::string_view::npos) {
      Fail("expected a label set {...}, a value and a time");
    }
    // Lines of one series follow each other.
    if (line.substr(0, end) != key_) {
      labels_ = ReadLabels(line.substr(0, end));
      key_ = line.substr(0, end);
    }
    const std::string_view rest = line.substr(end);
    const std::size_t space = rest.rfind(' ');
    if (!rest.starts_with(' ') || space == 0) {
      Fail("expected a value and a time after the label set");
    }
    const TimeMs time = ReadMillis(rest.substr(space + 1));
    AddValue(rest.substr(1, space - 1), time);
  }

  void AddValue(std::string_view value, TimeMs time) {
    Series& series = collector_.Of(labels_);
    if (const auto number = ParseNumber(value)) {
      series.samples.push_back({time, std::isnan(*number) ? StaleMarker() : *number});
    } else if (auto native = ParseNativeText(value)) {
      series.histograms.push_back({time, *std::move(native)});
    } else {
      Fail(fmt::format("\"{}\" is not a value", value.substr(0, 40)));
    }
  }

  TimeMs ReadMillis(std::string_view text) const {
    TimeMs time = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, time);
    if (error != std::errc() || stop != end) {
      Fail(fmt::format("\"{}\" is not a time in milliseconds", text.substr(0, 40)));
    }
    return time;
  }

  Labels ReadLabels(std::string_view text) const {
    std::vector<Token> tokens;
    try {
      tokens = promql::Lex(text);
    } catch (const Error& error) {
      Fail("a label set that cannot be read");
    }
    const auto symbol = [&](std::size_t i, std::string_view what) {
      return tokens[i].kind == TokenKind::kSymbol && tokens[i].text == what;
    };
    std::vector<Labels::Pair> pairs;
    std::size_t i = 1;
    while (i + 3 < tokens.size()) {
      const bool named =
          tokens[i].kind == TokenKind::kIdentifier || tokens[i].kind == TokenKind::kString;
      if (!named || !symbol(i + 1, "=") || tokens[i + 2].kind != TokenKind::kString) {
        Fail("expected name=\"value\" in the label set");
      }
      pairs.emplace_back(tokens[i].text, tokens[i + 2].text);
      i += 3;
      if (!symbol(i, ",")) break;
      ++i;
    }
    if (!symbol(i, "}")) Fail("expected `,` or `}` in the label set");
    return Labels(pairs);
  }

  std::string name_;
  std::size_t number_ = 0;
  std::string rest_;  ///< a line whose end is still to come
  std::string key_;
  Labels labels_;
  SeriesCollector collector_;
};

}  // namespace

std::unique_ptr<CaptureReader> NewTsdbDumpReader(std::string name) {
  return std::make_unique<TsdbDumpReader>(std::move(name));
}

}  // namespace schedlens
