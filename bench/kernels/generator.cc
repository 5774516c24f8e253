// Profiles Kokoro's generator: prints a line of JSON for each layer and for the whole, on one
// thread and on two.
//   bench_generator FILE KERNELS RUNS       KERNELS: plain, avx2, avx512
// A layer's time lies between the generator and its kernels; `again` is the time of a second call
// of each kernel, when its input is in the core's own cache: the difference to the first is
// memory.
#include "tts/generator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using namespace trunkline::tts;

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kFrames = 240, kStretch = 32, kFramesASecond = 80;

double SecondsSince(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

struct Work {
  double seconds = 0, products = 0;
};
using Tally = std::map<std::string, Work>;

const GeneratorKernels* real = nullptr;
bool again = false;
std::array<Tally, 2> tallies;
thread_local Tally* mine = nullptr;
std::atomic<size_t> threads_seen{0};

template <class Make>
void Timed(const std::string& name, double products, const Make& make) {
  if (mine == nullptr) mine = &tallies.at(threads_seen++ % tallies.size());
  if (again) make();
  const auto began = Clock::now();
  make();
  Work& work = (*mine)[name];
  work.seconds += SecondsSince(began);
  work.products += products;
}

std::string NameOf(const PackedConv& conv) {
  const ConvShape& shape = conv.shape;
  return std::to_string(shape.in) + " to " + std::to_string(shape.out) + ", " + std::to_string(shape.taps) +
         " rows";
}

void TimedConv(const PackedConv& conv, size_t block, const float* x, ptrdiff_t pitch, size_t rows, float* y) {
  const size_t outputs = std::min(real->block, conv.shape.out - block * real->block);
  const auto products = static_cast<double>(rows * outputs * conv.shape.in * conv.shape.taps);
  Timed("products " + NameOf(conv), products, [&] { real->conv(conv, block, x, pitch, rows, y); });
}

void TimedSnake(const float* x, size_t rows, size_t channels, const float* scale, const float* shift,
                const float* alpha, bool split, float* out) {
  Timed("snake", 0, [&] { real->snake(x, rows, channels, scale, shift, alpha, split, out); });
}

void TimedSpread(const ToomCookPlan& plan, const float* x, size_t channels, size_t dilation, Groups groups,
                 float* v, size_t pitch) {
  Timed("spread", 0, [&] { real->spread(plan, x, channels, dilation, groups, v, pitch); });
}

void TimedGather(const PackedConv& conv, const float* products, size_t pitch, Groups groups, size_t rows,
                 float* y) {
  Timed("gather", 0, [&] { real->gather(conv, products, pitch, groups, rows, y); });
}

std::vector<float> Waves(size_t count, float size) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = size * std::sin(0.37F * static_cast<float>(i % 9973));
  return out;
}

struct Scene {
  std::vector<float> style = Waves(256, 0.2F), x = Waves(kGeneratorChannels * kFrames, 0.8F),
                     harmonics = Waves(kHarmonics * (kHarmonicSteps * kFrames + 1), 0.5F), statistics;

  // Returns the seconds that three seconds of speech take.
  double Speak(const std::shared_ptr<const GeneratorWeights>& weights) const {
    GeneratorStream stream(weights, {style, x, harmonics, kFrames, 0, statistics});
    std::vector<float> out;
    const auto began = Clock::now();
    while (!stream.done()) {
      if (!stream.Step(kStretch, nullptr, out).ok()) std::exit(5);
    }
    return SecondsSince(began);
  }
};

Tally Sum() {
  Tally sum;
  for (const Tally& tally : tallies)
    for (const auto& [name, work] : tally) {
      sum[name].seconds += work.seconds;
      sum[name].products += work.products;
    }
  return sum;
}

// The fastest run counts, because a shared machine shows its real speed only for moments.
void Report(const char* what, const std::shared_ptr<const GeneratorWeights>& weights, Scene& scene,
            int runs) {
  constexpr double kSeconds = static_cast<double>(kFrames) / kFramesASecond;
  double least = 1e9;
  Tally best;
  scene.Speak(weights);
  for (int run = 0; run < runs; ++run) {
    for (Tally& tally : tallies) tally.clear();
    const double took = scene.Speak(weights);
    if (took < least) {
      least = took;
      best = Sum();
    }
  }
  double kernels = 0;
  for (const auto& [name, work] : best) {
    kernels += work.seconds;
    std::printf("{\"run\":\"%s\",\"layer\":\"%s\",\"ms\":%.2f,\"billions\":%.1f}\n", what, name.c_str(),
                1000 * work.seconds / kSeconds, work.products / work.seconds / 1e9);
  }
  std::printf("{\"run\":\"%s\",\"layer\":\"all\",\"ms\":%.2f,\"kernels\":%.2f}\n", what,
              1000 * least / kSeconds, 1000 * kernels / kSeconds);
}

const GeneratorKernels* Named(std::string_view name) {
  for (const GeneratorKernels* kernels : RunnableGeneratorKernels())
    if (kernels->name == name) return kernels;
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4 || (real = Named(arguments[2])) == nullptr) return 2;
  GeneratorKernels timed = *real;
  timed.conv = &TimedConv;
  timed.snake = &TimedSnake;
  if (real->minimal) {
    timed.spread = &TimedSpread;
    timed.gather = &TimedGather;
  }
  Scene scene;
  for (const size_t threads : {size_t{1}, size_t{2}}) {
    auto loaded = LoadGenerator(arguments[1], timed, threads);
    if (!loaded.ok()) return 3;
    const std::shared_ptr<const GeneratorWeights> weights = std::move(loaded).value();
    scene.statistics.assign(weights->statistics, 0.5F);
    Report(threads == 1 ? "one thread" : "two threads", weights, scene, std::atoi(arguments[3]));
    if (threads > 1) continue;
    again = true;
    Report("one thread, again", weights, scene, std::atoi(arguments[3]));
    again = false;
  }
  return 0;
}
