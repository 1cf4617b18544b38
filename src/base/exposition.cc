// Texts and files into lines.

#include "base/exposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "base/byte_source.h"
#include "base/exposition_reader.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::size_t kReadBlock = std::size_t{256} << 10;
/// A longer line is not an exposition; the limit keeps binary junk from filling the memory.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

/// Hands every whole line of `text` to the reader; returns how many bytes they took.
std::size_t AddLines(std::string_view text, ExpositionReader* reader) {
  const std::size_t last = text.rfind('\n');
  if (last == std::string_view::npos) return 0;
  reader->AddLines(text.substr(0, last + 1));
  return last + 1;
}

void CheckLongLine(std::string_view line, const std::string& name) {
  if (std::memchr(line.data(), 0, line.size()) != nullptr) {
    throw Error(
        ErrorKind::kFailed,
        fmt::format("reading {}: binary data, neither Prometheus text nor OpenMetrics", name));
  }
  if (line.size() >= kLongestLine) {
    throw Error(ErrorKind::kFailed,
                fmt::format("reading {}: a line is longer than {} MiB", name, kLongestLine >> 20));
  }
}

/// No capture of schedlens has a longer header.
constexpr std::size_t kLongest = std::size_t{16} << 20;
constexpr std::size_t kHeaderBlock = std::size_t{64} << 10;

/// The lines at the start that begin with `#`, line ends included.
std::string HashLines(ByteSource& source) {
  std::string text;
  std::string block(kHeaderBlock, '\0');
  std::size_t line = 0;  // where the line that is being read begins
  while (text.size() < kLongest) {
    const std::size_t n = source.Read(block.data(), block.size());
    if (n == 0) break;
    text.append(block, 0, n);
    for (std::size_t end; (end = text.find('\n', line)) != std::string::npos; line = end + 1) {
      if (text[line] != '#') return text.substr(0, line);
    }
    if (line < text.size() && text[line] != '#') break;
  }
  return text.substr(0, line);
}

}  // namespace

Exposition Whole(LongExposition read) {
  Exposition whole = std::move(read.other);
  whole.series.assign(std::move_iterator(read.series.begin()),
                      std::move_iterator(read.series.end()));
  return whole;
}

Exposition ParseExposition(std::string_view text, const std::string& name,
                           std::optional<TimeMs> default_time, const MetricFilter& wanted) {
  ExpositionReader reader(name, default_time);
  if (wanted) reader.PassOverAllBut(wanted);
  const std::size_t taken = AddLines(text, &reader);
  if (taken < text.size()) reader.AddLine(text.substr(taken), false);
  return Whole(reader.Finish());
}

Exposition ReadExposition(const std::string& path, std::optional<TimeMs> default_time,
                          const MetricFilter& wanted) {
  const std::string name = path == "-" ? "standard input" : path;
  const std::unique_ptr<ByteSource> source = OpenByteSource(path, name);
  return Whole(ReadLongExposition(*source, name, default_time, wanted));
}

LongExposition ReadLongExposition(ByteSource& source, const std::string& name,
                                  std::optional<TimeMs> default_time, const MetricFilter& wanted,
                                  std::size_t whole_bytes) {
  ExpositionReader reader(name, default_time);
  bool filtered = false;
  std::size_t read = 0;
  std::vector<char> buffer(kReadBlock);
  std::size_t held = 0;  // bytes at the front of the buffer: a line whose end is still to come
  for (;;) {
    const std::size_t n = source.Read(buffer.data() + held, buffer.size() - held);
    if (n == 0) break;
    if (wanted && !filtered && read >= whole_bytes) {
      reader.PassOverAllBut(wanted);
      filtered = true;
    }
    read += n;
    // Only the new bytes can hold the line's end, so a long line is not searched again and again.
    std::size_t taken = 0;
    if (std::memchr(buffer.data() + held, '\n', n) != nullptr) {
      taken = AddLines({buffer.data(), held + n}, &reader);
    }
    held = held + n - taken;
    std::memmove(buffer.data(), buffer.data() + taken, held);
    if (held == buffer.size()) {
      CheckLongLine({buffer.data(), held}, name);
      buffer.resize(std::min(2 * buffer.size(), kLongestLine));
    }
  }
  if (held > 0) reader.AddLine({buffer.data(), held}, false);
  return reader.Finish();
}

std::vector<std::string> ReadHeader(const std::string& path) {
  const std::unique_ptr<ByteSource> source = OpenByteSource(path, path);
  const std::string text = HashLines(*source);
  const std::string mark = fmt::format("# HELP {} ", kCommentFamily);
  std::vector<std::string> comments;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    const std::string_view line = std::string_view(text).substr(start, end - start);
    start = end + 1;
    if (!line.starts_with(mark)) continue;
    for (std::string& comment : CommentsOf(line.substr(mark.size()))) {
      comments.push_back(std::move(comment));
    }
  }
  return comments;
}

}  // namespace schedlens
