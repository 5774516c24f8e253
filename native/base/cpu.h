// The processor's features, read once. Kernels choose by them, and `doctor` prints them.
#pragma once

#include <string_view>

namespace trunkline::base {

struct CpuFeatures {
  bool avx2 = false;    // with FMA, F16C and BMI2: what *_avx2.cc is compiled for
  bool avx512 = false;  // F, BW, VL and DQ: what *_avx512.cc is compiled for
  bool avx512_vnni = false;
  bool avx_vnni = false;  // the same products in 256 bits, on processors without AVX-512
  bool amx_int8 = false;
  bool amx_bf16 = false;  // needs AVX512-BF16, which *_amx.cc is compiled for
  bool neon = false;

  // The widest set of kernels that this processor runs: "avx512", "avx2", "neon" or "plain".
  std::string_view kernels() const;

  // Returns whether products of unsigned and signed bytes are summed in 32 bits. Without VNNI an x86 processor adds
  // them in pairs of 16 bits, where 255 * 127 + 255 * 127 saturates at 32767.
  bool exact_u8s8() const { return avx512_vnni || avx_vnni || neon; }
};

// The processor's features, limited by TRUNKLINE_CPU (plain, avx2, avx512) in tests and comparisons.
const CpuFeatures& Cpu();

}  // namespace trunkline::base
