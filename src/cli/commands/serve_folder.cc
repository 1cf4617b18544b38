#include "cli/commands/serve_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const std::string& what, const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kFailed, fmt::format("{} {}: {}", what, path, why));
}

bool IsReport(const fs::path& path) {
  constexpr std::size_t kDigits = 16;
  const std::string ending = path.extension(), name = path.stem();
  if (ending != ".html" && ending != ".json" && ending != ".txt") return false;
  return name.size() > kDigits && name[name.size() - kDigits - 1] == '-' &&
         name.find_last_not_of("0123456789abcdef") == name.size() - kDigits - 1;
}

struct OldReport {
  fs::file_time_type written = fs::file_time_type::min();  ///< its newest file
  std::vector<fs::path> files;
};

}  // namespace

void MakeFolder(const std::string& path) {
  std::error_code error;
  std::vector<fs::path> changed;  // folders that get a new name
  fs::path missing = fs::absolute(path).lexically_normal();
  if (!missing.has_filename()) missing = missing.parent_path();
  while (!fs::exists(missing, error) && missing.has_relative_path()) {
    missing = missing.parent_path();
    changed.push_back(missing);
  }
  fs::create_directories(path, error);
  if (error) Fail("making", path, error.message());
  for (const fs::path& folder : changed) SyncFolder(folder);
}

void MakePrivateFolder(const std::string& path) {
  MakeFolder(path);
  std::error_code error;
  fs::permissions(path, fs::perms::owner_all, error);
  if (error) Fail("making private", path, error.message());
}

void KeepNewest(const std::string& folder, std::size_t most) {
  std::map<std::string, OldReport> reports;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!IsReport(at->path())) continue;
    std::error_code gone;
    const auto written = at->last_write_time(gone);
    if (gone) continue;
    OldReport& report = reports[at->path().stem()];
    report.written = std::max(report.written, written);
    report.files.push_back(at->path());
  }
  if (reports.size() <= most) return;
  std::vector<OldReport> oldest;
  for (auto& [name, report] : reports) oldest.push_back(std::move(report));
  std::sort(oldest.begin(), oldest.end(),
            [](const OldReport& a, const OldReport& b) { return a.written < b.written; });
  oldest.resize(oldest.size() - most);
  for (const OldReport& report : oldest) {
    for (const fs::path& file : report.files) fs::remove(file, error);
  }
}

void SyncFolder(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) Fail("writing", path, std::strerror(errno));
  const int why = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  close(fd);
  if (why != 0) Fail("writing", path, std::strerror(why));
}

}  // namespace schedlens
