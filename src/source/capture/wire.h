#ifndef SCHEDLENS_SOURCE_CAPTURE_WIRE_H_
#define SCHEDLENS_SOURCE_CAPTURE_WIRE_H_

// A protobuf message field by field, with no more of the format than remote read needs.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace schedlens {

/// A base-128 number at `*at`, which moves behind it. Throws Error(kFailed) for one that ends early
/// or has more than 64 bits.
std::uint64_t ReadVarint(std::string_view bytes, std::size_t* at);

class Wire {
 public:
  explicit Wire(std::string_view message) : bytes_(message) {}

  /// Goes to the next field; false at the end. Every field is read or skipped before the next one.
  /// Throws Error(kFailed), as do all of these, for bytes that are no message.
  bool Next();
  /// The number of the field.
  std::uint64_t field() const { return field_; }

  std::uint64_t Varint();
  double Double();
  /// Bytes, a text or a message: a view of the message.
  std::string_view Bytes();
  void Skip();

 private:
  void Require(unsigned type) const;
  std::string_view Take(std::size_t size);

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint64_t field_ = 0;
  unsigned type_ = 0;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_WIRE_H_
