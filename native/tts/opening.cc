#include "tts/opening.h"

#include <algorithm>
#include <utility>

namespace trunkline::tts {
namespace {

// Frames at each side of a joint by which its softness is measured.
constexpr size_t kAround = 2;

}  // namespace

Opening PlanOpening(std::span<const int64_t> tokens, int64_t space, const OpeningLimits& limits) {
  const Opening all{tokens.size(), {}};
  if (tokens.size() <= limits.whole) return all;
  Opening opening;
  for (size_t i = limits.least; i < limits.most; ++i)
    if (tokens[i] == space) opening.joints.push_back(i);
  if (opening.joints.empty()) return all;
  const auto behind = tokens.subspan(opening.joints.back() + limits.look_ahead);
  const auto end = std::find(behind.begin(), behind.end(), space);
  opening.read = static_cast<size_t>(end - behind.begin()) + tokens.size() - behind.size();
  return opening.read + limits.look_ahead < tokens.size() ? opening : all;
}

size_t SoftestJoint(const KokoroClause& clause, std::span<const size_t> joints) {
  const auto loudness = [&clause](size_t joint) {
    // A reading's first token is the silence before the clause.
    const size_t at = clause.FrameOf(joint + 1), from = at > kAround ? at - kAround : 0;
    const size_t until = std::min(at + kAround, clause.frames);
    size_t voiced = 0;
    float energy = 0;
    for (size_t i = from; i < until; ++i) {
      voiced += clause.hertz[i] > kKokoroVoicedHz ? 1 : 0;
      energy += clause.energy[i];
    }
    return std::pair{voiced, energy};
  };
  return *std::min_element(joints.begin(), joints.end(),
                           [&](size_t a, size_t b) { return loudness(a) < loudness(b); });
}

size_t UnvoicedJoint(const Piper& piper, std::span<const int64_t> sounds, std::span<const size_t> joints) {
  for (size_t i = joints.size(); i > 0; --i)
    if (piper.IsUnvoiced(sounds[joints[i - 1] + 1])) return joints[i - 1];
  return joints.back();
}

}  // namespace trunkline::tts
