#ifndef SCHEDLENS_MODEL_INPUT_LIMIT_H_
#define SCHEDLENS_MODEL_INPUT_LIMIT_H_

// How much is read of one file or of standard input. Every reader keeps to it: see byte_source.h
// and file.h.

#include <cstddef>
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

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_INPUT_LIMIT_H_
