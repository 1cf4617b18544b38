// Distributions and quantities as a scenario writes them.

#include <fmt/format.h>

#include <cmath>

#include "model/text.h"
#include "schedlens/error.h"
#include "sim/base/distribution.h"

namespace schedlens::sim {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

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
      out.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  out.push_back(Trim(text.substr(begin)));
  return out;
}

[[noreturn]] void Fail(std::string_view text, std::string_view why) {
  throw Error(ErrorKind::kUsage, fmt::format("distribution `{}`: {}", text, why));
}

double ParsePlain(std::string_view text) {
  struct Unit {
    std::string_view suffix;
    double seconds;
  };
  static constexpr Unit kUnits[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
                                    {"s", 1},     {"m", 60},    {"h", 3600}};
  text = Trim(text);
  if (const auto plain = ParseNumber(text)) {
    if (std::isfinite(*plain)) return *plain;
  }
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto number = ParseNumber(text.substr(0, text.size() - unit.suffix.size()));
    if (number && std::isfinite(*number)) return *number * unit.seconds;
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("`{}` is not a number; write e.g. 1.5, 200ms or 2*severity", text));
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
    const std::string_view rest = Trim(term.substr(term.find('*') + 1));
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
  const std::string_view name = Trim(text.substr(0, open));
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
  if (name == "exp") {
    Distribution out;
    Part part;
    part.kind = Kind::kExponential;
    part.a = Arguments(text, list, 1, severity)[0];
    out.parts_.push_back(part);
    return out;
  }
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
  text = Trim(text);
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
    switch (part.kind) {
      case Kind::kConstant:
        out += FormatNumber(part.a);
        break;
      case Kind::kLogNormal:
        out += fmt::format("ln({},{})", FormatNumber(part.a), FormatNumber(part.b));
        break;
      case Kind::kUniform:
        out += fmt::format("u({},{})", FormatNumber(part.a), FormatNumber(part.b));
        break;
      case Kind::kExponential:
        out += fmt::format("exp({})", FormatNumber(part.a));
        break;
      case Kind::kEmpirical: {
        double below = 0;
        std::string list;
        for (const auto& [bound, cumulative] : part.table) {
          if (!list.empty()) list += ',';
          list += fmt::format("{}:{}", FormatNumber(bound), FormatNumber(cumulative - below));
          below = cumulative;
        }
        out += "hist(" + list + ")";
        break;
      }
    }
  }
  return out;
}

}  // namespace schedlens::sim
