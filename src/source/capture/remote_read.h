#ifndef SCHEDLENS_SOURCE_CAPTURE_REMOTE_READ_H_
#define SCHEDLENS_SOURCE_CAPTURE_REMOTE_READ_H_

// The messages of remote read, apart from how a file packs them.

#include <cstddef>
#include <string_view>

#include "model/exposition.h"
#include "source/capture/series_collector.h"

namespace schedlens {

/// Whether bytes begin with a frame of a streamed answer, its checksum included.
bool IsStreamedRead(std::string_view bytes);
/// Whether bytes begin as a snappy block with a ReadResponse does: a size, then a literal piece
/// whose first byte is that of a first field.
bool IsSampledRead(std::string_view bytes);

class RemoteRead {
 public:
  /// A ReadResponse, unpacked. Throws Error(kFailed) for what is none.
  void AddResponse(std::string_view response);
  /// A ChunkedReadResponse: what one frame holds. Throws Error(kFailed) for what is none.
  void AddChunked(std::string_view response);
  /// All series so far; a warning where native histograms were left out.
  Exposition Take();

 private:
  void AddSeries(std::string_view message, bool chunked);

  SeriesCollector collector_;
  std::size_t natives_ = 0;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_REMOTE_READ_H_
