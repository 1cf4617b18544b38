#include "scheduler/base/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace schedlens::sim::core {
namespace {

TEST(Quantity, ReadsEverySuffixExactlyAndRoundsUp) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const struct {
    const char* text;
    std::optional<std::int64_t> value, milli;
  } cases[] = {
      {"0", 0, 0},
      {"1", 1, 1000},
      {"250m", 1, 250},
      {"0.1", 1, 100},
      {".5", 1, 500},
      {"5.", 5, 5000},
      {"1.5Gi", 1610612736, 1610612736000},
      {"128Mi", 134217728, 134217728000},
      {"1Ki", 1024, 1024000},
      {"2e3", 2000, 2000000},
      {"2E3", 2000, 2000000},
      {"1e-3", 1, 1},
      {"1E", 1000000000000000000, kMax},
      {"512M", 512000000, 512000000000},
      {"1u", 1, 1},
      {"1n", 1, 1},
      {"100n", 1, 1},
      {"-250m", -1, -250},
      {"+3", 3, 3000},
      {"8Ei", kMax, kMax},
      {"99999999999999999999999999", kMax, kMax},
      {"0.3333333333333333333333333333333333", 1, 334},
      {"", std::nullopt, std::nullopt},
      {"m", std::nullopt, std::nullopt},
      {"1.2.3", std::nullopt, std::nullopt},
      {"1 Gi", std::nullopt, std::nullopt},
      {"1gi", std::nullopt, std::nullopt},
      {"1e", std::nullopt, std::nullopt},
      {"1e1x", std::nullopt, std::nullopt},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(QuantityValue(c.text), c.value) << c.text;
    EXPECT_EQ(QuantityMilli(c.text), c.milli) << c.text;
  }
}

}  // namespace
}  // namespace schedlens::sim::core
