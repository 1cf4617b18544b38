#include <gtest/gtest.h>

#include <cmath>

#include "stats/significance.h"

namespace schedlens {
namespace {

TEST(BinomialDensityTest, IsTheOneOfTheTextbook) {
  EXPECT_NEAR(BinomialDensity(2, 3, 0.5), 10.0 / 32, 1e-15);
  EXPECT_NEAR(BinomialDensity(1, 3, 0.25), 4 * 0.25 * std::pow(0.75, 3), 1e-15);
  EXPECT_NEAR(BinomialDensity(0, 7, 0.25), std::pow(0.75, 7), 1e-15);
  EXPECT_NEAR(BinomialDensity(7, 0, 0.25), std::pow(0.25, 7), 1e-15);
  EXPECT_EQ(BinomialDensity(5, 0, 1), 1);
}

TEST(BinomialDensityTest, SumsToOne) {
  for (const double n : {1.0, 15.0, 16.0, 100.0, 10'000.0}) {
    double sum = 0;
    for (double k = 0; k <= n; ++k) sum += BinomialDensity(k, n - k, 0.3);
    EXPECT_NEAR(sum, 1, 1e-12) << n;
  }
}

TEST(BinomialDensityTest, IsPoissonsWhereHitsAreRareAmongVeryMany) {
  const double n = 4e15, mean = 3;
  for (const double k : {0.0, 1.0, 3.0, 10.0}) {
    const double poisson = std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
    EXPECT_NEAR(BinomialDensity(k, n - k, mean / n) / poisson, 1, 1e-12) << k;
  }
}

CountLaw Binomial(double n, double p) {
  return {[=](double k) { return BinomialDensity(k, n - k, p); },
          [=](double k) { return (n - k) / (k + 1) * p / (1 - p); }, std::sqrt(n * p * (1 - p))};
}

// The two ways of adding up, where both are possible: term by term until nothing is added any more.
TEST(TailSumTest, AFlatTailIsTheSumOfItsTerms) {
  for (const double n : {1e6, 1e7, 1e8}) {
    for (const double p : {0.5, 0.1, 0.01}) {
      const CountLaw law = Binomial(n, p);
      for (const double z : {0.0, 1.0, 3.0, 8.0, 20.0, 36.0}) {
        const double k = std::ceil(n * p + z * law.deviation);
        double sum = 0;
        for (double i = k, term = 1; term > sum * 1e-17; ++i) sum += term = law.density(i);
        EXPECT_NEAR(TailSum(law, k, n, 1) / sum, 1, 1e-5) << n << " " << p << " " << z;
      }
    }
  }
}

TEST(TailSumTest, EndsAtItsEnds) {
  const CountLaw law = Binomial(4, 0.5);
  EXPECT_NEAR(TailSum(law, 3, 4, 1), 5.0 / 16, 1e-15);
  EXPECT_NEAR(TailSum(law, 4, 4, 1), 1.0 / 16, 1e-15);
  EXPECT_EQ(TailSum(law, 5, 4, 1), 0);
  EXPECT_EQ(TailSum(law, -1, 0, -1), 0);
}

}  // namespace
}  // namespace schedlens
