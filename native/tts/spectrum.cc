#include "tts/spectrum.h"

#include <algorithm>
#include <cmath>

#include "tts/tilt.h"

namespace trunkline::tts {
namespace {

// Frames further below the loudest are not speech.
constexpr float kRestDb = 30;
constexpr float kLoudShare = 0.95F, kFloorShare = 0.1F;
// A single band (a hum, a telephone's edge) must not change the whole voice.
constexpr float kMaxBandDb = 12;
constexpr float kMaxTilt = 6, kTiltStep = 0.5F;

float Percentile(std::vector<float>& values, float share) {
  const auto at = static_cast<size_t>(share * static_cast<float>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

float Energy(std::span<const float> row) {
  float sum = 0;
  for (size_t band = 0; band < speaker::kMelBands; ++band) sum += row[band] * speaker::Mel::BandWidth(band);
  return sum;
}

std::vector<std::span<const float>> Sounding(std::span<const float> power) {
  std::vector<float> energies;
  for (size_t at = 0; at + speaker::kMelBands <= power.size(); at += speaker::kMelBands) {
    energies.push_back(Energy(power.subspan(at, speaker::kMelBands)));
  }
  if (energies.empty()) return {};
  std::vector<float> sorted = energies;
  const float least = Percentile(sorted, kLoudShare) * std::pow(10.0F, -kRestDb / 10);
  std::vector<std::span<const float>> rows;
  for (size_t row = 0; row < energies.size(); ++row) {
    if (energies[row] > least) rows.push_back(power.subspan(row * speaker::kMelBands, speaker::kMelBands));
  }
  return rows;
}

void AboutTheirMean(std::vector<float>& spectrum) {
  float mean = 0;
  for (const float db : spectrum) mean += db / static_cast<float>(spectrum.size());
  for (float& db : spectrum) db -= mean;
}

}  // namespace

std::vector<float> MeanSpectrum(std::span<const float> power) {
  const auto rows = Sounding(power);
  std::vector<float> spectrum(speaker::kMelBands, 0.0F);
  for (const auto row : rows) {
    for (size_t band = 0; band < speaker::kMelBands; ++band) spectrum[band] += row[band];
  }
  for (float& band : spectrum) band = 10 * std::log10(band + 1e-12F);
  AboutTheirMean(spectrum);
  return spectrum;
}

float NoiseDistanceDb(std::span<const float> power) {
  const auto rows = Sounding(power);
  if (rows.empty()) return 0;
  float speech = 0, noise = 0;
  std::vector<float> column(rows.size());
  for (size_t band = 0; band < speaker::kMelBands; ++band) {
    float mean = 0;
    for (size_t row = 0; row < rows.size(); ++row) {
      column[row] = rows[row][band];
      mean += column[row] / static_cast<float>(rows.size());
    }
    speech += mean * speaker::Mel::BandWidth(band);
    noise += Percentile(column, kFloorShare) * speaker::Mel::BandWidth(band);
  }
  return 10 * std::log10(speech / std::max(noise, 1e-12F));
}

float SpectrumDistance(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (size_t band = 0; band < speaker::kMelBands; ++band) sum += (a[band] - b[band]) * (a[band] - b[band]);
  return std::sqrt(sum / speaker::kMelBands);
}

std::vector<float> Tilted(std::span<const float> spectrum, float tilt_db) {
  std::vector<float> tilted(spectrum.begin(), spectrum.end());
  for (size_t band = 0; band < speaker::kMelBands; ++band)
    tilted[band] += TiltFilter::GainDb(speaker::kRate, tilt_db, speaker::Mel::Centre(band));
  AboutTheirMean(tilted);
  return tilted;
}

float BestTilt(std::span<const float> from, std::span<const float> to) {
  std::vector<float> wanted(speaker::kMelBands);
  for (size_t band = 0; band < speaker::kMelBands; ++band) {
    wanted[band] = from[band] + std::clamp(to[band] - from[band], -kMaxBandDb, kMaxBandDb);
  }
  float best = 0, least = SpectrumDistance(from, wanted);
  for (float tilt = -kMaxTilt; tilt <= kMaxTilt; tilt += kTiltStep) {
    const float distance = SpectrumDistance(Tilted(from, tilt), wanted);
    if (distance < least) least = distance, best = tilt;
  }
  return best;
}

}  // namespace trunkline::tts
