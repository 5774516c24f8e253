// Measures the peak of this machine: multiplications a second of floats and of bytes, and bytes
// read from memory. Prints a line of JSON for each. Arguments: the seconds that each takes.
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kInner = 4096;
constexpr int kSums = 12;
constexpr int kFewSums = 6;
// The highest of these counts: a shared machine shows its peak for moments.
constexpr int kTries = 5;
constexpr size_t kBytes = size_t{256} << 20;

double SecondsSince(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

__attribute__((target("avx2,fma"))) double FloatsAvx2() {
  __m256 sums[kSums] = {};
  const __m256 a = _mm256_set1_ps(1.0001F), b = _mm256_set1_ps(1e-6F);
  for (int i = 0; i < kInner; i++) {
#pragma GCC unroll 12
    for (int s = 0; s < kSums; s++) sums[s] = _mm256_fmadd_ps(sums[s], a, b);
  }
  for (int s = 1; s < kSums; s++) sums[0] = _mm256_add_ps(sums[0], sums[s]);
  volatile float result = _mm256_cvtss_f32(sums[0]);
  static_cast<void>(result);
  return 8.0 * kSums * kInner;
}

__attribute__((target("avx512f"))) double FloatsAvx512() {
  __m512 sums[kSums] = {};
  const __m512 a = _mm512_set1_ps(1.0001F), b = _mm512_set1_ps(1e-6F);
  for (int i = 0; i < kInner; i++) {
#pragma GCC unroll 12
    for (int s = 0; s < kSums; s++) sums[s] = _mm512_fmadd_ps(sums[s], a, b);
  }
  for (int s = 1; s < kSums; s++) sums[0] = _mm512_add_ps(sums[0], sums[s]);
  volatile float result = _mm512_cvtss_f32(sums[0]);
  static_cast<void>(result);
  return 16.0 * kSums * kInner;
}

// Without VNNI, pairs in 16 bits are widened by a multiplication with one and added, as the
// library does it.
__attribute__((target("avx2"))) double BytesAvx2() {
  __m256i sums[kFewSums] = {};
  const __m256i a = _mm256_set1_epi8(3), ones = _mm256_set1_epi16(1);
  __m256i b = _mm256_set1_epi8(2);
  for (int i = 0; i < kInner; i++) {
    asm volatile("" : "+x"(b));
#pragma GCC unroll 6
    for (int s = 0; s < kFewSums; s++) {
      __m256i pairs = _mm256_maddubs_epi16(a, b);
      asm volatile("" : "+x"(pairs));
      sums[s] = _mm256_add_epi32(sums[s], _mm256_madd_epi16(pairs, ones));
    }
  }
  for (int s = 1; s < kFewSums; s++) sums[0] = _mm256_add_epi32(sums[0], sums[s]);
  volatile int result = _mm256_extract_epi32(sums[0], 0);
  static_cast<void>(result);
  return 32.0 * kFewSums * kInner;
}

__attribute__((target("avx512f,avx512vnni"))) double BytesVnni() {
  __m512i sums[kSums] = {};
  const __m512i a = _mm512_set1_epi8(3);
  __m512i b = _mm512_set1_epi8(2);
  for (int i = 0; i < kInner; i++) {
    asm volatile("" : "+v"(b));
#pragma GCC unroll 12
    for (int s = 0; s < kSums; s++) sums[s] = _mm512_dpbusd_epi32(sums[s], a, b);
  }
  for (int s = 1; s < kSums; s++) sums[0] = _mm512_add_epi32(sums[0], sums[s]);
  volatile int result = _mm512_cvtsi512_si32(sums[0]);
  static_cast<void>(result);
  return 64.0 * kSums * kInner;
}

__attribute__((target("avx2"))) double ReadMemory(const std::vector<uint8_t>& memory) {
  __m256i sums[4] = {};
  for (size_t at = 0; at + 128 <= memory.size(); at += 128) {
    const auto* from = reinterpret_cast<const __m256i*>(memory.data() + at);
    for (int s = 0; s < 4; s++) sums[s] = _mm256_xor_si256(sums[s], _mm256_loadu_si256(from + s));
  }
  volatile int result = _mm256_extract_epi32(
      _mm256_xor_si256(_mm256_xor_si256(sums[0], sums[1]), _mm256_xor_si256(sums[2], sums[3])), 0);
  static_cast<void>(result);
  return static_cast<double>(memory.size());
}

double Rate(const std::vector<std::function<double()>>& works, double seconds) {
  std::vector<double> rates(works.size());
  std::vector<std::thread> threads;
  for (size_t at = 0; at < works.size(); at++) {
    threads.emplace_back([&, at] {
      works[at]();
      const auto began = Clock::now();
      double done = 0;
      while (SecondsSince(began) < seconds) done += works[at]();
      rates[at] = done / SecondsSince(began);
    });
  }
  double sum = 0;
  for (size_t at = 0; at < works.size(); at++) {
    threads[at].join();
    sum += rates[at];
  }
  return sum;
}

void Report(const char* name, const std::function<std::function<double()>()>& make, double seconds) {
  for (size_t threads : {size_t{1}, size_t{2}}) {
    std::vector<std::function<double()>> works;
    for (size_t at = 0; at < threads; at++) works.push_back(make());
    double best = 0;
    for (int attempt = 0; attempt < kTries; attempt++) best = std::max(best, Rate(works, seconds / kTries));
    std::printf("{\"name\":\"%s\",\"threads\":%zu,\"rate\":%.4g}\n", name, threads, best);
  }
}

std::function<double()> Reading() {
  return [memory = std::vector<uint8_t>(kBytes, 1)] { return ReadMemory(memory); };
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 1;
  if (__builtin_cpu_supports("avx2")) {
    Report(
        "floats avx2", [] { return FloatsAvx2; }, seconds);
    Report(
        "bytes avx2", [] { return BytesAvx2; }, seconds);
    Report("memory", Reading, seconds);
  }
  if (__builtin_cpu_supports("avx512f"))
    Report(
        "floats avx512", [] { return FloatsAvx512; }, seconds);
  if (__builtin_cpu_supports("avx512vnni"))
    Report(
        "bytes avx512", [] { return BytesVnni; }, seconds);
  return 0;
}
