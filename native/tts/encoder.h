// Encodes a voice's samples for the customer's wire: rate and format. Any split of the input gives the same
// bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dsp/dsp.h"

namespace trunkline::tts {

enum class WireFormat { kPcm16, kUlaw, kAlaw };

bool ParseWireFormat(std::string_view name, WireFormat& format);

class WireEncoder {
 public:
  // Returns null for rates that have no resampler.
  static std::unique_ptr<WireEncoder> Create(int input_rate, int output_rate, WireFormat format);

  void Add(std::span<const float> samples, std::vector<uint8_t>& out);
  // Appends the samples that the resampler still holds.
  void Finish(std::vector<uint8_t>& out);
  size_t samples_out() const { return written_; }

 private:
  WireEncoder(std::optional<dsp::Resampler> resampler, WireFormat format);
  void Write(std::span<const float> samples, std::vector<uint8_t>& out);

  std::optional<dsp::Resampler> resampler_;
  const WireFormat format_;
  size_t skip_ = 0;
  size_t taken_ = 0, written_ = 0;
  float held_ = 0;  // the last valid sample, which replaces NaN
  std::vector<float> resampled_, contained_;
  std::vector<int16_t> integers_;
};

}  // namespace trunkline::tts
