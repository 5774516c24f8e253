#include "tts/cached_synthesis.h"

#include <algorithm>
#include <span>
#include <utility>

namespace trunkline::tts {

base::Result<std::unique_ptr<CachedSynthesis>> CachedSynthesis::Open(std::shared_ptr<SpeechModels> models,
                                                                     VoiceSpec voice, std::string_view text,
                                                                     const std::string& owner,
                                                                     uint64_t seed) {
  std::unique_ptr<CachedSynthesis> spoken(new CachedSynthesis(models));
  if (!owner.empty()) {
    spoken->owner_ = owner;
    spoken->key_ = SoundCache::KeyOf(voice, text, seed);
    auto answer = models->sound_cache().Find(owner, spoken->key_);
    spoken->cached_ = std::move(answer.sound);
    spoken->ticket_ = answer.ticket;
  }
  if (spoken->cached_) return spoken;
  SynthesisOptions options;
  options.seed = seed;
  TRUNKLINE_ASSIGN_OR_RETURN(spoken->synthesis_,
                             Synthesis::Open(std::move(models), std::move(voice), text, options));
  return spoken;
}

base::Status CachedSynthesis::Step(const onnx::RunOptions* run, std::vector<float>& out) {
  if (cached_) {
    Give(out);
    return base::Ok();
  }
  const size_t before = out.size();
  TRUNKLINE_RETURN_IF_FAILED(synthesis_->Step(run, out));
  if (ticket_ != 0) Note(std::span(out).subspan(before));
  return base::Ok();
}

void CachedSynthesis::Give(std::vector<float>& out) {
  const auto from = cached_->samples.begin() + static_cast<std::ptrdiff_t>(given_);
  const size_t count = std::min(cached_->samples.size() - given_, static_cast<size_t>(cached_->rate));
  out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(count));
  given_ += count;
}

// Audio that is too long for the cache is dropped at once.
void CachedSynthesis::Note(std::span<const float> made) {
  if ((made_.size() + made.size()) * sizeof(float) > models_->sound_cache().limits().sound_bytes) {
    ticket_ = 0;
    made_ = {};
    return;
  }
  made_.insert(made_.end(), made.begin(), made.end());
  if (!synthesis_->done()) return;
  models_->sound_cache().Put(
      std::exchange(ticket_, 0), owner_, key_,
      {synthesis_->rate(), synthesis_->PauseAfter(), synthesis_->sounded(), std::move(made_)});
}

bool CachedSynthesis::done() const {
  return cached_ ? given_ == cached_->samples.size() : synthesis_->done();
}

bool CachedSynthesis::sounded() const {
  return cached_ ? cached_->sounded && given_ > 0 : synthesis_->sounded();
}

}  // namespace trunkline::tts
