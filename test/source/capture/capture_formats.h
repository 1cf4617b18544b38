#pragma once

// Reading a text as a capture, and what came of it, as one text.

#include <string>
#include <string_view>

#include "base/text.h"
#include "schedlens/error.h"
#include "source/capture/capture_source.h"

namespace schedlens {

/// A line a series: `x{a="b"} 1@10 stale@20`; or `error: ...`.
inline std::string ReadAs(std::string_view bytes) {
  std::string out;
  try {
    for (const Series& series : ParseCapture(bytes, "F", 0).series) {
      out += series.labels.ToString();
      for (const Sample& sample : series.samples) {
        out += " " + (IsStaleMarker(sample.v) ? "stale" : FormatNumber(sample.v)) + "@" +
               std::to_string(sample.t);
      }
      out += '\n';
    }
  } catch (const Error& error) {
    out = std::string("error: ") + error.what();
  }
  return out;
}

}  // namespace schedlens
