#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/file.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

std::string ReadAll(const std::string& content, std::size_t block) {
  const std::string path = testing::TempDir() + "byte_source_test_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
  WriteFileAtomically(path, content);
  const std::unique_ptr<ByteSource> source = OpenByteSource(path, "f");
  std::string all;
  std::string buffer(block, '\0');
  while (const std::size_t n = source->Read(buffer.data(), buffer.size())) {
    all.append(buffer, 0, n);
  }
  EXPECT_EQ(source->Read(buffer.data(), buffer.size()), 0u) << "the end stays the end";
  std::filesystem::remove(path);
  return all;
}

TEST(ByteSource, GivesEveryByteWhateverTheBlock) {
  std::mt19937 random(3);
  std::string content;
  for (int i = 0; i < 200000; ++i) content.push_back(static_cast<char>(random() % 17));
  for (const std::size_t block : {std::size_t{1} << 20, std::size_t{4099}, std::size_t{64}}) {
    EXPECT_EQ(ReadAll(content, block), content);
    EXPECT_EQ(ReadAll(Gzip(content), block), content);
    EXPECT_EQ(ReadAll(Gzip(content) + Gzip("") + Gzip("more"), block), content + "more");
  }
}

TEST(ByteSource, ShortFilesAreNotMistakenForGzip) {
  for (const std::string content : {"", "a", "\x1f", "ab", "\x1f\x8a"}) {
    EXPECT_EQ(ReadAll(content, 16), content);
  }
}

TEST(ByteSource, SkipsAByteOrderMark) {
  const std::string mark(kByteOrderMark);
  for (const std::string content : {"", "a", "{\"a\":1}"}) {
    EXPECT_EQ(ReadAll(mark + content, 3), content);
    EXPECT_EQ(ReadAll(Gzip(mark + content), 4096), content);
  }
  EXPECT_EQ(ReadAll(mark + mark, 16), mark) << "one";
  EXPECT_EQ(ReadAll("a" + mark, 16), "a" + mark) << "at the start";
  EXPECT_EQ(ReadAll(mark.substr(0, 2), 16), mark.substr(0, 2));
}

TEST(ByteSource, ContentDecidesAndDamageIsAnError) {
  const std::string packed = Gzip(std::string(100000, 'x'));
  EXPECT_EQ(ReadAll(packed, 4096).size(), 100000u);
  EXPECT_THROW(ReadAll(packed.substr(0, packed.size() / 2), 4096), Error);
  EXPECT_THROW(ReadAll(packed.substr(0, packed.size() - 1), 4096), Error);
  EXPECT_THROW(OpenByteSource("/no/such/file", "f"), Error);
}

TEST(ByteSource, EndsInAnErrorBehindTheLimitOfUnpackedBytes) {
  const std::string content(300'000, 'x');
  for (const std::string& file : {content, Gzip(content), Gzip(content.substr(1)) + Gzip("x")}) {
    SetMaxInput(content.size());
    EXPECT_EQ(ReadAll(file, 4096).size(), content.size());
    SetMaxInput(content.size() - 1);
    try {
      ReadAll(file, 4096);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "reading f: larger than the limit of 299999 bytes (unpacked): give a shorter "
                   "recording or a part of it, or raise --max-input");
    }
  }
  SetMaxInput(kDefaultMaxInput);
}

TEST(Gzip, EqualInputGivesEqualBytes) {
  EXPECT_EQ(Gzip("abc"), Gzip("abc"));
  EXPECT_LT(Gzip(std::string(1 << 20, 'a')).size(), 5000u);
}

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
