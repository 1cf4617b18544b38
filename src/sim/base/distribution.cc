#include "sim/base/distribution.h"

#include <algorithm>
#include <cmath>

#include "schedlens/error.h"

namespace schedlens::sim {

Distribution Distribution::Constant(double value) {
  Distribution out;
  if (value == 0) return out;
  Part part;
  part.a = value;
  out.parts_.push_back(part);
  return out;
}

Distribution Distribution::LogNormal(double median, double sigma) {
  Distribution out;
  Part part;
  part.kind = Kind::kLogNormal;
  part.a = median;
  part.b = sigma;
  out.parts_.push_back(part);
  return out;
}

Distribution Distribution::Uniform(double low, double high) {
  Distribution out;
  Part part;
  part.kind = Kind::kUniform;
  part.a = low;
  part.b = high;
  out.parts_.push_back(part);
  return out;
}

Distribution Distribution::Empirical(const std::vector<std::pair<double, double>>& buckets) {
  double total = 0;
  double last = 0;
  for (const auto& [bound, count] : buckets) {
    if (!(bound > last) || !std::isfinite(bound) || count < 0) {
      throw Error(ErrorKind::kUsage,
                  "empirical distribution: bounds must ascend from above 0 and be finite, "
                  "counts must not be negative");
    }
    last = bound;
    total += count;
  }
  if (!(total > 0)) {
    throw Error(ErrorKind::kUsage, "empirical distribution: no bucket holds a count");
  }
  Part part;
  part.kind = Kind::kEmpirical;
  double running = 0;
  for (const auto& [bound, count] : buckets) {
    running += count;
    part.table.emplace_back(bound, running / total);
  }
  IndexRows(&part);
  Distribution out;
  out.parts_.push_back(std::move(part));
  return out;
}

// A draw need not search the whole table.
void Distribution::IndexRows(Part* part) {
  constexpr std::size_t kRows = 64;  // a power of two: shares fall between without rounding
  part->rows.reserve(kRows);
  std::size_t row = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double share = static_cast<double>(i) / kRows;
    while (row + 1 < part->table.size() && part->table[row].second <= share) ++row;
    part->rows.push_back(static_cast<std::uint32_t>(row));
  }
}

Distribution Distribution::Mixture(const std::vector<std::pair<double, Distribution>>& parts) {
  Distribution out;
  for (const auto& [weight, distribution] : parts) {
    if (!(weight > 0)) continue;
    if (distribution.parts_.empty()) {
      Part zero;
      zero.weight = weight;
      out.parts_.push_back(zero);
      continue;
    }
    for (Part part : distribution.parts_) {
      part.weight *= weight;
      out.parts_.push_back(std::move(part));
    }
  }
  out.Accumulate();
  return out;
}

void Distribution::Accumulate() {
  double total = 0;
  for (const Part& part : parts_) total += part.weight;
  double running = 0;
  for (Part& part : parts_) {
    running += part.weight;
    part.cumulative = running / total;
  }
  if (!parts_.empty()) parts_.back().cumulative = 1;
}

double Distribution::SamplePart(const Part& part, Random& random) {
  switch (part.kind) {
    case Kind::kConstant:
      return part.a;
    case Kind::kLogNormal:
      return part.a * std::exp(part.b * random.Normal());
    case Kind::kUniform:
      return part.a + (part.b - part.a) * random.Uniform();
    case Kind::kExponential:
      return part.a * random.Exponential();
    case Kind::kEmpirical:
      break;
  }
  const double u = random.Uniform();
  const auto step = static_cast<std::size_t>(u * static_cast<double>(part.rows.size()));
  auto row = part.table.begin() + part.rows[step];
  while (row->second <= u && std::next(row) != part.table.end()) ++row;
  if (row == part.table.begin()) return row->first * (u / row->second);
  const auto below = std::prev(row);
  const double share = (u - below->second) / (row->second - below->second);
  return below->first * std::pow(row->first / below->first, share);
}

double Distribution::MeanOfPart(const Part& part) {
  switch (part.kind) {
    case Kind::kConstant:
    case Kind::kExponential:
      return part.a;
    case Kind::kLogNormal:
      return part.a * std::exp(part.b * part.b / 2);
    case Kind::kUniform:
      return (part.a + part.b) / 2;
    case Kind::kEmpirical:
      break;
  }
  double mean = 0;
  double low = 0;
  double share = 0;
  for (const auto& [bound, cumulative] : part.table) {
    const double middle = low == 0 ? bound / 2 : (bound - low) / std::log(bound / low);
    mean += (cumulative - share) * middle;
    low = bound;
    share = cumulative;
  }
  return mean;
}

double Distribution::Sample(Random& random) const {
  if (parts_.empty()) return 0;
  if (parts_.size() == 1) return SamplePart(parts_.front(), random);
  const double u = random.Uniform();
  for (const Part& part : parts_) {
    if (u < part.cumulative) return SamplePart(part, random);
  }
  return SamplePart(parts_.back(), random);
}

double Distribution::Mean() const {
  double mean = 0;
  double below = 0;
  for (const Part& part : parts_) {
    mean += (part.cumulative - below) * MeanOfPart(part);
    below = part.cumulative;
  }
  return mean;
}

Distribution Distribution::Scaled(double factor) const {
  Distribution out = *this;
  for (Part& part : out.parts_) {
    part.a *= factor;
    if (part.kind == Kind::kUniform) part.b *= factor;
    for (auto& row : part.table) row.first *= factor;
  }
  return out;
}

}  // namespace schedlens::sim
