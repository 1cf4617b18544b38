#pragma once

// The elementary functions that PromQL uses, with the bits of Go's math package on amd64, which
// follows FreeBSD's msun (fdlibm). The C library's own differ in the last place here and there.

namespace schedlens::go {

/// Natural logarithm. log(0) = -Inf, log(x < 0) = NaN.
double Log(double x);
/// Base 2: exact for powers of two, else log(fraction) * (1 / ln 2) + exponent.
double Log2(double x);
/// 2 to the power of x.
double Exp2(double x);
/// e to the power of x, as Go's amd64 assembly computes it on a machine with fused multiply-add.
double Exp(double x);
/// Base 10: Log(x) * (1 / ln 10).
double Log10(double x);
/// x to the power of y.
double Pow(double x, double y);

}  // namespace schedlens::go
