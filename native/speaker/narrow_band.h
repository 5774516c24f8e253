// A telephone line carries nothing above 4 kHz. What the speaker model would see there, silence, is the same
// for everyone and makes all speakers alike to it; so it is filled with what speech mostly has there. Not for
// the realtime thread.
#pragma once

#include <span>

namespace trunkline::speaker {

// Whether the spectra (frames of kMelBands) are of speech that came over such a line.
bool IsNarrowBand(std::span<const float> features);

// Writes the bands above the line's from those below, where the line was narrow; otherwise nothing.
void FillNarrowBand(std::span<float> features);

}  // namespace trunkline::speaker
