// Turns a model's raw clauses into playable speech: trims silent ends, joins clauses with pauses, levels the
// loudness, and limits to full scale. Streaming: any split of the input gives the same output.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tts/tilt.h"

namespace trunkline::tts {

// The level of every voice, measured over its active frames.
inline constexpr float kTargetDb = -20.0F;

struct FinishOptions {
  int rate = 24000;
  float gain = 1;  // brings the voice to the loudness that all voices share
  float tilt_db = 0;
  float target_db = kTargetDb;
};

class Finisher {
 public:
  explicit Finisher(const FinishOptions& options);

  // `pause_ms`: the silence between this clause and the one before.
  void BeginClause(int pause_ms);
  // The expected level of the clause relative to the voice's mean, in dB, from which the leveller starts.
  // Called before its first Add.
  void Expect(float louder_db);
  // Gains of consecutive `each` samples relative to the leveller's target; after the last the leveller
  // continues alone. Called before the clause's first Add.
  void Lift(std::vector<float> gains, size_t each);
  void Add(std::span<const float> samples, std::vector<float>& out);
  void EndClause(std::vector<float>& out);

  // Returns whether any sound was output, and whether this clause has any.
  bool sounded() const { return sounded_; }
  bool clause_sounded() const { return begun_; }

 private:
  struct Lifting {
    std::vector<float> gains = {};
    size_t each = 1;   // samples
    size_t taken = 0;  // samples of the clause, in whole frames
    float last = 1;

    float Now() const { return taken / each < gains.size() ? gains[taken / each] : 1; }
  };

  void AddFrame(std::span<const float> frame, std::vector<float>& out);
  void Level(std::span<float> frame, float power);
  float WantedLevel() const;
  void Emit(std::span<const float> frame, std::vector<float>& out);

  const FinishOptions options_;
  const size_t frame_;
  std::vector<float> partial_;  // less than a frame
  std::vector<float> held_;     // silence that may be the clause's end
  size_t pause_ = 0;
  bool begun_ = false;  // the clause's first sound has come
  bool sounded_ = false;
  TiltFilter tilt_;
  float power_;  // running mean square of active frames, after the voice's gain
  float level_ = 1;
  Lifting lifting_;
};

}  // namespace trunkline::tts
