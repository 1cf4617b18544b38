#include "cli/commands/serve_state.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/file.h"
#include "model/json_depth.h"
#include "model/json_text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr const char* kReported = "reported";
constexpr std::size_t kLongestState = std::size_t{16} << 20;

}  // namespace

std::deque<std::uint64_t> ReadReported(const std::string& path) {
  std::deque<std::uint64_t> states;
  if (!std::filesystem::exists(path)) return states;
  const auto read =
      nlohmann::json::parse(ShallowJson(ReadFile(path, kLongestState)), nullptr, false);
  const auto reported = read.is_object() ? read.find(kReported) : read.end();
  bool good = read.is_object() && reported != read.end() && reported->is_array();
  for (std::size_t i = 0; good && i < reported->size(); ++i) {
    const auto& one = (*reported)[i];
    const std::string text = one.is_string() ? one.get<std::string>() : "";
    states.emplace_back();
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, states.back(), 16);
    good = error == std::errc() && stop == end;
  }
  if (!good) {
    throw Error(ErrorKind::kFailed, fmt::format("reading {}: not what serve has written", path));
  }
  return states;
}

void WriteReported(const std::string& path, const std::deque<std::uint64_t>& states) {
  WriteFileAtomically(path,
                      JsonText::Document(JsonStyle::kCompact,
                                         [&](JsonText& json) {
                                           json.Array(kReported, [&] {
                                             for (const std::uint64_t one : states) {
                                               json.Element(fmt::format("{:016x}", one));
                                             }
                                           });
                                         }),
                      0640);
}

}  // namespace schedlens
