#include "diagnose/pods/holders.h"
#include "diagnose/tail/worst_case.h"

namespace schedlens {
namespace {

constexpr double kMost = 1e9;  ///< pod-seconds that nobody reaches
constexpr double kRounding = 1e-5;

std::size_t IndexOf(Holder holder) { return static_cast<std::size_t>(holder); }

BoundedValue Widened(const BoundedValue& x, double times) {
  return {std::max(0.0, x.value - (x.value - x.low) * times), x.value,
          x.value + (x.high - x.value) * times};
}

/// Least and most of each holder; nothing where the sums do not fit.
bool FindEnds(const std::vector<HeldSum>& sums, double times, HeldTime* out) {
  using Kind = LinearProgram::Kind;
  LinearProgram program;
  std::array<std::vector<LinearProgram::Entry>, kHolders> columns;
  const auto add = [&](Kind kind, double right, const std::vector<Holder>& holders) {
    const std::size_t row = program.AddRow(kind, right, kRounding);
    for (const Holder holder : holders) columns[IndexOf(holder)].push_back({row, 1});
  };
  for (const HeldSum& sum : sums) {
    const BoundedValue seconds = Widened(sum.seconds, times);
    // The program moves right sides by a millionth.
    const double hair = kRounding * std::max(1.0, seconds.value);
    if (seconds.low > hair) add(Kind::kAtLeast, seconds.low - hair, sum.holders);
    if (seconds.high < kMost) add(Kind::kAtMost, seconds.high + hair, sum.holders);
  }
  for (std::size_t i = 0; i < kHolders; ++i) add(Kind::kAtMost, kMost, {static_cast<Holder>(i)});
  for (const auto& column : columns) program.AddColumn(column);
  if (!program.Start()) return false;
  for (std::size_t i = 0; i < kHolders; ++i) {
    std::array<double, kHolders> costs{};
    costs[i] = 1;
    const double high = program.Maximize(costs, kHolders * kMost);
    costs[i] = -1;
    const double low = std::max(0.0, -program.Maximize(costs, kHolders * kMost));
    out->seconds[i] = {low, low, high < kMost / 2 ? high : kInfinity};
  }
  return true;
}

/// Least squares, one sum after the other: each is seen with an error of a fifth of its width.
std::array<double, kHolders> Estimate(const std::vector<HeldSum>& sums) {
  constexpr double kUnknown = 1e5;
  std::array<double, kHolders> x{};
  std::array<std::array<double, kHolders>, kHolders> spread{};
  for (std::size_t i = 0; i < kHolders; ++i) spread[i][i] = kUnknown * kUnknown;
  const auto see = [&](const HeldSum& sum) {
    const BoundedValue& s = sum.seconds;
    const double error = s.high < kMost ? (s.high - s.low) / 5 + 0.5 : 10 * (s.value - s.low) + 10;
    std::array<double, kHolders> gain{};
    double width = error * error, expected = 0;
    for (const Holder a : sum.holders) {
      expected += x[IndexOf(a)];
      for (std::size_t i = 0; i < kHolders; ++i) gain[i] += spread[i][IndexOf(a)];
    }
    for (const Holder a : sum.holders) width += gain[IndexOf(a)];
    for (std::size_t i = 0; i < kHolders; ++i) {
      x[i] += gain[i] / width * (s.value - expected);
      for (std::size_t j = 0; j < kHolders; ++j) spread[i][j] -= gain[i] * gain[j] / width;
    }
  };
  for (std::size_t i = 0; i < kHolders; ++i) see({{static_cast<Holder>(i)}, {0, 0, kUnknown}});
  for (const HeldSum& sum : sums) see(sum);
  return x;
}

}  // namespace

std::optional<HeldTime> SolveHolders(const std::vector<HeldSum>& sums) {
  for (const double times : {1.0, 1.3, 1.7, 2.5, 4.0, 8.0, 20.0, 100.0, 1e4}) {
    HeldTime out;
    if (!FindEnds(sums, times, &out)) continue;
    out.relaxation = times;
    const auto values = Estimate(sums);
    for (std::size_t i = 0; i < kHolders; ++i) {
      BoundedValue& one = out.seconds[i];
      one.high = std::max(one.high, one.low);
      one.value = std::clamp(values[i], one.low, one.high);
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace schedlens
