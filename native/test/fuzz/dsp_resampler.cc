// Any rates, any floats, any split: no crash, no sanitizer report, finite output of the promised length.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "dsp/resampler.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int kRates[] = {8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000};
  if (size < 4) return 0;
  const int from = kRates[data[0] % 8], to = kRates[data[0] / 8 % 8];
  const auto grade = data[1] & 1 ? trunkline::dsp::Grade::kStrict : trunkline::dsp::Grade::kSpeech;
  auto resampler = trunkline::dsp::Resampler::Create(from, to, grade);
  if (!resampler) return 0;
  const size_t piece = 1 + data[2], room = 1 + data[3];
  std::vector<float> in((size - 4) / sizeof(float)), out(room);
  if (!in.empty()) std::memcpy(in.data(), data + 4, in.size() * sizeof(float));
  for (size_t at = 0; at < in.size();) {
    const auto part = std::span<const float>(in).subspan(at, std::min(piece, in.size() - at));
    const size_t promised = resampler->OutputSize(part.size());
    const auto [consumed, produced] = resampler->Process(part, out);
    if (consumed == part.size() && produced > promised) std::abort();
    if (consumed == 0 && produced == 0) std::abort();
    for (size_t i = 0; i < produced; ++i) {
      if (!std::isfinite(out[i])) std::abort();
    }
    at += consumed;
  }
  return 0;
}
