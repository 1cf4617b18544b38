#include "source/capture/wire.h"

#include <fmt/format.h>

#include <bit>

#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr unsigned kVarint = 0;
constexpr unsigned kFixed64 = 1;
constexpr unsigned kBytes = 2;
constexpr unsigned kFixed32 = 5;

[[noreturn]] void Fail(const std::string& what) {
  throw Error(ErrorKind::kFailed, "damaged protobuf: " + what);
}

}  // namespace

std::uint64_t ReadVarint(std::string_view bytes, std::size_t* at) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (*at >= bytes.size()) Fail("a number ends early");
    const auto byte = static_cast<unsigned char>(bytes[(*at)++]);
    if (shift == 63 && byte > 1) break;
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  Fail("a number of more than 64 bits");
}

bool Wire::Next() {
  if (at_ == bytes_.size()) return false;
  const std::uint64_t tag = ReadVarint(bytes_, &at_);
  field_ = tag >> 3;
  type_ = static_cast<unsigned>(tag & 7);
  if (field_ == 0) Fail("a field without number");
  return true;
}

void Wire::Require(unsigned type) const {
  if (type_ != type) Fail(fmt::format("field {} has the wrong type", field_));
}

std::string_view Wire::Take(std::size_t size) {
  if (size > bytes_.size() - at_) Fail(fmt::format("field {} ends early", field_));
  const std::string_view taken = bytes_.substr(at_, size);
  at_ += size;
  return taken;
}

std::uint64_t Wire::Varint() {
  Require(kVarint);
  return ReadVarint(bytes_, &at_);
}

double Wire::Double() {
  Require(kFixed64);
  const std::string_view bytes = Take(8);
  std::uint64_t bits = 0;
  for (std::size_t i = 8; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
  return std::bit_cast<double>(bits);
}

std::string_view Wire::Bytes() {
  Require(kBytes);
  return Take(ReadVarint(bytes_, &at_));
}

void Wire::Skip() {
  switch (type_) {
    case kVarint:
      ReadVarint(bytes_, &at_);
      return;
    case kFixed64:
      Take(8);
      return;
    case kBytes:
      Bytes();
      return;
    case kFixed32:
      Take(4);
      return;
    default:
      Fail(fmt::format("field {} has an unknown type", field_));
  }
}

}  // namespace schedlens
