// The mean spectrum of speech, and the distance of two.
#pragma once

#include <span>
#include <vector>

#include "speaker/speaker.h"

namespace trunkline::tts {

// Returns the spectrum in dB, kMelBands of them, relative to its own mean, so that loudness does not
// count. `power`: rows as Mel gives them; those far below the loudest are pauses and are left out.
std::vector<float> MeanSpectrum(std::span<const float> power);

// Returns the signal-to-noise ratio of speech in dB, from the spectrum during speech alone, so that muted
// pauses do not hide the noise: between sounds each band falls to the noise.
float NoiseDistanceDb(std::span<const float> power);

// Root mean square over bands, in dB.
float SpectrumDistance(std::span<const float> a, std::span<const float> b);

// The tilt (tilt.h) that brings `from` nearest to `to`, within a voice's limits.
float BestTilt(std::span<const float> from, std::span<const float> to);
std::vector<float> Tilted(std::span<const float> spectrum, float tilt_db);

}  // namespace trunkline::tts
