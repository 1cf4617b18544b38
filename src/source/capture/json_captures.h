#pragma once

// Captures in JSON: answers of the API, exported series.

// JSON objects one after the other, with or without line ends, or in one list: cut apart while they
// arrive, so that a reader of one object can take them.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace schedlens {

/// Takes the objects of a text.
class JsonObjects {
 public:
  virtual ~JsonObjects() = default;
  virtual void Piece(std::string_view piece) = 0;  ///< of an object, in order
  virtual void End() = 0;                          ///< the object is whole
};

class JsonDocuments {
 public:
  /// `name` is the file's name in messages; `taker` must outlive this. What it throws has the file
  /// and the object's place put in front.
  JsonDocuments(std::string name, JsonObjects& taker) : name_(std::move(name)), taker_(taker) {}

  /// Throws Error(kFailed) for anything but objects, and whatever the taker throws.
  void Feed(std::string_view piece);
  /// Throws Error(kFailed) for an object or a list without end.
  void Finish();

 private:
  [[noreturn]] void Fail(std::size_t offset, std::string_view what) const;
  std::size_t Between(std::string_view piece, std::size_t at);
  std::size_t Inside(std::string_view piece, std::size_t at);
  template <typename Call>
  void Take(const Call& call);

  std::string name_;
  JsonObjects& taker_;
  std::size_t before_ = 0;  ///< bytes before the piece at hand
  std::size_t number_ = 0;  ///< of the object, from 1
  std::size_t start_ = 0;   ///< where the object begins
  std::size_t depth_ = 0;   ///< open braces
  bool quoted_ = false;
  bool escaped_ = false;
  enum class List { kNone, kOpen, kClosed } list_ = List::kNone;
};

}  // namespace schedlens
