#include "model/read_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "schedlens/error.h"

namespace schedlens {
namespace {

std::string RandomBytes(std::size_t size) {
  std::mt19937 random(7);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// Gives pieces of any size up to `most`; behind the last byte it ends, or fails.
class PiecesThenEnd : public ByteSource {
 public:
  PiecesThenEnd(std::string bytes, std::size_t most, bool fails)
      : bytes_(std::move(bytes)), most_(most), fails_(fails) {}
  ~PiecesThenEnd() override { ++gone; }

  std::size_t Read(char* buffer, std::size_t size) override {
    if (at_ == bytes_.size() && fails_) throw Error(ErrorKind::kFailed, "reading f: damaged");
    const std::size_t n = std::min({size, 1 + random_() % most_, bytes_.size() - at_});
    std::memcpy(buffer, bytes_.data() + at_, n);
    at_ += n;
    taken = at_;
    return n;
  }

  static inline int gone = 0;
  static inline std::atomic<std::size_t> taken = 0;

 private:
  std::string bytes_;
  std::size_t most_;
  bool fails_;
  std::mt19937 random_{5};
  std::size_t at_ = 0;
};

std::unique_ptr<ByteSource> Ahead(const std::string& bytes, std::size_t most, bool fails = false) {
  return NewReadAhead(std::make_unique<PiecesThenEnd>(bytes, most, fails));
}

std::string TakeAll(ByteSource* source, std::size_t block) {
  std::string all;
  std::string buffer(block, '\0');
  while (const std::size_t n = source->Read(buffer.data(), buffer.size())) all.append(buffer, 0, n);
  return all;
}

TEST(ReadAhead, GivesEveryByteAndTheEndStaysTheEnd) {
  const std::string bytes = RandomBytes(5 << 20);
  for (const std::size_t most : {std::size_t{100}, std::size_t{70'000}, std::size_t{3} << 20}) {
    for (const std::size_t block : {std::size_t{1} << 20, std::size_t{4099}}) {
      const auto source = Ahead(bytes, most);
      EXPECT_EQ(TakeAll(source.get(), block), bytes) << most << " " << block;
      char byte = 0;
      EXPECT_EQ(source->Read(&byte, 1), 0U);
    }
  }
  EXPECT_EQ(TakeAll(Ahead("", 1).get(), 16), "");
  EXPECT_EQ(TakeAll(Ahead("a", 1).get(), 16), "a");
}

TEST(ReadAhead, AnErrorComesBehindWhatWasRead) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{3} << 20}) {
    const std::string bytes = RandomBytes(size);
    const auto source = Ahead(bytes, 50'000, true);
    std::string buffer(8192, '\0');
    std::string all;
    while (all.size() < size) all.append(buffer, 0, source->Read(buffer.data(), buffer.size()));
    EXPECT_EQ(all, bytes);
    for (int again = 0; again < 2; ++again) {
      try {
        source->Read(buffer.data(), buffer.size());
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "reading f: damaged");
      }
    }
  }
}

TEST(ReadAhead, MayEndAnywhere) {
  PiecesThenEnd::gone = 0;
  const std::string bytes = RandomBytes(4 << 20);
  std::string buffer(4096, '\0');
  for (const int reads : {0, 1, 100, 1024}) {
    const auto source = Ahead(bytes, 50'000, true);
    for (int i = 0; i < reads; ++i) source->Read(buffer.data(), buffer.size());
  }
  EXPECT_EQ(PiecesThenEnd::gone, 4);
}

TEST(ReadAhead, IsNoMoreThanAMebibyteAhead) {
  constexpr std::size_t kAhead = std::size_t{1} << 20;
  const std::string bytes = RandomBytes(4 << 20);
  std::string buffer(4096, '\0');
  PiecesThenEnd::taken = 0;
  {
    const auto source = Ahead(bytes, 50'000);
    source->Read(buffer.data(), buffer.size());
    while (PiecesThenEnd::taken < kAhead) std::this_thread::yield();
  }
  EXPECT_EQ(PiecesThenEnd::taken, kAhead);
}

}  // namespace
}  // namespace schedlens
