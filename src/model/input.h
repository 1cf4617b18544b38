#ifndef SCHEDLENS_MODEL_INPUT_H_
#define SCHEDLENS_MODEL_INPUT_H_

// How much is read of one file or of standard input (every reader keeps to it: see byte_source.h
// and file.h), and how far the reading has come, told to whoever shows it to the user.

#include <cstddef>
#include <functional>
#include <string>

namespace schedlens {

inline constexpr std::size_t kDefaultMaxInput = std::size_t{2} << 30;

/// Bytes of one input after unpacking, for the whole process; `--max-input`. May be read by any
/// thread; is set before the first file is read.
std::size_t MaxInput();
void SetMaxInput(std::size_t bytes);

/// `64 MiB`, `2 GiB`; bytes where the size is no whole number of MiB.
std::string SizeText(std::size_t bytes);

/// Throws Error(kFailed) for more than MaxInput() bytes. `name` is the input's name in the message.
void CheckInputSize(const std::string& name, std::size_t bytes);

/// What is read, bytes read so far (unpacked), and of how many (0 = not known). All empty where a
/// reading begins or has ended.
using ReadingListener =
    std::function<void(const std::string& name, std::size_t done, std::size_t total)>;

/// For the whole process; an empty one ends it. Calls come one at a time, from any thread.
void ListenToReading(ReadingListener listener);

/// One reading, which ends with this object.
class InputReading {
 public:
  explicit InputReading(std::string name, std::size_t total = 0);
  ~InputReading();
  InputReading(const InputReading&) = delete;
  InputReading& operator=(const InputReading&) = delete;

  /// Tells the listener, if there is one.
  void Come(std::size_t done) const;

 private:
  std::string name_;
  std::size_t total_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_INPUT_H_
