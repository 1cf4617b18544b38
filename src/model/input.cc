#include "model/input.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "schedlens/error.h"

namespace schedlens {
namespace {

std::atomic<std::size_t> max_input = kDefaultMaxInput;

std::mutex listening;
ReadingListener listener_of_all;

void Tell(const std::string& name, std::size_t done, std::size_t total) {
  const std::lock_guard lock(listening);
  if (listener_of_all) listener_of_all(name, done, total);
}

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

void ListenToReading(ReadingListener listener) {
  const std::lock_guard lock(listening);
  listener_of_all = std::move(listener);
}

InputReading::InputReading(std::string name, std::size_t total)
    : name_(std::move(name)), total_(total) {
  Tell("", 0, 0);
}

InputReading::~InputReading() { Tell("", 0, 0); }

void InputReading::Come(std::size_t done) const { Tell(name_, done, total_); }

}  // namespace schedlens
