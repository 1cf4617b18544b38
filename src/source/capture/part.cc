#include "source/capture/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "model/exposition.h"
#include "model/json_depth.h"
#include "model/json_text.h"
#include "model/known_secrets.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;

constexpr std::string_view kFirstLine = "schedlens capture part 1";

/// What stands before the samples of an answer.
struct RecordHead {
  std::size_t bytes = 0;
  TimeMs end = 0;
  std::vector<std::string> notes;
  std::string query;
};

std::string LineOf(const RecordHead& head, const std::string& sum) {
  return JsonText::Document(JsonStyle::kCompact, [&](JsonText& line) {
    line("bytes", head.bytes);
    line("end", head.end);
    line.Array("notes", [&] {
      for (const std::string& note : head.notes) line.Element(note);
    });
    line("query", head.query);
    if (!sum.empty()) line("sum", sum);
  });
}

/// FNV-1a of the line without it and the samples: it finds damage, not tampering.
std::string Checksum(const RecordHead& head, std::string_view text) {
  std::uint64_t sum = 14695981039346656037u;
  const auto add = [&sum](std::string_view bytes) {
    for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
  };
  add(LineOf(head, ""));
  add(text);
  return fmt::format("{:016x}", sum);
}

/// The line at the start of `rest`, which then starts behind it; nothing when it does not end.
std::optional<std::string_view> TakeLine(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

std::string TextOf(const Answer& answer, bool sorted = false) {
  Exposition exposition;
  exposition.series = answer.series;
  if (sorted) {
    std::sort(exposition.series.begin(), exposition.series.end(),
              [](const Series& a, const Series& b) { return a.labels < b.labels; });
  }
  return exposition.series.empty() ? "" : MaskKnownSecrets(WriteOpenMetrics(exposition));
}

/// The record at the start of `rest`, which then starts behind it; nothing when it is damaged.
std::optional<std::pair<Query, Answer>> TakeRecord(std::string_view& rest) {
  const auto line = TakeLine(rest);
  const json object = line ? json::parse(ShallowJson(*line), nullptr, false) : json();
  if (!object.is_object()) return std::nullopt;
  try {
    const json& bytes = object.at("bytes");
    const json& end = object.at("end");
    if (!bytes.is_number_unsigned() || bytes.get<std::uint64_t>() > rest.size() ||
        !end.is_number_integer()) {
      return std::nullopt;
    }
    RecordHead head{bytes.get<std::size_t>(), end.get<TimeMs>(),
                    object.at("notes").get<std::vector<std::string>>(),
                    object.at("query").get<std::string>()};
    const std::string_view text = rest.substr(0, head.bytes);
    if (Checksum(head, text) != object.at("sum").get<std::string>()) return std::nullopt;
    rest.remove_prefix(text.size());
    Answer answer;
    answer.kind = ValueKind::kMatrix;
    answer.warnings = std::move(head.notes);
    if (!text.empty()) answer.series = ParseExposition(text, "capture part", std::nullopt).series;
    return std::pair(
        Query{.promql = std::move(head.query), .start = head.end, .end = head.end, .step_ms = 0},
        std::move(answer));
  } catch (const json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string WriteCapturePartHead(const CapturePartHead& head) {
  const std::string line = JsonText::Document(JsonStyle::kCompact, [&](JsonText& text) {
    text("asked", head.asked);
    text.Array("range", [&] {
      text.Element(head.range.start);
      text.Element(head.range.end);
    });
    text("recorded", head.recorded);
    text("selector", head.selector);
  });
  return fmt::format("{}\n{}\n", kFirstLine, line);
}

std::string WriteCapturePartAnswer(const Query& query, const Answer& answer) {
  const std::string text = TextOf(answer);
  RecordHead head{text.size(), query.end, answer.warnings, query.promql};
  head.notes.insert(head.notes.end(), answer.infos.begin(), answer.infos.end());
  for (std::string& note : head.notes) note = MaskKnownSecrets(std::move(note));
  return LineOf(head, Checksum(head, text)) + "\n" + text;
}

bool SameSamples(const Answer& a, const Answer& b) { return TextOf(a, true) == TextOf(b, true); }

bool MayBeCapturePart(std::string_view text) {
  return text.starts_with(kFirstLine) || kFirstLine.starts_with(text);
}

CapturePart ReadCapturePart(std::string_view text) {
  CapturePart part;
  std::string_view rest = text;
  const auto first = TakeLine(rest);
  const auto second = TakeLine(rest);
  try {
    if (first != kFirstLine || !second) throw Error(ErrorKind::kFailed, "not a capture part");
    const json head = json::parse(ShallowJson(*second));
    for (const json* number :
         {&head.at("recorded"), &head.at("range").at(0), &head.at("range").at(1)}) {
      if (!number->is_number_integer()) throw Error(ErrorKind::kFailed, "no time in its head");
    }
    part.head = {
        .asked = head.at("asked").get<std::string>(),
        .recorded = head.at("recorded").get<TimeMs>(),
        .range = {head.at("range").at(0).get<TimeMs>(), head.at("range").at(1).get<TimeMs>()},
        .selector = head.at("selector").get<std::string>()};
  } catch (const json::exception&) {
    throw Error(ErrorKind::kFailed, "the head is damaged");
  }
  part.sound = text.size() - rest.size();
  while (auto record = TakeRecord(rest)) {
    part.answers.push_back(std::move(*record));
    part.sound = text.size() - rest.size();
  }
  return part;
}

}  // namespace schedlens
