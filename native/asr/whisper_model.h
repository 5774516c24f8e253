// A Whisper model on disk: its graphs, tokens and settings, opened and checked. Immutable: shared by all
// threads.
#pragma once

#include <memory>
#include <string>

#include "asr/language.h"
#include "asr/token_rules.h"
#include "asr/whisper_settings.h"
#include "base/status.h"
#include "dsp/dsp.h"
#include "onnx/onnx.h"
#include "text/tokens/tokens.h"

namespace trunkline::asr {

// The special tokens of a prompt.
struct WhisperTimestamps {
  text::TokenId end_of_text;
  text::TokenId start;  // <|startoftranscript|>
  text::TokenId transcribe;
  text::TokenId before;     // opens the preceding text; -1: unknown to these weights
  text::TokenId translate;  // into English; -1: the weights have only one language
  text::TokenId no_speech;
  text::TokenId no_timestamps;
  // Timestamps follow; the first is zero.
  text::TokenId first_mark() const { return no_timestamps + 1; }
  std::array<text::TokenId, kLanguageCodes.size()> languages;
};

class WhisperModel {
 public:
  // The stock model: `open` takes the manifest's names. The folder holds tokens.bin and whisper.conf.
  static base::Result<std::shared_ptr<const WhisperModel>> Open(const onnx::SessionOpener& open,
                                                                const std::string& folder) {
    return OpenNamed(open, "whisper-base/", folder);
  }
  // A model that the operator added, of any size: the folder holds its graphs too.
  static base::Result<std::shared_ptr<const WhisperModel>> OpenFolder(
      const std::shared_ptr<onnx::Runtime>& runtime, const std::string& folder,
      const onnx::SessionOptions& options);

  const onnx::Session& encoder() const { return *encoder_; }
  const onnx::Session& decoder() const { return *decoder_; }
  const WhisperSettings& settings() const { return settings_; }
  const WhisperTimestamps& marks() const { return marks_; }
  const text::ByteTokens& tokens() const { return tokens_; }
  const TokenRules& rules() const { return rules_; }
  const dsp::LogMel& log_mel() const { return log_mel_; }
  bool english_only() const { return settings_.english_only != 0; }

 private:
  WhisperModel() = default;
  static base::Result<std::shared_ptr<const WhisperModel>> OpenNamed(const onnx::SessionOpener& open,
                                                                     const std::string& stem,
                                                                     const std::string& folder);
  base::Status ReadMarks();
  base::Status CheckGraphs() const;

  std::unique_ptr<onnx::Session> encoder_;
  std::unique_ptr<onnx::Session> decoder_;
  WhisperSettings settings_;
  WhisperTimestamps marks_{};
  text::ByteTokens tokens_;
  TokenRules rules_;
  dsp::LogMel log_mel_;
};

}  // namespace trunkline::asr
