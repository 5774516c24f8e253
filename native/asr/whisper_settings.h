// Sizes and token lists of a set of Whisper weights, from whisper.conf (models/recipes/whisper).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace trunkline::asr {

struct WhisperSettings {
  int64_t bands = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t width = 0;
  int64_t vocabulary = 0;
  int64_t text_capacity = 0;
  int64_t alignment_heads = 0;
  // 1: the weights know English alone, and their prompt names neither language nor task.
  int64_t english_only = 0;
  // Tokens that are never written: those for music, applause, brackets.
  std::vector<int32_t> suppress;
  // Tokens that a text never begins with.
  std::vector<int32_t> suppress_begin;

  int64_t head_width() const { return width / heads; }

  static base::Result<WhisperSettings> Parse(std::string_view text);
};

}  // namespace trunkline::asr
