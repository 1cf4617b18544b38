// Constants and order of operations: FreeBSD e_log.c and e_exp.c (Sun Microsystems 1993), as Go's
// documentation of math.Log and math.Exp2 names them; of Exp: Naoki Shibata, ISC 2010.

#include "stats/go_math.h"

#include <cstdint>

#include "base/not_finite.h"

namespace schedlens::go {
namespace {

constexpr double kLn2 = 0.693147180559945309417232121458176568;
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kHalfSqrt2 = 1.41421356237309504880168872420969807856967187537694 / 2;

/// exp(high - low) * 2^k for |high - low| <= ln(2) / 2.
double ExpOfParts(double high, double low, int k) {
  constexpr double kP1 = 1.66666666666666657415e-01;
  constexpr double kP2 = -2.77777777770155933842e-03;
  constexpr double kP3 = 6.61375632143793436117e-05;
  constexpr double kP4 = -1.65339022054652515390e-06;
  constexpr double kP5 = 4.13813679705723846039e-08;
  const double r = high - low, t = r * r;
  const double c = r - t * (kP1 + t * (kP2 + t * (kP3 + t * (kP4 + t * kP5))));
  const double y = 1 - ((low - (r * c) / (2 - c)) - high);
  return std::ldexp(y, k);
}

bool IsOddInteger(double x) {
  if (std::fabs(x) >= 9007199254740992.0) return false;  // all even from 2^53 on
  return std::trunc(x) == x && std::fmod(std::fabs(x), 2.0) == 1.0;
}

double PowOfZero(double x, double y) {
  const bool negative = std::signbit(x) && IsOddInteger(y);
  if (y < 0) return negative ? -kInfinity : kInfinity;
  return negative ? x : 0.0;
}

double PowOfInfinities(double x, double y) {
  if (std::isinf(y)) {
    if (x == -1) return 1;
    return (std::fabs(x) < 1) == (y > 0) ? 0.0 : kInfinity;
  }
  if (x == -kInfinity) return PowOfZero(-0.0, -y);
  return y < 0 ? 0.0 : kInfinity;
}

/// x^(whole) * 2^exponent * factor by repeated squaring of the fraction of x.
double PowBySquaring(double x, double whole, bool inverse, double factor) {
  int exponent = 0, power = 0;
  double fraction = std::frexp(x, &power);
  for (auto i = static_cast<std::int64_t>(whole); i != 0; i >>= 1) {
    if (power < -(1 << 12) || power > (1 << 12)) {
      exponent += power;  // over- or underflows whatever follows
      break;
    }
    if ((i & 1) == 1) {
      factor *= fraction;
      exponent += power;
    }
    fraction *= fraction;
    power *= 2;
    if (fraction < 0.5) {
      fraction += fraction;
      --power;
    }
  }
  if (inverse) {
    factor = 1 / factor;
    exponent = -exponent;
  }
  return std::ldexp(factor, exponent);
}

}  // namespace

double Log(double x) {
  constexpr double kL1 = 6.666666666666735130e-01;
  constexpr double kL2 = 3.999999999940941908e-01;
  constexpr double kL3 = 2.857142874366239149e-01;
  constexpr double kL4 = 2.222219843214978396e-01;
  constexpr double kL5 = 1.818357216161805012e-01;
  constexpr double kL6 = 1.531383769920937332e-01;
  constexpr double kL7 = 1.479819860511658591e-01;
  if (std::isnan(x) || x == kInfinity) return x;
  if (x < 0) return kNaN;
  if (x == 0) return -kInfinity;
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < kHalfSqrt2) {
    fraction *= 2;
    --exponent;
  }
  const double f = fraction - 1, k = exponent;
  const double s = f / (2 + f), s2 = s * s;
  const double s4 = s2 * s2, t1 = s2 * (kL1 + s4 * (kL3 + s4 * (kL5 + s4 * kL7)));
  const double t2 = s4 * (kL2 + s4 * (kL4 + s4 * kL6));
  const double r = t1 + t2, half_square = 0.5 * f * f;
  return k * kLn2High - ((half_square - (s * (half_square + r) + k * kLn2Low)) - f);
}

double Exp(double x) {
  // Shibata 2010: reduced to |r| <= ln(2) / 32, a Taylor series, four squarings of 1 + y kept as y.
  constexpr double kLog2E = 1.4426950408889634073599246810018920;
  constexpr double kLn2Upper = 0.69314718055966295651160180568695068359375;
  constexpr double kLn2Lower = 0.28235290563031577122588448175013436025525412068e-12;
  constexpr double kOverflow = 7.09782712893384e+02;
  constexpr double kUnderflow = -7.45133219101941108420e+02;
  constexpr double kTaylor[] = {2.4801587301587301587e-5,
                                1.9841269841269841270e-4,
                                1.3888888888888888889e-3,
                                8.3333333333333333333e-3,
                                4.1666666666666666667e-2,
                                1.6666666666666666667e-1,
                                0.5,
                                1.0};
  if (std::isnan(x) || x == kInfinity) return x;
  if (x > kOverflow) return kInfinity;
  if (x < kUnderflow) return 0;
  const double k = std::nearbyint(kLog2E * x);
  double y = std::fma(-k, kLn2Upper, x);
  y = std::fma(-k, kLn2Lower, y);
  y *= 0.0625;
  double series = kTaylor[0];
  for (int i = 1; i < 8; ++i) series = std::fma(y, series, kTaylor[i]);
  y *= series;
  for (int i = 0; i < 3; ++i) y *= y + 2;
  y = std::fma(y + 2, y, 1.0);
  const int exponent = static_cast<int>(k);
  if (exponent + 1023 >= 2047) return kInfinity;
  return std::ldexp(y, exponent);
}

double Log10(double x) {
  return Log(x) * 0.434294481903251827651128918916605082294397;  // 1 / ln 10
}

double Log2(double x) {
  int exponent = 0;
  const double fraction = std::isfinite(x) ? std::frexp(x, &exponent) : x;
  if (fraction == 0.5) return exponent - 1;
  return Log(fraction) * (1 / kLn2) + exponent;
}

double Exp2(double x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x == -kInfinity) return 0;
  if (x > 1.0239999999999999e+03) return kInfinity;
  if (x < -1.0740e+03) return 0;
  int k = 0;
  if (x > 0) k = static_cast<int>(x + 0.5);
  if (x < 0) k = static_cast<int>(x - 0.5);
  const double t = x - k;
  return ExpOfParts(t * kLn2High, -t * kLn2Low, k);
}

double Pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (y == 1) return x;
  if (std::isnan(x) || std::isnan(y)) return kNaN;
  if (x == 0) return PowOfZero(x, y);
  if (std::isinf(x) || std::isinf(y)) return PowOfInfinities(x, y);
  if (y == 0.5) return std::sqrt(x);
  if (y == -0.5) return 1 / std::sqrt(x);
  double whole = 0, part = std::modf(std::fabs(y), &whole);
  if (part != 0 && x < 0) return kNaN;
  if (whole >= 9.223372036854775808e18) {
    if (x == -1) return 1;
    return (std::fabs(x) < 1) == (y > 0) ? 0.0 : kInfinity;
  }
  double factor = 1;
  if (part != 0) {
    if (part > 0.5) {
      --part;
      ++whole;
    }
    factor = Exp(part * Log(x));
  }
  return PowBySquaring(x, whole, y < 0, factor);
}

}  // namespace schedlens::go
