#include "model/read_ahead.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace schedlens {
namespace {

/// Small enough to be still in a cache when it is taken.
constexpr std::size_t kAheadBlock = std::size_t{256} << 10;
constexpr std::size_t kAheadBlocks = 4;

/// A ring of blocks: the thread fills the next one while the reader takes from the oldest. A block
/// belongs to the thread until it is counted in `filled_`, then to the reader until it is counted
/// in `taken_`.
class AheadSource : public ByteSource {
 public:
  explicit AheadSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  AheadSource(const AheadSource&) = delete;
  AheadSource& operator=(const AheadSource&) = delete;
  ~AheadSource() override {
    Change([this] { stopped_ = true; });
    if (thread_.joinable()) thread_.join();
  }

  std::size_t Read(char* buffer, std::size_t size) override {
    if (!started_) Start();
    if (!thread_.joinable()) return source_->Read(buffer, size);
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return taken_ < filled_ || ended_; });
      if (taken_ == filled_) {
        if (error_) std::rethrow_exception(error_);
        return 0;
      }
    }
    Block& block = blocks_[taken_ % kAheadBlocks];
    const std::size_t n = std::min(size, block.size - block.used);
    std::memcpy(buffer, block.bytes.data() + block.used, n);
    block.used += n;
    if (block.used == block.size) Change([this] { ++taken_; });
    return n;
  }

 private:
  struct Block {
    std::vector<char> bytes;
    std::size_t size = 0;
    std::size_t used = 0;
  };

  template <class Do>
  void Change(Do change) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      change();
    }
    changed_.notify_one();
  }

  void Start() {
    started_ = true;
    for (Block& block : blocks_) block.bytes.resize(kAheadBlock);
    try {
      thread_ = std::thread([this] { FillAll(); });
    } catch (const std::system_error&) {
      // More threads than the system allows: without one it takes longer.
    }
  }

  void FillAll() noexcept {
    std::exception_ptr error;
    for (bool more = true; more;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return filled_ - taken_ < kAheadBlocks || stopped_; });
        if (stopped_) return;
      }
      Block& block = blocks_[filled_ % kAheadBlocks];
      block.size = 0;
      block.used = 0;
      try {
        more = Fill(&block);
      } catch (...) {
        error = std::current_exception();
        more = false;
      }
      if (block.size > 0) Change([this] { ++filled_; });
    }
    Change([&] {
      error_ = std::move(error);
      ended_ = true;
    });
  }

  /// False at the end.
  bool Fill(Block* block) {
    while (block->size < kAheadBlock) {
      const std::size_t n =
          source_->Read(block->bytes.data() + block->size, kAheadBlock - block->size);
      if (n == 0) return false;
      block->size += n;
    }
    return true;
  }

  std::unique_ptr<ByteSource> source_;
  std::array<Block, kAheadBlocks> blocks_;
  bool started_ = false;

  std::mutex mutex_;  // guards what follows, up to the thread
  std::condition_variable changed_;
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr error_;  // behind the last block

  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteSource> NewReadAhead(std::unique_ptr<ByteSource> source) {
  return std::make_unique<AheadSource>(std::move(source));
}

}  // namespace schedlens
