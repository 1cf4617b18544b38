#include <gtest/gtest.h>

#include "schedlens/estimate.h"

namespace schedlens {
namespace {

TEST(Measured, ExactHasNoWidth) {
  const Measured m = Exact(1.5, "s");
  EXPECT_EQ(m, (Measured{1.5, 1.5, 1.5, "s", BasisKind::kExact}));
}

TEST(Measured, EstimatedProvesNothing) {
  const Measured m = Estimated(0.2, "1", BasisKind::kLossySample);
  EXPECT_EQ(m.value, 0.2);
  EXPECT_FALSE(m.low.has_value() || m.high.has_value());
}

TEST(Measured, BoundedClampsThePointIntoTheBounds) {
  EXPECT_EQ(Bounded(1, 3, 2, "s", BasisKind::kBuckets).value, 2);
  EXPECT_EQ(Bounded(1, 0, 2, "s", BasisKind::kBuckets).value, 1);
  EXPECT_EQ(Bounded(1, 1.5, 2, "s", BasisKind::kBuckets).value, 1.5);
  const Measured crossed = Bounded(2, 1, 1.9999999999999998, "s", BasisKind::kBuckets);
  EXPECT_LE(*crossed.low, *crossed.value);
  EXPECT_LE(*crossed.value, *crossed.high);
}

}  // namespace
}  // namespace schedlens
