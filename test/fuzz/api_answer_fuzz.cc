// Any bytes as an answer of the API: read, or refused with an Error; the same however they are cut;
// and what is accepted is JSON to another reader too.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "schedlens/error.h"
#include "source/http/json_stream.h"

namespace {

/// A digest that tells answers apart: sizes, texts and the bits of samples.
std::string Read(std::string_view text, std::size_t piece) {
  try {
    schedlens::ApiAnswerReader reader(1000);
    for (std::size_t at = 0; at < text.size(); at += piece) reader.Feed(text.substr(at, piece));
    const schedlens::ApiAnswer api = reader.Finish();
    std::string digest = api.error + "|" + api.error_type + "|" + api.answer.text;
    for (const schedlens::Series& series : api.answer.series) {
      digest += series.labels.ToString() + std::to_string(series.samples.size()) + "/" +
                std::to_string(series.histograms.size());
      for (const schedlens::Sample& sample : series.samples) {
        digest += " " + std::to_string(sample.t) + ":" +
                  std::to_string(std::bit_cast<std::uint64_t>(sample.v));
      }
    }
    return "ok " + digest;
  } catch (const schedlens::Error&) {
    return "error";
  }
}

/// Whether nlohmann finds no fault in the grammar. A number beyond a double is JSON, and refused by
/// it.
bool IsJsonToNlohmann(std::string_view text) {
  try {
    return !nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  } catch (const nlohmann::json::parse_error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = Read(text, size == 0 ? 1 : size);
  if (Read(text, 1) != whole || Read(text, 7) != whole) std::abort();
  if (whole == "error") return 0;
  // nlohmann checks UTF-8, we let it through: only ASCII texts are compared.
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return 0;
  }
  if (!IsJsonToNlohmann(text)) std::abort();
  return 0;
}
