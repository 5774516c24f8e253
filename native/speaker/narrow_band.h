// Fills the bands that a telephone line does not carry. Above 4 kHz the speaker model would see the same
// silence for everyone, which makes all speakers alike; the fill is what speech mostly has there. Not for the
// realtime thread.
#pragma once

#include <span>

namespace trunkline::speaker {

// Returns whether the spectra (frames of kMelBands) came over such a line.
bool IsNarrowBand(std::span<const float> features);

// Predicts the bands above the line's from those below when the line was narrow; otherwise does nothing.
void FillNarrowBand(std::span<float> features);

}  // namespace trunkline::speaker
