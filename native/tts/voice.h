// The specification of a voice: a model, an accent, and prosody. TypeScript's catalogue fills it.
#pragma once

#include <string>
#include <vector>

#include "text/reading/reading.h"

namespace trunkline::tts {

enum class VoiceModel { kKokoro, kPiper, kHibari };

// A style table and its share in the blend; the shares of a voice add up to 1.
struct StylePart {
  std::string name;
  float share = 1;
};

struct VoiceSpec {
  VoiceModel model = VoiceModel::kKokoro;
  text::Lang lang = text::Lang::kEn;
  std::string accent = "en-us";
  std::vector<StylePart> styles;
  // A voice that the operator added: the folder of its files; empty for the stock voices. The accent of a Piper voice is then
  // one of the phonemizer.
  std::string folder;
  // The rate in Hz and the speaker's number matter for added voices alone.
  int rate = 0;
  int speaker = 0;

  bool is_added() const { return !folder.empty(); }

  // Prosody; an emotion or a design is a set of these values.
  float speed = 1;
  float pitch = 1;
  float range = 1;    // pitch range: below 1 flatter, above livelier
  float gain_db = 0;  // relative to the loudness that all voices share
  float tilt_db = 0;  // high tones against low: below 0 warmer, above brighter
};

}  // namespace trunkline::tts
