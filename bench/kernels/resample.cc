// Compares resamplers: speed on 20 ms frames, quality by tones, delay by a pulse.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "bench/kernels/race.h"
#include "bench/kernels/resamplers.h"

namespace {

using trunkline::bench::AnyResampler;
using trunkline::bench::Entry;

constexpr int kPairs[][2] = {{24000, 16000}, {24000, 8000},  {48000, 16000}, {8000, 16000}, {16000, 8000},
                             {8000, 24000},  {22050, 16000}, {44100, 16000}, {22050, 8000}};
constexpr int kFrames = 100;

std::vector<float> Through(const Entry& entry, int from, int to, const std::vector<float>& in, size_t piece) {
  const auto resampler = entry.make(from, to, false);
  std::vector<float> out, buffer(16384);
  for (size_t at = 0; at < in.size(); at += piece) {
    const size_t count = std::min(piece, in.size() - at);
    const size_t done = resampler->Run(in.data() + at, count, buffer.data(), buffer.size());
    out.insert(out.end(), buffer.begin(), buffer.begin() + static_cast<long>(done));
  }
  return out;
}

struct Fit {
  double amplitude, residual;
};

// Fits by least squares over the middle of the audio, under a window that excludes its ends.
Fit FitTone(const std::vector<float>& samples, double hertz, int rate) {
  const size_t from = samples.size() * 3 / 10, to = samples.size() * 8 / 10;
  double cc = 0, ss = 0, cs = 0, cy = 0, sy = 0, rest = 0;
  const auto angle = [&](size_t i) { return 2 * std::numbers::pi * hertz * static_cast<double>(i) / rate; };
  for (size_t i = from; i < to; ++i) {
    const double c = std::cos(angle(i)), s = std::sin(angle(i)), y = samples[i];
    cc += c * c, ss += s * s, cs += c * s, cy += c * y, sy += s * y;
  }
  const double determinant = cc * ss - cs * cs;
  const double a = (cy * ss - sy * cs) / determinant, b = (sy * cc - cy * cs) / determinant;
  for (size_t i = from; i < to; ++i) {
    const double left = samples[i] - a * std::cos(angle(i)) - b * std::sin(angle(i));
    rest += left * left;
  }
  return {std::hypot(a, b), std::sqrt(2 * rest / static_cast<double>(to - from))};
}

double LevelOf(const std::vector<float>& samples) {
  const size_t from = samples.size() * 3 / 10, to = samples.size() * 8 / 10;
  double sum = 0;
  for (size_t i = from; i < to; ++i) sum += static_cast<double>(samples[i]) * samples[i];
  return std::sqrt(2 * sum / static_cast<double>(to - from));
}

double Decibels(double ratio) {
  return 20 * std::log10(std::max(ratio, 1e-9));
}

std::vector<float> Tone(double hertz, int rate, double seconds) {
  std::vector<float> samples(static_cast<size_t>(seconds * rate));
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] =
        static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) / rate));
  }
  return samples;
}

struct Quality {
  double ripple_low = 9, ripple_high = -9;       // measured up to 0.9 of the lower Nyquist frequency
  double beyond_1_0 = -200, beyond_1_1 = -200;   // loudest alias or image of a tone, dB
  std::vector<std::pair<double, double>> gains;  // gains of a tone over the whole band
};

Quality MeasureQuality(const Entry& entry, int from, int to, int steps) {
  const double nyquist = std::min(from, to) / 2.0, top = from / 2.0;
  const double seconds = 0.5;
  const size_t piece = static_cast<size_t>(from / 50);
  Quality quality;
  for (int i = 1; i <= steps; ++i) {
    const double hertz = std::min(2.0 * nyquist, top * 0.9999) * i / (steps + 0.37);
    const auto out = Through(entry, from, to, Tone(hertz, from, seconds), piece);
    const double share = hertz / nyquist;
    if (share < 1) {
      const Fit fit = FitTone(out, hertz, to);
      const double gain = Decibels(fit.amplitude / 0.5), image = Decibels(fit.residual / 0.5);
      quality.gains.push_back({hertz, gain});
      if (share <= 0.9) {
        quality.ripple_low = std::min(quality.ripple_low, gain);
        quality.ripple_high = std::max(quality.ripple_high, gain);
        quality.beyond_1_1 = std::max(quality.beyond_1_1, image);
      }
      quality.beyond_1_0 = std::max(quality.beyond_1_0, image);
    } else {
      const double alias = Decibels(LevelOf(out) / 0.5);
      quality.gains.push_back({hertz, alias});
      quality.beyond_1_0 = std::max(quality.beyond_1_0, alias);
      if (share >= 1.1) quality.beyond_1_1 = std::max(quality.beyond_1_1, alias);
    }
  }
  return quality;
}

// Measures the time from the centre of a pulse at the input to its centre at the output, in
// samples: filter and blocks together.
double DelayMs(const Entry& entry, int from, int to) {
  const size_t length = static_cast<size_t>(from) / 2, middle = length / 3;
  std::vector<float> in(length);
  const double width = 2.0 / std::min(from, to);
  for (size_t i = 0; i < length; ++i) {
    const double t = (static_cast<double>(i) - static_cast<double>(middle)) / from / width;
    in[i] = static_cast<float>(0.5 * std::exp(-t * t));
  }
  const auto resampler = entry.make(from, to, false);
  std::vector<float> buffer(65536);
  std::vector<double> when;
  double energy = 0, moment = 0;
  for (size_t i = 0; i < length; ++i) {
    const size_t done = resampler->Run(&in[i], 1, buffer.data(), buffer.size());
    for (size_t k = 0; k < done; ++k) {
      const double e = static_cast<double>(buffer[k]) * buffer[k];
      moment += e * static_cast<double>(when.size());
      energy += e;
      when.push_back(static_cast<double>(i));
    }
  }
  const size_t index = std::min(when.size() - 1, static_cast<size_t>(std::lround(moment / energy)));
  return (when[index] - static_cast<double>(middle)) / from * 1000;
}

void RaceAll(const std::vector<Entry>& entries, int from, int to, bool int16, int rounds) {
  const size_t frame = static_cast<size_t>(from) / 50;
  std::mt19937 random(1);
  std::vector<float> in(frame * kFrames), out(65536);
  std::vector<int16_t> in16(in.size()), out16(65536);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = (static_cast<float>(random() >> 8) / 8388608.0f - 1) * 0.3f;
    in16[i] = static_cast<int16_t>(in[i] * 32767);
  }
  std::vector<std::unique_ptr<AnyResampler>> made;
  std::vector<trunkline::bench::Contestant> contestants;
  for (const Entry& entry : entries) {
    if (int16 && !entry.int16) continue;
    made.push_back(entry.make(from, to, int16));
    contestants.push_back({entry.who, [&, it = made.back().get()] {
                             for (size_t at = 0; at < in.size(); at += frame) {
                               if (int16) {
                                 it->Run16(&in16[at], frame, out16.data(), out16.size());
                               } else {
                                 it->Run(&in[at], frame, out.data(), out.size());
                               }
                               trunkline::bench::Touch(out.data());
                             }
                           }});
  }
  for (const auto& result : trunkline::bench::Race(contestants, static_cast<double>(in.size()), rounds)) {
    std::printf(
        "{\"kind\":\"speed\",\"from\":%d,\"to\":%d,\"int16\":%s,\"who\":\"%s\",\"ns\":%.4f,\"deviation\":%."
        "4f}\n",
        from, to, int16 ? "true" : "false", result.who.c_str(), result.median_ns, result.deviation);
  }
}

// One contestant's fixed amount of work, for callgrind, which counts what happens inside this function.
__attribute__((noinline)) void CountedWork(AnyResampler& resampler, const std::vector<float>& in,
                                           size_t frame) {
  std::vector<float> out(65536);
  for (size_t at = 0; at < in.size(); at += frame) {
    resampler.Run(&in[at], frame, out.data(), out.size());
    trunkline::bench::Touch(out.data());
  }
}

void Count(const std::vector<Entry>& entries, const std::string& who, const std::string& pair) {
  for (const auto& [from, to] : kPairs) {
    if (pair != std::to_string(from) + "-" + std::to_string(to)) continue;
    for (const Entry& entry : entries) {
      if (entry.who != who) continue;
      const auto resampler = entry.make(from, to, false);
      CountedWork(*resampler, Tone(440, from, 2), static_cast<size_t>(from) / 50);
      return;
    }
  }
  std::fprintf(stderr, "no contestant %s for %s\n", who.c_str(), pair.c_str());
  std::exit(2);
}

void PrintQuality(const Entry& entry, int from, int to, int steps) {
  const Quality quality = MeasureQuality(entry, from, to, steps);
  std::printf(
      "{\"kind\":\"quality\",\"from\":%d,\"to\":%d,\"who\":\"%s\",\"delay_ms\":%.3f,\"ripple_low\":%.5f,"
      "\"ripple_high\":%.5f,\"beyond_1_0\":%.2f,\"beyond_1_1\":%.2f,\"gains\":[",
      from, to, entry.who.c_str(), DelayMs(entry, from, to), quality.ripple_low, quality.ripple_high,
      quality.beyond_1_0, quality.beyond_1_1);
  for (size_t i = 0; i < quality.gains.size(); ++i) {
    std::printf("%s[%.1f,%.2f]", i == 0 ? "" : ",", quality.gains[i].first, quality.gains[i].second);
  }
  std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = trunkline::bench::ReadOptions(argc, argv);
  const auto entries = trunkline::bench::AllResamplers();
  if (!options.count_who.empty()) {
    Count(entries, options.count_who, options.count_work);
    return 0;
  }
  for (const auto& [from, to] : kPairs) {
    RaceAll(entries, from, to, false, options.rounds);
    RaceAll(entries, from, to, true, options.rounds);
    for (const Entry& entry : entries) PrintQuality(entry, from, to, options.quick ? 20 : 80);
  }
}
