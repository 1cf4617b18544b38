#include "schedlens/semantics.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(SemanticsTest, ReadsAndPrintsVersions) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"2.20", "2.20"},
      {"v2.42.0", "2.42"},
      {"2.42.0+ds", ""},
      {"3.5.1-rc.0", "3.5"},
      {"3.0-arm64", "3.0-arm64"},
      {"3.0.1-s390x", "3.0-arm64"},
      {"2.53-amd64", "2.53"},
      {"3.99", "3.15"},
      {"4.0", "3.15"},
      {"victoriametrics", "victoriametrics"},
      {"vm", "victoriametrics"},
      {"vm-1.79", "victoriametrics-1.79"},
      {"victoriametrics-v1.102.1", "victoriametrics-1.102"},
      {"main", "3.15"},
      {"victoriametrics-1.78", ""},
      {"victoriametrics-2.0", ""},
      {"victoriametrics1.79", ""},
      {"2.19", ""},
      {"1.8", ""},
      {"3", ""},
      {"", ""},
      {"3.x", ""},
      {"3.5-sparc", ""},
      {"3.5.", ""},
      {"-3.5", ""},
      {"3.5-", ""},
  };
  for (const auto& [text, canonical] : table) {
    if (canonical.empty()) {
      EXPECT_THROW(ParseSemantics(text), Error) << text;
      continue;
    }
    EXPECT_EQ(ToString(ParseSemantics(text)), canonical) << text;
    EXPECT_EQ(ParseSemantics(canonical), ParseSemantics(text)) << text;
  }
}

TEST(SemanticsTest, OrdersVersions) {
  EXPECT_TRUE(ParseSemantics("3.0").AtLeast(2, 55));
  EXPECT_FALSE(ParseSemantics("2.9999").AtLeast(3, 0));
  EXPECT_FALSE(ParseSemantics("victoriametrics").AtLeast(2, 20));
}

}  // namespace
}  // namespace schedlens
