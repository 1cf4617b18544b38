#include "model/input_limit.h"

#include <fmt/format.h>

#include <atomic>

#include "schedlens/error.h"

namespace schedlens {
namespace {

std::atomic<std::size_t> max_input = kDefaultMaxInput;

}  // namespace

std::size_t MaxInput() { return max_input; }

void SetMaxInput(std::size_t bytes) { max_input = bytes; }

std::string SizeText(std::size_t bytes) {
  constexpr std::size_t kMi = std::size_t{1} << 20, kGi = std::size_t{1} << 30;
  if (bytes >= kGi && bytes % kGi == 0) return fmt::format("{} GiB", bytes / kGi);
  return bytes % kMi == 0 ? fmt::format("{} MiB", bytes / kMi) : fmt::format("{} bytes", bytes);
}

void CheckInputSize(const std::string& name, std::size_t bytes) {
  const std::size_t limit = MaxInput();
  if (bytes <= limit) return;
  throw Error(ErrorKind::kFailed,
              fmt::format("reading {}: larger than the limit of {} (unpacked): give a shorter "
                          "recording or a part of it, or raise --max-input",
                          name, SizeText(limit)));
}

}  // namespace schedlens
