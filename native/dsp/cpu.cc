#include "dsp/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace trunkline::dsp {
namespace {

constexpr Isa kFastestFirst[] = {Isa::kAvx512, Isa::kAvx2, Isa::kNeon, Isa::kPlain};

Isa FindBest() {
  if (const char* wish = std::getenv("TRUNKLINE_ISA")) {
    for (Isa isa : kFastestFirst) {
      if (IsaName(isa) == wish && IsaSupported(isa)) return isa;
    }
  }
  // May be asked first on the realtime path: no list is made.
  return *std::find_if(std::begin(kFastestFirst), std::end(kFastestFirst), IsaSupported);
}

}  // namespace

std::string_view IsaName(Isa isa) {
  switch (isa) {
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kNeon:
      return "neon";
    case Isa::kPlain:
      break;
  }
  return "plain";
}

bool IsaSupported(Isa isa) {
  switch (isa) {
    case Isa::kPlain:
      return true;
#if defined(__x86_64__)
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi2");
    case Isa::kAvx512:
      return IsaSupported(Isa::kAvx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq");
#endif
#if defined(__aarch64__)
    case Isa::kNeon:
      return true;
#endif
    default:
      return false;
  }
}

std::vector<Isa> SupportedIsas() {
  std::vector<Isa> isas;
  for (Isa isa : kFastestFirst) {
    if (IsaSupported(isa)) isas.push_back(isa);
  }
  return isas;
}

Isa BestIsa() {
  static const Isa best = FindBest();
  return best;
}

}  // namespace trunkline::dsp
