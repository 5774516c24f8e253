// Times contestants in turns, so that a slow spell of the machine falls on all of them alike, and prints one
// JSON object a contestant with the median.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace trunkline::bench {

struct Contestant {
  std::string who;
  std::function<void()> run;
};

// Forces the compiler to assume that `memory` is read and written here.
inline void Touch(const void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

struct RaceResult {
  std::string who;
  double median_ns;  // nanoseconds per sample
  double deviation;  // median absolute deviation of the rounds
};

inline double MedianOf(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

inline std::vector<RaceResult> Race(const std::vector<Contestant>& contestants, double samples, int rounds) {
  std::vector<std::vector<double>> times(contestants.size());
  // The loop raises the clock rate first: the first contestant would pay for it otherwise.
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(50)) Touch(&begin);
  for (int round = -2; round < rounds; ++round) {
    for (size_t i = 0; i < contestants.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      contestants[i].run();
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
      if (round >= 0) times[i].push_back(took.count() / samples);
    }
  }
  std::vector<RaceResult> results;
  for (size_t i = 0; i < contestants.size(); ++i) {
    const double median = MedianOf(times[i]);
    std::vector<double> distances;
    for (double time : times[i]) distances.push_back(std::abs(time - median));
    results.push_back({contestants[i].who, median, MedianOf(distances)});
  }
  return results;
}

// `--quick`: fewer rounds. `--count WHO WORK`: runs one contestant some times and nothing else, for
// callgrind.
struct Options {
  int rounds = 21;
  bool quick = false;
  std::string count_who, count_work;
};

inline Options ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      options.quick = true;
      options.rounds = 5;
    } else if (std::strcmp(argv[i], "--count") == 0 && i + 2 < argc) {
      options.count_who = argv[++i];
      options.count_work = argv[++i];
    } else {
      std::fprintf(stderr, "unknown option %s\n", argv[i]);
      std::exit(2);
    }
  }
  return options;
}

}  // namespace trunkline::bench
