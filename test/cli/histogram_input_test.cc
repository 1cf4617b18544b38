// Histograms as no client library writes them, each given to the real binary: the number a server
// shows, what is still proven, and a word about what was wrong. Never a crash, never a silent
// number.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/process.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Rows = std::vector<std::vector<std::string>>;

/// Scrapes of x_bucket at 0, 30 and 60 s; sum and count `late` seconds after the buckets.
std::string Samples(const Rows& rows, const std::vector<std::string>& les,
                    const std::string& labels = "", int late = 0,
                    const std::vector<std::string>& sums = {"0", "120", "240"}) {
  std::string text;
  const std::string comma = labels.empty() ? "" : labels + ",";
  for (std::size_t b = 0; b < les.size(); ++b) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += fmt::format("x_bucket{{{}le=\"{}\"}} {} {}\n", comma, les[b], rows[i][b], 30 * i);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t t = 30 * i + static_cast<std::size_t>(late);
    text += fmt::format("x_sum{{{}}} {} {}\n", labels, sums[i], t);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t t = 30 * i + static_cast<std::size_t>(late);
    text += fmt::format("x_count{{{}}} {} {}\n", labels, rows[i].back(), t);
  }
  return text;
}

Finished Quantile(const std::string& samples, const std::string& format) {
  const TempDir dir;
  const std::string capture = dir.Write("m.om", "# TYPE x histogram\n" + samples + "# EOF\n");
  return RunBinary({"quantile", "x", "-q", "0.9", "--capture", capture, "--start", "0", "--end",
                    "60", "-o", format});
}

const std::vector<std::string> kLes = {"1", "2", "+Inf"};

struct Odd {
  const char* name;
  std::string samples;
  double shown;      ///< NaN: nothing
  double low, high;  ///< proven; NaN: that end is not
  const char* said;  ///< in the text output; empty: nothing is odd about the answer
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> TenThousandBounds() {
  std::vector<std::string> les;
  for (int b = 1; b < 10000; ++b) les.push_back(std::to_string(b));
  les.emplace_back("+Inf");
  return les;
}

Rows TenThousandCounts() {
  Rows rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t b = 0; b < 10000; ++b) {
      rows[i].push_back(std::to_string(i * std::min<std::size_t>(b, 5000)));
    }
  }
  return rows;
}

const std::vector<Odd>& Odds() {
  static const std::vector<Odd> all = {
      {"one scrape falls from bound to bound",
       Samples({{"0", "0", "0"}, {"95", "90", "100"}, {"100", "180", "200"}}, kLes), 2, 1, 2,
       "1 scrape in the window is not a histogram"},
      {"all scrapes fall",
       Samples({{"5", "0", "10"}, {"95", "90", "100"}, {"190", "180", "200"}}, kLes), 171.0 / 185,
       kNone, kNone, "the server raised falling cumulative counts"},
      {"negative counts",
       Samples({{"-5", "0", "10"}, {"-5", "90", "100"}, {"-5", "180", "200"}}, kLes), 1.95, kNone,
       kNone, "nothing is proven about the true value"},
      {"NaN in one scrape",
       Samples({{"0", "0", "0"}, {"NaN", "90", "100"}, {"100", "180", "200"}}, kLes), 2, 1, 2,
       "1 scrape without all buckets (or NaN) left out"},
      {"infinite counts",
       Samples({{"0", "0", "0"}, {"50", "90", "+Inf"}, {"100", "180", "+Inf"}}, kLes), 2, kNone,
       kNone, "3 scrapes in the window are not histograms"},
      {"fractional counts",
       Samples({{"0", "0", "0"}, {"50.5", "90.25", "100.125"}, {"100.5", "190.5", "200.5"}}, kLes),
       1 + (0.9 * 200.5 - 100.5) / 90, 1, 2, "their counts are not whole numbers"},
      {"one bucket", Samples({{"0"}, {"100"}, {"200"}}, {"+Inf"}), kNone, 0, 240.0 / 22,
       "there is no bound but +Inf, so a server shows no number"},
      {"no +Inf bucket", Samples({{"0", "0"}, {"50", "100"}, {"100", "200"}}, {"1", "2"}), kNone,
       kNone, kNone, "no +Inf bucket"},
      {"ten thousand buckets",
       Samples(TenThousandCounts(), TenThousandBounds(), "", 0, {"0", "12505000", "25010000"}),
       4501, 4500, 4501, ""},
      {"one bound in two texts",
       Samples({{"0", "0", "0", "0"}, {"20", "30", "90", "100"}, {"40", "60", "180", "200"}},
               {"1", "1.0", "2", "+Inf"}),
       2, 1, 2, "are the same bound; added"},
      {"sum and count scraped at other times",
       Samples({{"0", "0", "0"}, {"50", "90", "100"}, {"100", "180", "200"}}, kLes, "", 1), 2, 1, 2,
       "no _sum sample at the same scrapes as the buckets"},
      {"replicas of different layouts",
       Samples({{"0", "0", "0"}, {"50", "90", "100"}, {"100", "180", "200"}}, kLes, "pod=\"a\"") +
           Samples({{"0", "0", "0"}, {"50", "90", "100"}, {"100", "180", "200"}},
                   {"1.5", "3", "+Inf"}, "pod=\"b\""),
       3, 1.5, 3, "a server's sum by (le) is wrong here"},
  };
  return all;
}

void ExpectNumber(const nlohmann::json& got, double want, const char* what) {
  if (std::isnan(want)) {
    EXPECT_TRUE(got.is_null()) << what << " " << got;
  } else {
    ASSERT_TRUE(got.is_number()) << what << " " << got;
    EXPECT_NEAR(got.get<double>(), want, 1e-6 * want) << what;
  }
}

TEST(HistogramInputTest, CountsThatNoProcessCountsAreNoObservations) {
  const std::string huge =
      Samples({{"0", "0", "0"}, {"1e307", "9e307", "1e308"}, {"1e307", "9e307", "1e308"}}, kLes, "",
              0, {"0", "1e308", "1e308"});
  const Finished text = Quantile(huge, "text");
  EXPECT_EQ(text.code, 5);
  EXPECT_THAT(text.out, HasSubstr("3 scrapes in the window are not histograms"));
}

TEST(HistogramInputTest, OddCountsAreShownBoundedAndNamed) {
  for (const Odd& odd : Odds()) {
    SCOPED_TRACE(odd.name);
    const Finished json = Quantile(odd.samples, "json");
    ASSERT_EQ(json.code, 0) << json.err;
    const auto answer = nlohmann::json::parse(json.out);
    ExpectNumber(answer.at("shown"), odd.shown, "shown");
    ExpectNumber(answer.at("interval").at("low"), odd.low, "low");
    ExpectNumber(answer.at("interval").at("high"), odd.high, "high");
    const auto& estimate = answer.at("estimate").at("value");
    if (std::isnan(odd.low)) {
      EXPECT_TRUE(estimate.is_null());
    } else {
      EXPECT_GE(estimate.get<double>(), odd.low);
      EXPECT_LE(estimate.get<double>(), odd.high * (1 + 1e-6));
    }
    const Finished text = Quantile(odd.samples, "text");
    ASSERT_EQ(text.code, 0) << text.err;
    // Lines are broken where they are long: compare the words.
    std::string words;
    for (const char c : text.out) {
      const bool blank = c == '\n' || c == ' ';
      if (!blank || (!words.empty() && words.back() != ' ')) words += blank ? ' ' : c;
    }
    EXPECT_THAT(words, HasSubstr(odd.said));
    EXPECT_THAT(words, Not(HasSubstr("-nan")));
  }
}

TEST(HistogramInputTest, WithoutAnyUsableScrapeItSaysWhy) {
  const Finished finished =
      Quantile(Samples({{"NaN", "0", "0"}, {"NaN", "9", "9"}, {"NaN", "9", "9"}}, kLes), "text");
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.err, HasSubstr("3 scrapes without all buckets (or NaN)"));
}

}  // namespace
}  // namespace schedlens
