// The calibrations of the stock voices, shipped in models/known-voices.bin, so that no machine measures them
// and all sound alike. Read once; thread-safe after that.
//
// The file: "TLKV0001", u32 groups; each: text model, u32 columns, f32 least[columns], f32 step[columns], u32
// rows; each: text key, f32 center_hz, f32 gain, u8 numbers[columns]. A text is u16 size and its bytes. All
// little-endian. A number is least + step * its byte, because columns differ little from voice to voice. A model may have several
// groups: voices that were learnt later leave the bytes of earlier ones as they are.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tts/calibration.h"

namespace trunkline::tts {

class KnownVoices {
 public:
  static base::Result<std::shared_ptr<const KnownVoices>> Read(const std::string& path);

  // Returns null when the voice, or its model, is not in the file. `model` and `key` as in CalibrationStore.
  std::shared_ptr<const Calibration> Find(const std::string& model, const std::string& key) const;
  // Returns any voice of the model whose key has this suffix.
  std::shared_ptr<const Calibration> FindBySuffix(const std::string& model, std::string_view suffix) const;

 private:
  struct Row {
    float center_hz = 0, gain = 0;
    size_t numbers = 0;
  };
  struct Group {
    std::vector<float> least, step;
    std::map<std::string, Row> rows;
  };
  std::shared_ptr<const Calibration> Make(const Group& group, const Row& row) const;

  std::vector<uint8_t> bytes_;
  std::map<std::string, std::vector<Group>> groups_;
};

}  // namespace trunkline::tts
