#ifndef SCHEDLENS_MODEL_INPUT_READING_H_
#define SCHEDLENS_MODEL_INPUT_READING_H_

// How far the reading of a long input has come, told to whoever shows it to the user.

#include <cstddef>
#include <functional>
#include <string>

namespace schedlens {

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

#endif  // SCHEDLENS_MODEL_INPUT_READING_H_
