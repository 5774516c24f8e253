// The mean spectrum of speech, and how far two lie apart.
#pragma once

#include <span>
#include <vector>

#include "speaker/speaker.h"

namespace trunkline::tts {

// In dB, kMelBands of them, about their own mean: how loud it was said plays no part. `power`: rows as Mel
// gives them; those far below the loudest are rests and do not count.
std::vector<float> MeanSpectrum(std::span<const float> power);

// How far speech lies above the noise under it, in dB, from the spectrum of the moments when somebody speaks
// alone, so that rests which were made silent do not hide it: between sounds each band falls to the noise.
float NoiseDistanceDb(std::span<const float> power);

// Root mean square over bands, in dB.
float SpectrumDistance(std::span<const float> a, std::span<const float> b);

// The tilt (tilt.h) that brings `from` nearest to `to`, as far as a voice bears it.
float BestTilt(std::span<const float> from, std::span<const float> to);
// What is left of the distance then.
std::vector<float> Tilted(std::span<const float> spectrum, float tilt_db);

}  // namespace trunkline::tts
