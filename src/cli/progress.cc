#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ostream>
#include <utility>

#include "cli/safe_stream.h"
#include "model/file.h"

namespace schedlens {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuietFor{1000};
constexpr milliseconds kBetween{100};
constexpr std::size_t kDetailWidth = 40;

milliseconds SteadyNow() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

/// A query on one short line, free of anything that moves the cursor.
std::string Short(const std::string& text) {
  std::string line;
  for (const char c : text.substr(0, kDetailWidth)) {
    line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return line;
}

class ShownSource : public Source {
 public:
  ShownSource(std::unique_ptr<Source> source, Progress* progress)
      : source_(std::move(source)), progress_(progress) {}

  Answer Ask(const Query& query) override {
    progress_->Show("query", ++asked_, 0, query.promql);
    return source_->Ask(query);
  }
  std::vector<Answer> AskAll(const std::vector<Query>& queries) override {
    asked_ += queries.size();
    if (!queries.empty()) progress_->Show("queries", queries.size(), 0, queries.front().promql);
    return source_->AskAll(queries);
  }
  void AskEach(const std::vector<Query>& queries,
               const std::function<void(std::size_t, Answer)>& take) override {
    asked_ += queries.size();
    if (!queries.empty()) progress_->Show("queries", queries.size(), 0, queries.front().promql);
    source_->AskEach(queries, take);
  }
  SourceInfo Describe() override { return source_->Describe(); }

 private:
  std::unique_ptr<Source> source_;
  Progress* progress_;
  std::size_t asked_ = 0;
};

}  // namespace

Progress::Progress(std::ostream& err) : Progress(err, isatty(STDERR_FILENO) == 1, SteadyNow) {}

Progress::Progress(std::ostream& err, bool enabled, Clock clock)
    : err_(err), enabled_(enabled), clock_(std::move(clock)), started_(clock_()) {}

Progress::~Progress() { Wipe(); }

void Progress::Show(const std::string& doing, std::size_t done, std::size_t total,
                    const std::string& detail) {
  const milliseconds now = clock_();
  if (!enabled_ || now - started_ < kQuietFor || (visible_ && now - drawn_ < kBetween)) return;
  const std::string count = total > 0  ? fmt::format(" {}/{}", done, total)
                            : done > 0 ? fmt::format(" {}", done)
                                       : std::string();
  err_ << Own{"\r"} << doing << count << "  " << Short(detail) << Own{"\x1b[K"} << std::flush;
  drawn_ = now;
  visible_ = true;
}

void Progress::Wipe() {
  if (visible_) err_ << Own{"\r\x1b[K"} << std::flush;
  visible_ = false;
  started_ = clock_();
}

ReadingProgress::ReadingProgress(std::ostream& err)
    : ReadingProgress(err, isatty(STDERR_FILENO) == 1, SteadyNow) {}

ReadingProgress::ReadingProgress(std::ostream& err, bool enabled, Progress::Clock clock)
    : enabled_(enabled) {
  if (!enabled_) return;
  auto progress = std::make_shared<Progress>(err, true, std::move(clock));
  ListenToReading([progress](const std::string& name, std::size_t done, std::size_t total) {
    if (done == 0) return progress->Wipe();
    progress->Show("reading", done >> 20, total >> 20, "MiB of " + name);
  });
}

ReadingProgress::~ReadingProgress() {
  if (enabled_) ListenToReading({});
}

std::unique_ptr<Source> WithProgress(std::unique_ptr<Source> source, Progress* progress) {
  return std::make_unique<ShownSource>(std::move(source), progress);
}

}  // namespace schedlens
