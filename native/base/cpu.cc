#include "base/cpu.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace trunkline::base {
namespace {

CpuFeatures Detect() {
  CpuFeatures cpu;
#if defined(__x86_64__)
  __builtin_cpu_init();
  cpu.avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  cpu.avx512 = cpu.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  cpu.avx512_vnni = cpu.avx512 && __builtin_cpu_supports("avx512vnni");
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (cpu.avx512 && __get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    cpu.amx_int8 = (d >> 25 & 1) != 0;
    cpu.amx_bf16 = (d >> 22 & 1) != 0 && (d >> 24 & 1) != 0;
  }
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d)) {
    cpu.avx_vnni = cpu.avx2 && (a >> 4 & 1) != 0;
    cpu.amx_bf16 = cpu.amx_bf16 && (a >> 5 & 1) != 0;
  }
  if (__get_cpuid(1, &a, &b, &c, &d)) cpu.avx2 = cpu.avx2 && (c >> 29 & 1) != 0;  // F16C
#elif defined(__aarch64__)
  cpu.neon = true;
#endif
  return cpu;
}

CpuFeatures Narrow(CpuFeatures cpu, std::string_view limit) {
  if (limit == "plain") return {};
  if (limit == "avx2") cpu.avx512 = cpu.avx512_vnni = cpu.avx_vnni = false;
  if (limit == "avx2" || limit == "avx512") cpu.amx_int8 = cpu.amx_bf16 = false;
  return cpu;
}

}  // namespace

std::string_view CpuFeatures::kernels() const {
  if (avx512) return "avx512";
  if (avx2) return "avx2";
  return neon ? "neon" : "plain";
}

const CpuFeatures& Cpu() {
  static const CpuFeatures cpu = [] {
    const char* limit = std::getenv("TRUNKLINE_CPU");
    return Narrow(Detect(), limit == nullptr ? "" : limit);
  }();
  return cpu;
}

}  // namespace trunkline::base
