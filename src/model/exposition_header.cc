#include "model/exposition_header.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "model/byte_source.h"
#include "model/exposition.h"

namespace schedlens {
namespace {

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

std::vector<std::string> CommentsOf(std::string_view help) {
  std::vector<std::string> comments;
  std::string comment;
  for (std::size_t i = 0; i < help.size(); ++i) {
    if (help[i] != '\\' || i + 1 == help.size()) {
      comment.push_back(help[i]);
    } else if (help[++i] == 'n') {
      comments.push_back(std::move(comment));
      comment.clear();
    } else {
      if (help[i] != '\\') comment.push_back('\\');
      comment.push_back(help[i]);
    }
  }
  comments.push_back(std::move(comment));
  return comments;
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
