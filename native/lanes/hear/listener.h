// How a stream of speech is opened, and what it tells its lane.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "asr/asr.h"
#include "engine/engine.h"
#include "vad/vad.h"

namespace trunkline::hear {

struct HearOptions {
  int rate = 16000;
  // Empty: found anew for each utterance.
  std::optional<asr::Language> language;
  double endpointing_s = 0.5;
  // How far the endpointer moves that: see vad::EndpointerOptions.
  double least_wait = 0.9, most_wait = 1.5, undecided = 0.5;
  bool partials = true;
  // Settled words are told, so that a final begins with them.
  bool promises = true;
  // The text of a pause is begun with its first frame, not when it is sure to be one: sooner there, and more
  // often in vain.
  bool eager = false;
  // A final comes at least once in so much audio, an empty one where nobody spoke; 0: of utterances alone.
  double final_every_s = 0;
  // The words' own times are told.
  bool word_times = true;
  float temperature = 0;
  uint64_t seed = 0;
  std::shared_ptr<const asr::Vocabulary> vocabulary;
};

// The utterance that is open, or was last.
struct OpenUtterance {
  uint32_t number = 0;
  double start_s = 0;
  std::optional<asr::Language> language;  // as far as it is known
};

// What a stream tells its lane. False: no room to say it now; it is said again on the next tick.
class HearListener {
 public:
  virtual ~HearListener() = default;
  virtual void Started(engine::LaneIo&, uint32_t /*utterance*/, double /*start_s*/) {}
  // Speech has paused, and this is what a final would say if the pause were the end.
  virtual void Guessed(engine::LaneIo&, uint32_t /*utterance*/, double /*start_s*/, double /*speech_end_s*/,
                       const std::string& /*text*/) {}
  // The pause was not the end: what was guessed is void.
  virtual void Resumed(engine::LaneIo&, uint32_t /*utterance*/) {}
  // Whether anybody would be told of a partial now: none is made where nobody is.
  virtual bool reads_partials() const { return true; }
  // Only the latest counts: these may be lost.
  virtual void Partial(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
                       const std::string& text) = 0;
  // Words that a final will begin with, where they are promised.
  virtual bool Stable(engine::LaneIo&, uint32_t /*utterance*/, double /*start_s*/, double /*end_s*/,
                      const std::string& /*text*/) {
    return true;
  }
  // The moment of the endpoint, with the words as they are known then. `known`: there will be no more.
  virtual bool SpeechFinal(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                           const std::string& text, bool known) = 0;
  virtual bool Final(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                     const asr::Transcript& transcript) = 0;
  // In the place of Final: the words are lost.
  virtual bool Failed(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                      const base::Status& status) = 0;
};

}  // namespace trunkline::hear
