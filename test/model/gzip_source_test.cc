#include "model/gzip_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "schedlens/error.h"

namespace schedlens {
namespace {

/// Gives bytes in pieces, as a slow pipe would.
class Pieces : public ByteSource {
 public:
  Pieces(std::string bytes, std::size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}
  std::size_t Read(char* buffer, std::size_t size) override {
    const std::size_t n = std::min({size, piece_, bytes_.size() - at_});
    std::memcpy(buffer, bytes_.data() + at_, n);
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

std::string Unpack(const std::string& packed, std::size_t piece, std::size_t block) {
  const auto source = NewGzipSource(std::make_unique<Pieces>(packed, piece), "f");
  std::string all;
  std::string buffer(block, '\0');
  while (const std::size_t n = source->Read(buffer.data(), buffer.size())) all.append(buffer, 0, n);
  EXPECT_EQ(source->Read(buffer.data(), buffer.size()), 0U) << "the end stays the end";
  return all;
}

std::string ErrorOf(const std::string& packed, std::size_t piece) {
  try {
    Unpack(packed, piece, 4096);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    return error.what();
  }
  return "no error";
}

/// Compresses neither well nor badly.
std::string Content(std::size_t size) {
  std::mt19937 random(3);
  std::string content;
  while (content.size() < size) {
    content.append(content, content.size() / 2, random() % 40);
    content.push_back(static_cast<char>(random() % 23));
  }
  return content.substr(0, size);
}

TEST(GzipSource, GivesEveryByteWhateverTheBlocks) {
  const std::string content = Content(300000);
  const std::string packed = Gzip(content) + Gzip("") + Gzip("more") + std::string(1000, '\0');
  for (const std::size_t piece : {1, 7, 4096, 1 << 20}) {
    for (const std::size_t block : {64, 4099, 1 << 20}) {
      EXPECT_EQ(Unpack(packed, piece, block), content + "more") << piece << " " << block;
    }
  }
}

TEST(GzipSource, EveryCutIsAnError) {
  const std::string packed = Gzip(Content(500));
  for (std::size_t size = 1; size < packed.size(); ++size) {
    for (const std::size_t piece : {std::size_t{1}, packed.size()}) {
      EXPECT_EQ(ErrorOf(packed.substr(0, size), piece),
                "reading f: gzip data ends early (truncated file?)")
          << size;
    }
  }
}

TEST(GzipSource, EveryDamagedByteIsAnErrorOrHarmless) {
  const std::string content = Content(2000);
  const std::string packed = Gzip(content);
  for (std::size_t at = 0; at < packed.size(); ++at) {
    for (const int bit : {1, 16, 128}) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      try {
        EXPECT_EQ(Unpack(damaged, packed.size(), 4096), content) << at;
        // The head's time and system, and the bits that fill up the last byte before the sum.
        EXPECT_TRUE(at < 10 || at == packed.size() - 9) << at;
      } catch (const Error&) {
      }
    }
  }
}

TEST(GzipSource, TellsWhatIsWrong) {
  const std::string packed = Gzip(Content(5000));
  EXPECT_EQ(ErrorOf(packed + "x", 4096), "reading f: bytes after the end of the gzip data");
  EXPECT_EQ(ErrorOf("\x1f\x8bxxxxxxxxxx", 4096),
            "reading f: damaged gzip data: unknown compression method");
  std::string wrong_sum = packed;
  wrong_sum[packed.size() - 6] = static_cast<char>(wrong_sum[packed.size() - 6] ^ 1);
  EXPECT_EQ(ErrorOf(wrong_sum, 4096), "reading f: damaged gzip data: incorrect data check");
}

}  // namespace
}  // namespace schedlens
