// The options of a stream and the interface by which it reports to its lane.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "asr/asr.h"
#include "engine/engine.h"
#include "lanes/hear/quick_recognizer.h"
#include "lanes/hear/recognizer.h"
#include "vad/vad.h"

namespace trunkline::hear {

struct HearOptions {
  int rate = 16000;
  // Without a language, each utterance is identified.
  std::optional<asr::Language> language;
  // The languages of the speaker, where there are several: each final is in one of them, and another one than
  // `language` needs clear evidence. Partials are in `language`.
  asr::LanguageSet languages = 0;
  double endpointing_s = 0.5;
  // The endpointer shortens or extends the wait by these: see vad::EndpointerOptions.
  vad::TurnWaits waits = vad::kTranscriptWaits;
  bool partials = true;
  // Stable words are reported, so that a final begins with them.
  bool stable_partials = true;
  // Decoding starts with a pause's first frame and not when the pause is certain: sooner, and more often
  // in vain.
  bool eager = false;
  // An utterance is recognized once more, with the silence after it, when there is time before its end.
  bool second_pass = false;
  // The longest audio without a final, which is empty for silence; 0: only utterances have
  // finals.
  double final_every_s = 0;
  bool word_times = true;
  float temperature = 0;
  uint64_t seed = 0;
  std::shared_ptr<const asr::Vocabulary> vocabulary;
  // Writes the finals; null: the stock one.
  std::shared_ptr<Recognizer> recognizer;
  // Makes the partials of English; null: the stock one.
  std::shared_ptr<QuickRecognizer> quick;
};

// The utterance that is open, or was last.
struct OpenUtterance {
  uint32_t number = 0;
  double start_s = 0;
  std::optional<asr::Language> language;
};

// Receives a stream's results. A call that returns false for want of space is repeated on the
// next tick.
class HearListener {
 public:
  virtual ~HearListener() = default;
  virtual void Started(engine::LaneIo&, uint32_t /*utterance*/, double /*start_s*/) {}
  // Speech has paused; the text is the final's if the pause is the end.
  virtual void EagerFinal(engine::LaneIo&, uint32_t /*utterance*/, double /*start_s*/,
                          double /*speech_end_s*/, const std::string& /*text*/) {}
  // The pause was not the end, so the eager final is void.
  virtual void Resumed(engine::LaneIo&, uint32_t /*utterance*/) {}
  // Returns whether partials are wanted now; otherwise none is made.
  virtual bool reads_partials() const { return true; }
  // A lost partial is not repeated, because only the latest counts.
  virtual void Partial(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
                       const std::string& text) = 0;
  // The final will begin with these words.
  virtual bool Stable(engine::LaneIo&, uint32_t /*utterance*/, double /*start_s*/, double /*end_s*/,
                      const std::string& /*text*/) {
    return true;
  }
  // The utterance has ended; `text` has its words so far, which are final if `known`.
  virtual bool SpeechFinal(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                           const std::string& text, bool known) = 0;
  virtual bool Final(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                     const asr::Transcript& transcript) = 0;
  // Comes in place of Final when recognition failed.
  virtual bool Failed(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                      const base::Status& status) = 0;
};

}  // namespace trunkline::hear
