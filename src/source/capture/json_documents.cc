#include "source/capture/json_documents.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedlens/error.h"

namespace schedlens {

void JsonDocuments::Fail(std::size_t offset, std::string_view what) const {
  throw Error(ErrorKind::kFailed, fmt::format("reading {}: byte {}: {}", name_, offset, what));
}

template <typename Call>
void JsonDocuments::Take(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');  // of a text that the file holds
    throw Error(error.kind(), fmt::format("reading {}: object {}, from byte {} on: {}", name_,
                                          number_, start_, what));
  }
}

/// Outside of objects; returns where the text goes on.
std::size_t JsonDocuments::Between(std::string_view piece, std::size_t at) {
  switch (piece[at]) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      return at + 1;
    case '{':
      if (list_ == List::kClosed) break;
      ++number_;
      start_ = before_ + at;
      return at;
    case '[':
      if (list_ != List::kNone || number_ > 0) break;
      list_ = List::kOpen;
      return at + 1;
    case ',':
      if (list_ != List::kOpen || number_ == 0) break;
      return at + 1;
    case ']':
      if (list_ != List::kOpen) break;
      list_ = List::kClosed;
      return at + 1;
    default:
      break;
  }
  Fail(before_ + at, "expected a JSON object");
}

/// From the brace of an object on; returns where it ends, or the piece does.
std::size_t JsonDocuments::Inside(std::string_view piece, std::size_t at) {
  std::size_t i = at;
  for (; i < piece.size(); ++i) {
    const char c = piece[i];
    if (quoted_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        quoted_ = false;
      }
    } else if (c == '"') {
      quoted_ = true;
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && --depth_ == 0) {
      Take([&] { taker_.Piece(piece.substr(at, i + 1 - at)); });
      Take([&] { taker_.End(); });
      return i + 1;
    }
  }
  Take([&] { taker_.Piece(piece.substr(at)); });
  return i;
}

void JsonDocuments::Feed(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size();) {
    const bool begins = depth_ == 0 && piece[at] != '{';
    if (begins) {
      at = Between(piece, at);
      continue;
    }
    if (depth_ == 0) Between(piece, at);
    at = Inside(piece, at);
  }
  before_ += piece.size();
}

void JsonDocuments::Finish() {
  if (depth_ > 0) Fail(before_, "the last object has no end (is the file cut off?)");
  if (list_ == List::kOpen) Fail(before_, "the list has no end (is the file cut off?)");
}

}  // namespace schedlens
