// How each stock style sounds: who seems to speak, and how high. It depends on the models alone, so it is
// found once and kept. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "tts/calibration_store.h"

namespace trunkline::tts {

struct StyleProfile {
  std::vector<float> vector;  // of the speaker, of length 1
  float pitch_hz = 0;
};

class StyleProfiles {
 public:
  // `folder`: where they are kept over a restart; empty: nowhere. `models` tells models apart. `known`: those
  // that were shipped, or null.
  StyleProfiles(std::string folder, const std::string& models, std::shared_ptr<const KnownVoices> known)
      : store_(std::move(folder), "profile|" + models, speaker::kVectorSize, std::move(known)) {}

  bool Find(const std::string& style, StyleProfile& profile) {
    const auto kept = store_.Find(style);
    if (kept == nullptr) return false;
    profile = {kept->statistics, kept->center_hz};
    return true;
  }
  void Put(const std::string& style, const StyleProfile& profile) {
    store_.Put(style, {profile.vector, profile.pitch_hz, 1});
  }

 private:
  CalibrationStore store_;
};

}  // namespace trunkline::tts
