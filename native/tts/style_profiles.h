// The profile of each stock style: its speaker embedding and pitch. It depends on the models alone, so it is
// computed once and stored. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "tts/calibration_store.h"

namespace trunkline::tts {

struct StyleProfile {
  std::vector<float> vector;  // the speaker embedding, of length 1
  float pitch_hz = 0;
};

class StyleProfiles {
 public:
  // `folder` stores profiles across restarts; empty: they are not stored. `models` identifies the models.
  // `known`: the shipped ones, or null.
  StyleProfiles(std::string folder, const std::string& models, std::shared_ptr<const KnownVoices> known)
      : store_(std::move(folder), "profile|" + models, speaker::kVectorSize, std::move(known)) {}

  bool Find(const std::string& style, StyleProfile& profile) {
    const auto stored = store_.Find(style);
    if (stored == nullptr) return false;
    profile = {stored->statistics, stored->center_hz};
    return true;
  }
  void Put(const std::string& style, const StyleProfile& profile) {
    store_.Put(style, {profile.vector, profile.pitch_hz, 1});
  }

 private:
  CalibrationStore store_;
};

}  // namespace trunkline::tts
