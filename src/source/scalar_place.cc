#include "source/scalar_place.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text.h"

namespace schedlens {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::uint32_t Narrow(std::size_t bytes) { return static_cast<std::uint32_t>(bytes); }

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '.';
}

/// Past `!tag` and `&anchor`.
std::size_t PastProperties(std::string_view file, std::size_t at) {
  while (at < file.size() && (file[at] == '!' || file[at] == '&')) {
    while (at < file.size() && !IsBlank(file[at])) ++at;
    while (at < file.size() && IsBlank(file[at])) ++at;
  }
  return at;
}

using Pieces = std::vector<std::string_view>;

/// Words and single marks, without the blanks between them.
Pieces PiecesOf(std::string_view text) {
  Pieces pieces;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (IsWord(text[i]) && end < text.size() && IsWord(text[end])) ++end;
    if (!IsBlank(text[i])) pieces.push_back(text.substr(i, end - i));
    i = end;
  }
  return pieces;
}

const char* EndOf(std::string_view piece) { return piece.data() + piece.size(); }

/// The blanks before a piece that is not the first.
std::string_view Between(const Pieces& pieces, std::size_t i) {
  const char* end = EndOf(pieces[i - 1]);
  return {end, static_cast<std::size_t>(pieces[i].data() - end)};
}

/// What an escape of a double-quoted scalar stands for, and its length. Nothing for a broken one.
struct Escape {
  std::string text;
  std::size_t length = 2;
};

std::optional<Escape> ReadEscape(std::string_view rest) {
  if (rest.size() < 2) return std::nullopt;
  const char c = rest[1];
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits > 0) {
    unsigned code = 0;
    if (rest.size() < 2 + digits) return std::nullopt;
    const auto parsed = std::from_chars(rest.data() + 2, rest.data() + 2 + digits, code, 16);
    if (parsed.ptr != rest.data() + 2 + digits) return std::nullopt;
    Escape escape{"", 2 + digits};
    AppendUtf8(escape.text, code);
    return escape;
  }
  // A line break that is escaped is none; every other letter that a rule can hold is itself.
  if (IsBlank(c) || c == 'n' || c == 't' || c == 'r') return Escape{" ", 2};
  return Escape{std::string(1, c), 2};
}

}  // namespace

std::optional<ScalarPlace> ScalarPlace::Find(std::string_view file, std::size_t begin,
                                             std::string_view value) {
  if (std::max(file.size(), value.size()) > UINT32_MAX) return std::nullopt;
  ScalarPlace place;
  place.value_ = value;
  std::size_t at = PastProperties(file, begin);
  if (at >= file.size()) return std::nullopt;
  place.begin_ = at;
  const char mark = file[at];
  const bool quoted = mark == '"' || mark == '\'';
  if (quoted || mark == '|' || mark == '>') place.style_ = mark;
  if (quoted) ++at;
  if (mark == '|' || mark == '>') at = std::min(file.find('\n', at), file.size());
  // Folding, chomping and indentation change blanks alone: letter by letter it is the same text.
  std::size_t i = 0;
  const auto skip_blanks = [&] {
    while (i < value.size() && IsBlank(value[i])) ++i;
  };
  for (skip_blanks(); i < value.size();) {
    if (at >= file.size()) return std::nullopt;
    Escape one{std::string(1, file[at]), 1};
    if (mark == '\'' && file[at] == '\'') one.length = 2;
    if (mark == '"' && file[at] == '\\') {
      const auto escape = ReadEscape(file.substr(at));
      if (!escape) return std::nullopt;
      one = *escape;
    }
    for (const char c : one.text) {
      if (IsBlank(c)) continue;
      if (i >= value.size() || c != value[i]) return std::nullopt;
      place.letters_.push_back({Narrow(i), Narrow(at), Narrow(at + one.length)});
      ++i;
    }
    at += one.length;
    skip_blanks();
  }
  if (quoted) {
    while (at < file.size() && file[at] != mark) at += file[at] == '\\' && mark == '"' ? 2 : 1;
    ++at;
  }
  place.end_ = std::min(at, file.size());
  if (place.letters_.empty()) return std::nullopt;
  return place;
}

std::optional<std::size_t> ScalarPlace::ByteOf(std::size_t offset) const {
  const auto letter = std::ranges::lower_bound(letters_, offset, {}, &Letter::at);
  if (letter == letters_.end()) return std::nullopt;
  return letter->begin;
}

std::string ScalarPlace::Encoded(std::string_view text) const {
  std::string out;
  for (const char c : text) {
    if (style_ == '\'' && c == '\'') out += '\'';
    if (style_ == '"' && (c == '"' || c == '\\')) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::vector<TextEdit> ScalarPlace::EditsTo(std::string_view value) const {
  const Pieces olds = PiecesOf(value_);
  const Pieces news = PiecesOf(value);
  // Letters before the end of each piece.
  std::vector<std::size_t> letters;
  for (const std::string_view piece : olds) {
    letters.push_back(piece.size() + (letters.empty() ? 0 : letters.back()));
  }
  const auto begin_of = [&](std::size_t piece) -> std::size_t {
    return letters_[letters[piece] - olds[piece].size()].begin;
  };
  const auto end_of = [&](std::size_t piece) -> std::size_t {
    return letters_[letters[piece] - 1].end;
  };
  std::vector<TextEdit> edits;
  for (const Hunk& hunk : Differences(olds, news)) {
    const bool removes = hunk.a_begin < hunk.a_end;
    const bool adds = hunk.b_begin < hunk.b_end;
    const bool inside = hunk.a_begin > 0 && hunk.b_begin > 0 && hunk.a_end < olds.size() &&
                        hunk.b_end < news.size();
    // What only comes or goes does so with the blanks before it, at the very start with those
    // after; but so that the blanks that stay are those of the new value.
    bool blanks_before = removes != adds && hunk.a_begin > 0 && hunk.b_begin > 0;
    const bool keeps_first =
        inside && removes != adds && Between(olds, hunk.a_begin) == Between(news, hunk.b_begin);
    if (keeps_first) blanks_before = false;
    const bool blanks_after =
        removes != adds && !blanks_before && (keeps_first || hunk.b_end < news.size());
    TextEdit edit;
    edit.begin = blanks_before ? end_of(hunk.a_begin - 1) : begin_of(hunk.a_begin);
    edit.end = !removes ? edit.begin : blanks_after ? begin_of(hunk.a_end) : end_of(hunk.a_end - 1);
    if (adds) {
      // Between two that had no blank between them it brings those on both sides.
      const bool both = inside && !removes && Between(olds, hunk.a_begin).empty();
      const char* from = blanks_before ? EndOf(news[hunk.b_begin - 1]) : news[hunk.b_begin].data();
      const char* to = blanks_after || both ? news[hunk.b_end].data() : EndOf(news[hunk.b_end - 1]);
      edit.text = Encoded({from, static_cast<std::size_t>(to - from)});
    }
    edits.push_back(edit);
  }
  return edits;
}

TextEdit ScalarPlace::Quoted(std::string_view value) const {
  std::string text = "\"";
  while (!value.empty() && IsBlank(value.back())) value.remove_suffix(1);
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";  // a comment in the expression ends there
    } else {
      text += c;
    }
  }
  return {begin_, end_, text + "\""};
}

}  // namespace schedlens
