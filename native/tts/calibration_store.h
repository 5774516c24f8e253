// Stores calibrations. Those of the stock voices are shipped (known_voices.h); others are files.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tts/calibration.h"
#include "tts/known_voices.h"

namespace trunkline::tts {

// Thread-safe. Without a folder nothing survives a restart; an unreadable file is calibrated again.
class CalibrationStore {
 public:
  // `model` identifies the weights: a calibration of other weights is never used. `known` may be null; its
  // entries precede those of the folder.
  CalibrationStore(std::string folder, std::string model, size_t statistics,
                   std::shared_ptr<const KnownVoices> known);
  std::shared_ptr<const Calibration> Find(const std::string& key);
  // Finds a shipped calibration by the end of its key.
  std::shared_ptr<const Calibration> FindKnown(std::string_view suffix) const;
  // Stored in memory only, since it can be computed again.
  std::shared_ptr<const Calibration> Remember(const std::string& key, Calibration calibration);
  std::shared_ptr<const Calibration> Put(const std::string& key, Calibration calibration);

 private:
  std::string PathOf(const std::string& key) const;
  std::shared_ptr<const Calibration> Read(const std::string& key) const;
  void Write(const std::string& key, const Calibration& calibration) const;
  std::shared_ptr<const Calibration> Keep(const std::string& key, Calibration calibration);

  const std::string folder_, model_;
  const size_t statistics_;
  const std::shared_ptr<const KnownVoices> known_voices_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Calibration>> known_;
};

}  // namespace trunkline::tts
