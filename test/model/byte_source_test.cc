#include "model/byte_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "model/file.h"
#include "model/input_limit.h"
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

}  // namespace
}  // namespace schedlens
