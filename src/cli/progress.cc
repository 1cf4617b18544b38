#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/interrupt.h"
#include "cli/safe_stream.h"
#include "report/format.h"

namespace schedlens {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuietFor{1000};
constexpr milliseconds kBetween{100};
constexpr std::size_t kDetailWidth = 40;

class ShownSource : public Source {
 public:
  ShownSource(std::unique_ptr<Source> source, Progress* progress)
      : source_(std::move(source)), progress_(progress) {}

  Answer Ask(const Query& query) override {
    progress_->Show("query", ++asked_, 0, query.promql);
    return source_->Ask(query);
  }
  std::vector<Answer> AskAll(const std::vector<Query>& queries) override {
    Tell(queries);
    return source_->AskAll(queries);
  }
  void AskEach(const std::vector<Query>& queries,
               const std::function<void(std::size_t, Answer)>& take) override {
    Tell(queries);
    source_->AskEach(queries, take);
  }
  SourceInfo Describe() override { return source_->Describe(); }

 private:
  void Tell(const std::vector<Query>& queries) {
    asked_ += queries.size();
    if (!queries.empty()) progress_->Show("queries", queries.size(), 0, queries.front().promql);
  }

  std::unique_ptr<Source> source_;
  Progress* progress_;
  std::size_t asked_ = 0;
};

// The other screen, no cursor.
constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";
constexpr const char* kHome = "\x1b[H";
// Before the line: behind a full one it would take its last column.
constexpr const char* kClearLine = "\x1b[K";
constexpr const char* kToScreenEnd = "\x1b[J";
constexpr std::size_t kRule = 80;

}  // namespace

bool Progress::OnTerminal() { return isatty(STDERR_FILENO) == 1; }

milliseconds Progress::Now() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

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
  err_ << Own{"\r"} << doing << count << "  " << OnOneLine(detail.substr(0, kDetailWidth))
       << Own{"\x1b[K"} << std::flush;
  drawn_ = now;
  visible_ = true;
}

void Progress::Wipe() {
  if (visible_) err_ << Own{"\r\x1b[K"} << std::flush;
  visible_ = false;
  started_ = clock_();
}

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

Screen::Screen(std::ostream& out, std::function<TerminalSize()> size)
    : out_(out), size_(std::move(size)) {}

Screen::~Screen() { Close(); }

void Screen::Show(const std::string& head, const std::string& text) {
  if (!size_) {
    std::string line = "-- " + head + " ";
    line.append(kRule - std::min(kRule - 1, line.size()), '-');
    out_ << line << "\n" << Own{text} << std::flush;
    return;
  }
  std::string drawn;
  if (!open_) {
    RestoreOnInterrupt(kLeave);
    open_ = true;
    drawn = kEnter;
  }
  drawn += kHome;
  std::string_view left = text, line = head;
  const TerminalSize size = size_();
  // The last row stays empty: a line end there would scroll.
  for (int rows = std::max(size.rows, 2) - 1; rows > 0;) {
    const int height = RowsOf(line, std::max(1, size.columns));
    const bool fits = height <= rows - (left.empty() ? 0 : 1);
    for (int row = 1; fits && row < height; ++row) drawn.append("\r\n").append(kClearLine);
    if (fits && height > 1) drawn += fmt::format("\x1b[{}A", height - 1);
    drawn.append(kClearLine).append(fits ? line : "…").append("\r\n");
    if (!fits || left.empty()) break;
    rows -= height;
    const std::size_t end = std::min(left.find('\n'), left.size());
    line = left.substr(0, end);
    left.remove_prefix(std::min(left.size(), end + 1));
  }
  out_ << Own{drawn} << Own{kToScreenEnd} << std::flush;
}

void Screen::Close() {
  if (!open_) return;
  open_ = false;
  out_ << Own{kLeave} << std::flush;
  RestoreOnInterrupt(nullptr);
}

TerminalSize SizeOfTerminal() {
  constexpr TerminalSize kDefault{24, 80};
  winsize size{};
  const bool known =
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  return known ? TerminalSize{size.ws_row, size.ws_col} : kDefault;
}

}  // namespace schedlens
