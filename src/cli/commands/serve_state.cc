#include "cli/commands/serve_state.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/file.h"
#include "model/json.h"
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
      ReadJson(ReadFile(path, kLongestState));
  const nlohmann::json& reported = MemberAt(read, kReported);
  bool good = reported.is_array();
  for (std::size_t i = 0; good && i < reported.size(); ++i) {
    const auto& one = reported[i];
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
  auto reported = nlohmann::json::array();
  for (const std::uint64_t one : states) reported.push_back(fmt::format("{:016x}", one));
  WriteFileAtomically(path, WriteJson({{kReported, std::move(reported)}}), 0640);
}

}  // namespace schedlens
