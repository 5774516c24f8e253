// Everything that synthesis needs, loaded once and shared. Thread-safe; not for the realtime path.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "onnx/onnx.h"
#include "text/phonemes/phonemes.h"
#include "tts/calibration_store.h"
#include "tts/hibari.h"
#include "tts/known_voices.h"
#include "tts/kokoro.h"
#include "tts/piper.h"
#include "tts/sound_cache.h"
#include "tts/style_table.h"
#include "tts/voice.h"

namespace trunkline::tts {

struct SpeechFiles {
  KokoroFiles kokoro;
  std::string styles;  // the folder of the style tables
  PiperFiles piper;
  std::string hibari;
  text::PhonemeProgram phonemes;
  // The tables of Chinese and Japanese words, read when a voice needs them; empty: the language is not spoken.
  std::string mandarin, japanese;
  std::string calibrations;  // the folder of stored calibrations; empty: none
  std::string known_voices;  // the file of those that were shipped; empty: none
};

class SpeechModels {
 public:
  static base::Result<std::shared_ptr<SpeechModels>> Load(const onnx::SessionOpener& open,
                                                          const SpeechFiles& files,
                                                          const onnx::SessionOptions& options);

  const Kokoro& kokoro() const { return *kokoro_; }
  // Called before the models are shared.
  void GenerateOn(std::shared_ptr<GeneratorDevice> device) { kokoro_->GenerateOn(std::move(device)); }
  void ReadOn(std::shared_ptr<FrontDevice> front) { kokoro_->ReadOn(std::move(front)); }
  // Returns the stock voice, or one that the operator added, which its first use opens. The eight added
  // ones that were used last stay open.
  base::Result<std::shared_ptr<const Piper>> PiperOf(const VoiceSpec& voice);
  const Hibari& hibari() const { return *hibari_; }
  text::PhonemePool& phonemes() { return phonemes_; }
  // kInvalidArgument: no accent of this name. kNotReady: its dictionary is not there.
  base::Result<text::Accent> AccentOf(const VoiceSpec& voice);
  StyleFolder& styles() { return styles_; }
  const onnx::Runtime& runtime() const { return *kokoro_->runtime(); }
  // Returns null when none were shipped.
  const std::shared_ptr<const KnownVoices>& known_voices() const { return known_voices_; }

  // Returns null before the calibration was measured. It depends on the voice's model, styles and accent
  // alone. That of a blend is interpolated from its styles' shipped ones.
  std::shared_ptr<const Calibration> FindCalibration(const VoiceSpec& voice);
  // All users of these models share the audio cache.
  SoundCache& sound_cache() { return sound_cache_; }
  // Returns the stored calibration: another request may have stored one for the same voice.
  std::shared_ptr<const Calibration> KeepCalibration(const VoiceSpec& voice, Calibration calibration);

 private:
  SpeechModels(const SpeechFiles& files, const onnx::SessionOptions& options,
               std::shared_ptr<const KnownVoices> known, std::unique_ptr<Kokoro> kokoro,
               std::unique_ptr<Piper> piper, std::unique_ptr<Hibari> hibari);
  struct AddedVoice {
    std::string folder;
    std::shared_ptr<const Piper> piper;
    std::shared_ptr<CalibrationStore> calibrations;
  };
  CalibrationStore& StoreOf(VoiceModel model);
  // Returns null when the voice is not open.
  std::shared_ptr<CalibrationStore> StoreOfAdded(const std::string& folder);
  std::shared_ptr<const Calibration> Blend(const VoiceSpec& voice);

  std::unique_ptr<Kokoro> kokoro_;
  std::shared_ptr<const Piper> piper_;
  std::unique_ptr<Hibari> hibari_;
  text::PhonemePool phonemes_;
  const std::string mandarin_file_, japanese_file_;
  std::mutex dictionary_mutex_;
  std::shared_ptr<const text::Mandarin> mandarin_;
  std::shared_ptr<const text::Japanese> japanese_;
  StyleFolder styles_;
  const std::shared_ptr<const KnownVoices> known_voices_;
  CalibrationStore kokoro_calibrations_, piper_calibrations_, hibari_calibrations_;
  SoundCache sound_cache_;
  const std::string calibration_folder_;
  const onnx::SessionOptions options_;
  std::mutex added_mutex_;
  std::list<AddedVoice> added_;  // the last used is first
};

}  // namespace trunkline::tts
