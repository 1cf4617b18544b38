#include "verify/queue_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "schedlens/error.h"
#include "verify/queue_run.h"
#include "verify/recorded_json.h"

namespace schedlens::verify {
namespace {

namespace fs = std::filesystem;

std::string ReadWhole(const std::string& file) {
  const auto source = OpenByteSource(file, file);
  std::string out(std::size_t{1} << 20, '\0');
  std::size_t size = 0;
  while (const std::size_t n = source->Read(out.data() + size, out.size() - size)) {
    size += n;
    if (size == out.size()) out.resize(2 * size);
  }
  out.resize(size);
  return out;
}

// Adds the line to what went wrong; a parser's message in a few words.
template <typename Step>
void AtLine(const std::string& file, std::int64_t line, Step step) {
  try {
    step();
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: line {}: {}", file, line, error.what()));
  } catch (const Json::exception& error) {
    // Without the library's own name and number in brackets.
    const std::string_view what = error.what();
    throw Error(ErrorKind::kFailed,
                fmt::format("{}: line {}: {}", file, line, what.substr(what.find("] ") + 2)));
  }
}

}  // namespace

TraceReport ReplayTrace(const std::string& file) {
  const std::string text = ReadWhole(file);
  TraceReport report;
  report.file = file;
  std::unique_ptr<QueueRun> run;
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    AtLine(file, number, [&] {
      const Json json = ParseRecorded(line);
      if (run == nullptr) {
        run = std::make_unique<QueueRun>(json, report.log);
        report.release = run->release();
        return;
      }
      run->Play(json);
      ++report.operations;
    });
  }
  if (report.operations == 0) {
    throw Error(ErrorKind::kFailed, fmt::format("{}: no operation of a queue in it", file));
  }
  return report;
}

std::vector<TraceReport> ReplayTraces(const std::string& path) {
  std::vector<std::string> files;
  if (fs::is_regular_file(path)) {
    files.push_back(path);
  } else if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      const std::string name = entry.path().string();
      if (entry.is_regular_file() && name.ends_with(".jsonl.gz")) files.push_back(name);
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
      throw Error(ErrorKind::kFailed, fmt::format("{}: no *.jsonl.gz in it", path));
    }
  } else {
    throw Error(ErrorKind::kFailed, fmt::format("{}: no such file or folder", path));
  }
  std::vector<TraceReport> out;
  for (const std::string& file : files) out.push_back(ReplayTrace(file));
  return out;
}

}  // namespace schedlens::verify
