// What is learnt of a voice before it speaks: the means by which its windows are normalised, its pitch, and
// the gain to the common loudness. Learnt once from fixed sentences, kept in a file, and the same for every
// request after.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"

namespace trunkline::tts {

struct Calibration {
  std::vector<float> statistics;  // empty for a model that needs none
  float center_hz = 180;
  float gain = 1;
};

// Thread-safe. An empty folder keeps nothing over a restart; a file that does not read well is learnt again.
class CalibrationStore {
 public:
  // `model` tells models apart: a calibration of other weights is never used.
  CalibrationStore(std::string folder, std::string model, size_t statistics);
  std::shared_ptr<const Calibration> Find(const std::string& key);
  std::shared_ptr<const Calibration> Put(const std::string& key, Calibration calibration);

 private:
  std::string PathOf(const std::string& key) const;
  std::shared_ptr<const Calibration> Read(const std::string& key) const;
  void Write(const std::string& key, const Calibration& calibration) const;

  const std::string folder_, model_;
  const size_t statistics_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Calibration>> known_;
};

}  // namespace trunkline::tts
