#include "dsp/cpu.h"

#include <algorithm>
#include <iterator>

#include "base/cpu.h"

namespace trunkline::dsp {
namespace {

constexpr Isa kFastestFirst[] = {Isa::kAvx512, Isa::kAvx2, Isa::kNeon, Isa::kPlain};

Isa FindBest() {
  // It makes no list, because it may run first on the realtime path.
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
  const base::CpuFeatures& cpu = base::Cpu();
  switch (isa) {
    case Isa::kAvx2:
      return cpu.avx2;
    case Isa::kAvx512:
      return cpu.avx512;
    case Isa::kNeon:
      return cpu.neon;
    case Isa::kPlain:
      break;
  }
  return true;
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
