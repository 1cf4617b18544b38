// Answers of remote read, sampled and streamed.

#include "source/capture/remote_read.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "contract/notes.h"
#include "schedlens/error.h"
#include "source/capture/capture_reader.h"
#include "source/capture/series_collector.h"
#include "source/capture/snappy.h"
#include "source/capture/wire.h"
#include "source/capture/xor_chunk.h"

namespace schedlens {
namespace {

constexpr std::size_t kLargestFile = std::size_t{2} << 30;

/// Castagnoli's CRC, as the frames of a streamed answer have it.
std::uint32_t Crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      std::uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82F63B78U : 0);
      made[i] = crc;
    }
    return made;
  }();
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  }
  return ~crc;
}

/// The frame at `*at`, which moves behind it; nothing for bytes that are no frame.
std::optional<std::string_view> NextFrame(std::string_view bytes, std::size_t* at) {
  constexpr std::size_t kCrc = 4;
  std::uint64_t size = 0;
  try {
    size = ReadVarint(bytes, at);
  } catch (const Error&) {
    return std::nullopt;
  }
  if (size == 0 || bytes.size() - *at < kCrc) return std::nullopt;
  if (size > bytes.size() - *at - kCrc) return std::nullopt;
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < kCrc; ++i) {
    crc = crc << 8 | static_cast<unsigned char>(bytes[*at + i]);
  }
  const std::string_view frame = bytes.substr(*at + kCrc, size);
  if (Crc32c(frame) != crc) return std::nullopt;
  *at += kCrc + size;
  return frame;
}

std::pair<std::string, std::string> ReadLabel(std::string_view message) {
  std::pair<std::string, std::string> label;
  for (Wire wire(message); wire.Next();) {
    if (wire.field() == 1) {
      label.first = wire.Bytes();
    } else if (wire.field() == 2) {
      label.second = wire.Bytes();
    } else {
      wire.Skip();
    }
  }
  return label;
}

Sample ReadSample(std::string_view message) {
  Sample sample;
  for (Wire wire(message); wire.Next();) {
    if (wire.field() == 1) {
      sample.v = wire.Double();
    } else if (wire.field() == 2) {
      sample.t = static_cast<TimeMs>(wire.Varint());
    } else {
      wire.Skip();
    }
  }
  return sample;
}

/// A chunk's samples; nothing for one of native histograms.
std::optional<std::vector<Sample>> ReadChunk(std::string_view message) {
  constexpr std::uint64_t kXor = 1;
  std::uint64_t encoding = 0;
  std::string_view data;
  for (Wire wire(message); wire.Next();) {
    if (wire.field() == 3) {
      encoding = wire.Varint();
    } else if (wire.field() == 4) {
      data = wire.Bytes();
    } else {
      wire.Skip();
    }
  }
  if (encoding != kXor) return std::nullopt;
  return ReadXorChunk(data);
}

/// Each message in field 1; other fields are skipped.
template <typename Take>
void EachFirst(std::string_view message, const Take& take) {
  for (Wire wire(message); wire.Next();) {
    if (wire.field() == 1) {
      take(wire.Bytes());
    } else {
      wire.Skip();
    }
  }
}

class RemoteReadReader : public CaptureReader {
 public:
  explicit RemoteReadReader(std::string name) : name_(std::move(name)) {}

  void Feed(std::string_view piece) override {
    if (piece.size() > kLargestFile - bytes_.size()) {
      throw Error(ErrorKind::kFailed, fmt::format("reading {}: binary data of more than {} GiB",
                                                  name_, kLargestFile >> 30));
    }
    bytes_.append(piece);
  }

  Exposition Finish() override {
    std::size_t at = 0;
    try {
      if (IsStreamedRead(bytes_)) {
        while (at < bytes_.size()) Frame(&at);
      } else {
        remote_read_.AddResponse(UnpackSnappy(bytes_));
      }
    } catch (const Error& error) {
      throw Error(ErrorKind::kFailed,
                  fmt::format("reading {}: a remote-read answer, from byte {} on: {}", name_, at,
                              error.what()));
    }
    return remote_read_.Take();
  }

 private:
  void Frame(std::size_t* at) {
    std::size_t end = *at;
    const auto frame = NextFrame(bytes_, &end);
    if (!frame) throw Error(ErrorKind::kFailed, "a damaged frame (is the file cut off?)");
    remote_read_.AddChunked(*frame);
    *at = end;
  }

  std::string name_;
  std::string bytes_;
  RemoteRead remote_read_;
};

}  // namespace

bool IsStreamedRead(std::string_view bytes) {
  std::size_t at = 0;
  return NextFrame(bytes, &at).has_value();
}

bool IsSampledRead(std::string_view bytes) {
  constexpr std::size_t kShort = 60;  // longer pieces have their length in the next bytes
  std::size_t at = 0;
  try {
    if (ReadVarint(bytes, &at) == 0 || at >= bytes.size()) return false;
  } catch (const Error&) {
    return false;
  }
  const std::size_t tag = static_cast<unsigned char>(bytes[at]);
  const std::size_t length = tag >> 2;
  at += 1 + (length < kShort ? 0 : length - kShort + 1);
  return (tag & 3) == 0 && at < bytes.size() && bytes[at] == '\x0a';
}

void RemoteRead::AddResponse(std::string_view response) {
  EachFirst(response, [this](std::string_view result) {
    EachFirst(result, [this](std::string_view series) { AddSeries(series, false); });
  });
}

void RemoteRead::AddChunked(std::string_view response) {
  EachFirst(response, [this](std::string_view series) { AddSeries(series, true); });
}

void RemoteRead::AddSeries(std::string_view message, bool chunked) {
  std::vector<std::pair<std::string, std::string>> labels;
  Series series;
  for (Wire wire(message); wire.Next();) {
    if (wire.field() == 1) {
      labels.push_back(ReadLabel(wire.Bytes()));
    } else if (wire.field() == 2 && chunked) {
      if (const auto samples = ReadChunk(wire.Bytes())) {
        series.samples.insert(series.samples.end(), samples->begin(), samples->end());
      } else {
        ++natives_;
      }
    } else if (wire.field() == 2) {
      series.samples.push_back(ReadSample(wire.Bytes()));
    } else {
      natives_ += wire.field() == 4 ? 1 : 0;
      wire.Skip();
    }
  }
  series.labels = Labels(labels);
  collector_.Add(std::move(series));
}

Exposition RemoteRead::Take() {
  Exposition out;
  out.series = collector_.Take();
  if (natives_ > 0) {
    out.warnings.push_back(
        SourceNote("the native histograms of a remote-read answer are not read"));
  }
  natives_ = 0;
  return out;
}

std::unique_ptr<CaptureReader> NewRemoteReadReader(std::string name) {
  return std::make_unique<RemoteReadReader>(std::move(name));
}

}  // namespace schedlens
