// Packet loss concealment: repeats the last pitch period ever more quietly, as ITU-T G.711 Appendix I does.
// Realtime after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::rtp {

class Concealment {
 public:
  explicit Concealment(int rate);

  // Adds what was played, in order. Audio after a concealed gap is cross-faded, so its first samples change.
  void Heard(std::span<int16_t> samples);
  // Continues where the audio ended.
  void Fill(std::span<int16_t> out);
  void Reset();

 private:
  void Begin();
  size_t FindPitch() const;
  int16_t Next();
  void Remember(std::span<const int16_t> samples);

  const size_t rate_;
  std::vector<int16_t> history_;  // the newest at its end
  std::vector<float> period_;
  size_t at_ = 0;
  size_t made_ = 0;  // samples, without a pause
};

}  // namespace trunkline::rtp
