#include "model/input_reading.h"

#include <mutex>
#include <utility>

namespace schedlens {
namespace {

std::mutex listening;
ReadingListener listener_of_all;

void Tell(const std::string& name, std::size_t done, std::size_t total) {
  const std::lock_guard lock(listening);
  if (listener_of_all) listener_of_all(name, done, total);
}

}  // namespace

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
