#include "scheduler/base/distribution.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace schedlens::sim {
namespace {

// Splits at `separator` outside parentheses; an exponent's sign (`1e+3`) does not split.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    const bool exponent = i > 1 && (text[i - 1] == 'e' || text[i - 1] == 'E') &&
                          text[i - 2] >= '0' && text[i - 2] <= '9';
    if (text[i] == separator && depth == 0 && !(separator == '+' && exponent)) {
      out.push_back(Trimmed(text.substr(begin, i - begin), " "));
      begin = i + 1;
    }
  }
  out.push_back(Trimmed(text.substr(begin), " "));
  return out;
}

[[noreturn]] void Fail(std::string_view text, std::string_view why) {
  Raise(ErrorKind::kUsage, "distribution `{}`: {}", text, why);
}

double ParsePlain(std::string_view text) {
  const auto value = ParseSeconds(Trimmed(text, " "));
  if (value && std::isfinite(*value)) return *value;
  Raise(ErrorKind::kUsage, "`{}` is not a number; write e.g. 1.5, 200ms or 2*severity",
        Trimmed(text, " "));
}

std::vector<double> Arguments(std::string_view whole, std::string_view list, std::size_t count,
                              double severity) {
  std::vector<double> out;
  for (std::string_view part : Split(list, ',')) out.push_back(ParseQuantity(part, severity));
  if (out.size() != count) {
    Fail(whole, fmt::format("{} argument{} expected", count, count == 1 ? "" : "s"));
  }
  for (double value : out) {
    if (value < 0) Fail(whole, "no argument may be negative");
  }
  return out;
}

}  // namespace

Distribution Distribution::Of(Kind kind, double a, double b) {
  Distribution out;
  out.parts_.push_back({.kind = kind, .a = a, .b = b, .table = {}});
  return out;
}

Distribution Distribution::Constant(double value) {
  return value == 0 ? Distribution() : Of(Kind::kConstant, value);
}

Distribution Distribution::LogNormal(double median, double sigma) {
  return Of(Kind::kLogNormal, median, sigma);
}

Distribution Distribution::Uniform(double low, double high) {
  return Of(Kind::kUniform, low, high);
}

Distribution Distribution::Empirical(const std::vector<std::pair<double, double>>& buckets) {
  double total = 0, last = 0;
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
  Distribution out = Of(Kind::kEmpirical, 0);
  Part& part = out.parts_.front();
  double running = 0;
  for (const auto& [bound, count] : buckets) {
    running += count;
    part.table.emplace_back(bound, running / total);
  }
  return out;
}

Distribution Distribution::Mixture(const std::vector<std::pair<double, Distribution>>& parts) {
  Distribution out;
  for (const auto& [weight, distribution] : parts) {
    if (!(weight > 0)) continue;
    if (distribution.IsZero()) out.parts_.push_back({.weight = weight, .table = {}});
    for (Part part : distribution.parts_) {
      part.weight *= weight;
      out.parts_.push_back(std::move(part));
    }
  }
  double total = 0, running = 0;
  for (const Part& part : out.parts_) total += part.weight;
  for (Part& part : out.parts_) {
    running += part.weight;
    part.cumulative = running / total;
  }
  if (!out.parts_.empty()) out.parts_.back().cumulative = 1;
  return out;
}

double Distribution::SamplePart(const Part& part, Random& random) {
  if (part.kind == Kind::kConstant) return part.a;
  if (part.kind == Kind::kLogNormal) return part.a * std::exp(part.b * random.Normal());
  if (part.kind == Kind::kUniform) return part.a + (part.b - part.a) * random.Uniform();
  if (part.kind == Kind::kExponential) return part.a * random.Exponential();
  const double u = random.Uniform();
  auto row =
      std::ranges::upper_bound(part.table, u, {}, [](const auto& bucket) { return bucket.second; });
  if (row == part.table.end()) --row;
  if (row == part.table.begin()) return row->first * (u / row->second);
  const auto below = std::prev(row);
  const double share = (u - below->second) / (row->second - below->second);
  return below->first * std::pow(row->first / below->first, share);
}

double Distribution::MeanOfPart(const Part& part) {
  if (part.kind == Kind::kConstant || part.kind == Kind::kExponential) return part.a;
  if (part.kind == Kind::kLogNormal) return part.a * std::exp(part.b * part.b / 2);
  if (part.kind == Kind::kUniform) return (part.a + part.b) / 2;
  double mean = 0, low = 0, share = 0;
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
  double mean = 0, below = 0;
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

std::optional<double> ParseSeconds(std::string_view text) {
  if (const auto plain = ParseNumber(text)) return plain;
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  for (const auto& [suffix, seconds] : kUnits) {
    if (!text.ends_with(suffix)) continue;
    const auto number = ParseNumber(text.substr(0, text.size() - suffix.size()));
    if (number) return *number * seconds;
  }
  return std::nullopt;
}

double ParseQuantity(std::string_view text, double severity) {
  double sum = 0;
  for (std::string_view term : Split(text, '+')) {
    double product = 1;
    for (std::string_view factor : Split(term, '*')) {
      product *= factor == "severity" ? severity : ParsePlain(factor);
    }
    sum += product;
  }
  return sum;
}

Distribution Distribution::ParseMixture(std::string_view text, double severity) {
  std::vector<std::pair<double, Distribution>> parts;
  double total = 0;
  for (std::string_view term : Split(text, '+')) {
    const std::vector<std::string_view> factors = Split(term, '*');
    if (factors.size() < 2) Fail(text, "each part of a mixture is weight*distribution");
    const double weight = ParseQuantity(factors.front(), severity);
    if (!(weight >= 0 && weight <= 1)) Fail(text, "weights must lie in 0..1");
    const std::string_view rest = Trimmed(term.substr(term.find('*') + 1), " ");
    parts.emplace_back(weight, Parse(rest, severity));
    total += weight;
  }
  if (std::fabs(total - 1) > 1e-6) {
    Fail(text, fmt::format("the weights add up to {}, not 1", FormatNumber(total)));
  }
  return Mixture(parts);
}

// NAME(ARGUMENTS)
Distribution Distribution::ParseNamed(std::string_view text, std::size_t open, double severity) {
  if (text.back() != ')') Fail(text, "a closing parenthesis is missing");
  const std::string_view name = Trimmed(text.substr(0, open), " ");
  const std::string_view list = text.substr(open + 1, text.size() - open - 2);
  if (name == "ln") {
    const auto a = Arguments(text, list, 2, severity);
    if (a[0] == 0) Fail(text, "the median must be positive");
    if (a[1] > 10) Fail(text, "sigma must not exceed 10; it is the standard deviation of ln(x)");
    return LogNormal(a[0], a[1]);
  }
  if (name == "u") {
    const auto a = Arguments(text, list, 2, severity);
    if (a[0] > a[1]) Fail(text, "the lower bound is above the upper one");
    return Uniform(a[0], a[1]);
  }
  if (name == "exp") return Of(Kind::kExponential, Arguments(text, list, 1, severity)[0]);
  if (name == "hist") {
    std::vector<std::pair<double, double>> buckets;
    for (std::string_view item : Split(list, ',')) {
      const std::size_t colon = item.find(':');
      if (colon == std::string_view::npos) Fail(text, "hist takes LE:COUNT pairs");
      buckets.emplace_back(ParseQuantity(item.substr(0, colon), severity),
                           ParseQuantity(item.substr(colon + 1), severity));
    }
    return Empirical(buckets);
  }
  Fail(text, fmt::format("unknown law `{}`; use ln, u, exp or hist", name));
}

Distribution Distribution::Parse(std::string_view text, double severity) {
  text = Trimmed(text, " ");
  if (text.empty()) Fail(text, "empty; write e.g. ln(0.006,0.5), u(2,4) or 0.9*D+0.1*D");
  if (Split(text, '+').size() > 1 && text.find('(') != std::string_view::npos) {
    return ParseMixture(text, severity);
  }
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.find('*') < open) {
    const double value = ParseQuantity(text, severity);
    if (value < 0) Fail(text, "must not be negative");
    return Constant(value);
  }
  return ParseNamed(text, open, severity);
}

std::string Distribution::ToString() const {
  if (parts_.empty()) return "0";
  std::string out;
  for (const Part& part : parts_) {
    if (parts_.size() > 1) {
      if (!out.empty()) out += '+';
      out += FormatNumber(part.weight) + "*";
    }
    const auto named = [&](const char* name, auto... numbers) {
      out += fmt::format("{}({})", name, fmt::join({FormatNumber(numbers)...}, ","));
    };
    if (part.kind == Kind::kConstant) out += FormatNumber(part.a);
    if (part.kind == Kind::kLogNormal) named("ln", part.a, part.b);
    if (part.kind == Kind::kUniform) named("u", part.a, part.b);
    if (part.kind == Kind::kExponential) named("exp", part.a);
    if (part.kind != Kind::kEmpirical) continue;
    double below = 0;
    std::vector<std::string> buckets;
    for (const auto& [bound, cumulative] : part.table) {
      buckets.push_back(FormatNumber(bound) + ":" + FormatNumber(cumulative - below));
      below = cumulative;
    }
    out += fmt::format("hist({})", fmt::join(buckets, ","));
  }
  return out;
}

}  // namespace schedlens::sim
