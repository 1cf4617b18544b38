// What is a histogram quantile worth? Reads lines `le count` (cumulative, `+Inf` last; a line
// `sum S` may follow) from standard input, or takes a built-in sample when there are none, and
// prints what a server shows, what is proven, and the best estimate.
//
//   printf '1 90\n2 98\n4 100\n+Inf 100\nsum 95\n' | quantile_of_buckets 0.99

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "schedlens/estimate.h"
#include "schedlens/histogram.h"

namespace {

struct Input {
  std::vector<schedlens::Bucket> buckets;
  std::optional<double> sum;
};

double BoundOf(const std::string& text) {
  return text == "+Inf" || text == "inf" ? HUGE_VAL : std::atof(text.c_str());
}

Input ReadInput(std::istream& in) {
  Input input;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first;
    double number = 0;
    if (!(words >> first >> number)) continue;
    if (first == "sum") {
      input.sum = number;
    } else {
      input.buckets.push_back({BoundOf(first), number});
    }
  }
  return input;
}

/// 1,000 attempts, the slowest 40 between 2 and 4 s.
Input Sample() { return {{{0.5, 700}, {1, 900}, {2, 960}, {4, 1000}, {HUGE_VAL, 1000}}, 640.0}; }

void Print(const char* label, const schedlens::Interval& interval) {
  std::printf("%-12s %s .. %s s\n", label,
              interval.low ? std::to_string(*interval.low).c_str() : "?",
              interval.high ? std::to_string(*interval.high).c_str() : "?");
}

}  // namespace

int main(int argc, char** argv) {
  const double q = argc > 1 ? std::atof(argv[1]) : 0.99;
  Input input = ReadInput(std::cin);
  if (input.buckets.empty()) input = Sample();
  const auto server = schedlens::QuantileOfBuckets(q, input.buckets, schedlens::Semantics{});
  const auto worth = schedlens::WorthOfQuantile(input.buckets, input.sum, q);
  std::printf("%-12s %g s\n", "server", server.value);
  Print("proven", worth.interval);
  if (worth.estimate.value) std::printf("%-12s %g s\n", "estimate", *worth.estimate.value);
  Print("sampling", worth.sampling);
  for (const std::string& reason : worth.reasons) std::printf("- %s\n", reason.c_str());
  return worth.basis.empty() ? 1 : 0;
}
