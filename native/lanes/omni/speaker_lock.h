// Decides whether speech on the caller's line is the caller's or another's: a television, a colleague, the next desk.
// Media thread; no allocation; no clock and no model.
//
// The caller's own turns teach how loud the caller is and what the voice is like. From kEnrolledS of speech on the
// lock holds. Speech of another voice is left out where it is quieter than the caller by kQuieterDb, or where that
// voice has been heard before between the caller's own turns. A voice as loud as the caller's is heard at first, since
// it may be that of somebody who was given the telephone; under the agent's voice, where nobody hands it over, it is left
// out where it is quieter by kSofterDb or clearly unlike the caller's. Speech of less than kMinVoiceS is left out where it
// is quieter and began under the agent's voice or is no louder than others who were left out, and where its voice is
// rather a known other's.
// The lock learns anew once another voice has spoken alone for kAloneS, a quieter one for kQuietAloneS: while the agent
// was silent and the caller's voice did not come between.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "lanes/omni/sound_gate.h"

namespace trunkline::omni {

// A vector of a voice, of length 1.
using VoiceVector = std::array<float, 192>;

struct UtteranceVoice {
  double speech_s = 0;
  // The level that a tenth of its speech exceeds.
  float loud_dbfs = -127;
  std::optional<VoiceVector> vector;
  // The speech behind the vector.
  double vector_s = 0;
  // It began while the agent spoke.
  bool under_agent = false;
};

class SpeakerLock {
 public:
  static constexpr double kEnrolledS = 2.0;
  // The vector of less speech than this is not compared with the caller's alone, and that of less than kMinShortVoiceS
  // with nobody's.
  static constexpr double kMinVoiceS = 1.0, kMinShortVoiceS = 0.35;
  static constexpr double kAloneS = 5.0, kQuietAloneS = 15.0;
  static constexpr float kQuieterDb = 6, kSofterDb = 3;
  // A caller of the development half by telephone is at least this similar to the own voice after a second, but for one
  // in ten, and one in twenty others is; after two seconds the higher limit has one in twenty and one in thirty. The
  // limit rises by kSimilarityADb for each dB below kQuieterDb, under the agent's voice below kSofterDb: a caller is
  // rarely so much quieter, and somebody in the background nearly always.
  static constexpr float kMinSimilarity = 0.46f, kMinSimilarityLonger = 0.55f, kSimilarityADb = 0.05f;

  explicit SpeakerLock(bool on) : on_(on) {}

  // Says whether an utterance of this level cannot be decided without its vector.
  bool NeedsVector(const UtteranceVoice& voice) const {
    if (voice.speech_s < kMinVoiceS) return knows_others() && voice.speech_s >= kMinShortVoiceS;
    return locked() && (voice.under_agent || IsQuiet(voice.loud_dbfs) || others_count_ > 0);
  }
  // Decides about speech that goes on, by its vector; learns nothing.
  bool IsCallers(const UtteranceVoice& voice) const;
  // Says whether a short piece of speech is rather a known other's than the caller's.
  bool IsKnownOthers(const VoiceVector& vector) const;
  bool knows_others() const { return locked() && others_count_ > 0; }
  // Decides about an utterance, and learns from it. Returns whether it is to be heard.
  bool Take(const UtteranceVoice& voice);
  // Learns the voice of an utterance that was heard before its vector was known.
  void Learn(const UtteranceVoice& voice);

  // Says whether others have been left out, so that they may speak again.
  bool hears_others() const { return locked() && others_dbfs_; }
  bool locked() const { return on_ && voice_ && learned_s_ >= kEnrolledS; }
  // The levels for sounds under the agent's voice; nothing while the lock is open.
  std::optional<GateLevels> gate() const;

 private:
  static constexpr size_t kMaxOthers = 4;

  bool IsQuiet(float loud_dbfs) const { return loud_dbfs < loud_dbfs_ - kQuieterDb; }
  bool IsSofter(const UtteranceVoice& voice) const { return voice.loud_dbfs < loud_dbfs_ - kSofterDb; }
  bool IsAnothersUnderAgent(const UtteranceVoice& voice) const;
  float SimilarityToOthers(const VoiceVector& vector) const;
  void Add(float loud_dbfs, double speech_s);
  void LearnVoice(const VoiceVector& vector, double speech_s);
  void Enrol(const UtteranceVoice& voice);
  void Accept(const UtteranceVoice& voice);
  void CallersCame();
  // Counts what another voice says alone. Returns whether it has taken over the telephone.
  bool SpeaksAlone(const UtteranceVoice& voice);
  void Reenroll(const UtteranceVoice& voice);
  void Remember(const VoiceVector& other);
  bool LeaveOut(const UtteranceVoice& voice);

  const bool on_;
  double learned_s_ = 0, voice_s_ = 0;
  float loud_dbfs_ = -127;
  std::optional<VoiceVector> voice_;
  // The others that are known, the oldest replaced first, and how loud they are.
  std::array<VoiceVector, kMaxOthers> others_{};
  size_t others_count_ = 0, next_other_ = 0;
  std::optional<float> others_dbfs_;
  // The other voice that spoke last, and for how long since the caller's own.
  std::optional<VoiceVector> last_other_;
  double alone_s_ = 0;
};

}  // namespace trunkline::omni
