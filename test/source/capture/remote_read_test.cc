#include "source/capture/remote_read.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "source/capture/capture_formats.h"
#include "source/capture/snappy.h"

namespace schedlens {
namespace {

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// What Prometheus 2.42 answered for two series, sampled and streamed.
constexpr const char* kSampled =
    "bd01800aba010a95010a0d0a085f5f6e616d655f5f1201780a060a016112016212100900050120f03f1080d095"
    "ffbc31151214f83f1098c5962e120014f43f10b1ba973a120008c8af9809122c9c7500883ce4377e10c09fba09"
    "120559200008c01098f5f783bd195a101c401080fd0112040a20569700246312071080d095ffbc31";
constexpr const char* kStreamed =
    "840199f4afc40a81010a0d0a085f5f6e616d655f5f1201780a060a0161120162123e0880d095ffbc3110c09fba"
    "ffbc311801222c000580a0abfef9623ff00000000000009875d80e0007605dfff3c000000000020f5870fb070f"
    "90f22001d67012280898f5f783bd311080fdf783bd31180122160002b0eaef87fa62c008000000000000e807c0"
    "7400a03e52d4aafe0a3c0a0d0a085f5f6e616d655f5f1201780a060a016112016312230880d095ffbc311080d0"
    "95ffbc3118012211000180a0abfef962000000000000000000";
constexpr const char* kSeries =
    "x{a=\"b\"} 1@1700000000000 1.5@1700000015000 1.25@1700000030001 1.25@1700000045000 "
    "1e+300@1700000600000 -3@1700009999000 7@1700010000000\n"
    "x{a=\"c\"} 0@1700000000000\n";

TEST(RemoteRead, ReadsWhatAServerAnswers) {
  EXPECT_EQ(ReadAs(FromHex(kSampled)), kSeries);
  EXPECT_EQ(ReadAs(FromHex(kStreamed)), kSeries);
}

TEST(RemoteRead, RefusesWhatIsCutOffOrDamaged) {
  const std::string sampled = FromHex(kSampled), streamed = FromHex(kStreamed);
  EXPECT_EQ(ReadAs(sampled.substr(0, sampled.size() - 1)),
            "error: reading F: a remote-read answer, from byte 0 on: damaged snappy data (is the "
            "file cut off?)");
  EXPECT_EQ(ReadAs(streamed.substr(0, streamed.size() - 1)),
            "error: reading F: a remote-read answer, from byte 138 on: a damaged frame (is the "
            "file cut off?)");
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    std::string damaged = sampled;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    ReadAs(damaged);  // read or refused, but nothing worse
  }
}

TEST(RemoteRead, SaysWhereItLeavesNativeHistogramsOut) {
  // A series without labels with a sample without fields, and an empty histogram.
  RemoteRead read;
  read.AddResponse(std::string("\x0a\x06\x0a\x04\x12\x00\x22\x00", 8));
  const Exposition out = read.Take();
  ASSERT_EQ(out.series.size(), 1u);
  EXPECT_EQ(out.series[0].samples, (std::vector<Sample>{{0, 0}}));
  EXPECT_EQ(out.warnings.size(), 1u);
  EXPECT_THROW(read.AddResponse("\x0a\x7f"), Error);
}

TEST(RemoteRead, IsToldFromOtherBytes) {
  EXPECT_TRUE(IsSampledRead(FromHex(kSampled)));
  EXPECT_TRUE(IsStreamedRead(FromHex(kStreamed)));
  for (const std::string& other :
       {std::string(), std::string(64, '\0'), std::string(64, '\xff'), std::string("PK\x03\x04")}) {
    EXPECT_FALSE(IsSampledRead(other));
    EXPECT_FALSE(IsStreamedRead(other));
  }
}

}  // namespace
}  // namespace schedlens
