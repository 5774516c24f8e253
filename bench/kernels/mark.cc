// Measures the cost of the watermark: nanoseconds a sample of each kernel, minimum and median of
// many runs, at the rates of the voices.
#include <algorithm>
#include <random>

#include "base/cpu.h"
#include "bench/kernels/race.h"
#include "dsp/watermark/watermark.h"

namespace {

namespace bench = trunkline::bench;
namespace mark = trunkline::watermark;

constexpr int kRates[] = {22050, 24000};
constexpr int kRuns = 400;

std::vector<float> Noise(int samples) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.1F);
  std::vector<float> sound(static_cast<size_t>(samples));
  for (float& sample : sound) sample = normal(random);
  return sound;
}

void Print(int rate, const char* who, watermark::EmbedKernel kernel) {
  const std::vector<float> sound = Noise(rate);
  watermark::WatermarkEmbedder marker({1, 2}, rate, kernel);
  std::vector<double> took;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<float> second = sound;
    const auto start = std::chrono::steady_clock::now();
    marker.Process(second);
    took.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / rate);
    bench::Touch(second.data());
  }
  std::printf("{\"rate\":%d,\"who\":\"%s\",\"least\":%.4f,\"median\":%.4f}\n", rate, who,
              *std::min_element(took.begin(), took.end()), bench::MedianOf(took));
}

}  // namespace

int main() {
  for (const int rate : kRates) {
    Print(rate, "plain", watermark::kEmbedPlain);
#if defined(__x86_64__)
    if (trunkline::base::Cpu().avx2) Print(rate, "avx2", watermark::kEmbedAvx2);
#endif
  }
}
