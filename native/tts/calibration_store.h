// Where calibrations are found: those of the stock voices are shipped (known_voices.h), those of others are
// kept in files.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tts/calibration.h"
#include "tts/known_voices.h"

namespace trunkline::tts {

// Thread-safe. An empty folder keeps nothing over a restart; a file that does not read well is learnt again.
class CalibrationStore {
 public:
  // `model` tells models apart: a calibration of other weights is never used. `known` may be null; what it
  // holds goes before what lies in the folder.
  CalibrationStore(std::string folder, std::string model, size_t statistics,
                   std::shared_ptr<const KnownVoices> known);
  std::shared_ptr<const Calibration> Find(const std::string& key);
  // One that was shipped, by the end of its key.
  std::shared_ptr<const Calibration> FindKnown(std::string_view suffix) const;
  // Kept in memory alone: it can be made again.
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
