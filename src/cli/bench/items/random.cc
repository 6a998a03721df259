#include "cli/bench/items/random.h"

#include <algorithm>
#include <cmath>

namespace armature::cli::bench {

// With density h(x) = x^-s, Integral is its antiderivative shifted to be 0 at x = 1.
double Zipfian::Integral(double x) const {
  const double t = 1.0 - exponent_;
  return std::abs(t) < 1e-9 ? std::log(x) : std::expm1(t * std::log(x)) / t;
}

double Zipfian::IntegralInverse(double y) const {
  const double t = 1.0 - exponent_;
  return std::abs(t) < 1e-9 ? std::exp(y) : std::exp(std::log1p(t * y) / t);
}

Zipfian::Zipfian(uint64_t count, double exponent) : count_(std::max<uint64_t>(count, 1)), exponent_(exponent) {
  upper_ = Integral(static_cast<double>(count_) + 0.5);
  lower_ = Integral(1.5) - 1.0;
  shortcut_ = 2.0 - IntegralInverse(Integral(2.5) - std::pow(2.0, -exponent_));
}

uint64_t Zipfian::Next(Random& random) const {
  for (;;) {
    const double u = upper_ + random.Unit() * (lower_ - upper_);
    const double x = IntegralInverse(u);
    const double rank = std::clamp(std::floor(x + 0.5), 1.0, static_cast<double>(count_));
    if (rank - x <= shortcut_ || u >= Integral(rank + 0.5) - std::pow(rank, -exponent_)) {
      return static_cast<uint64_t>(rank) - 1;
    }
  }
}

}  // namespace armature::cli::bench
