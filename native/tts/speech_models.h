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
#include "tts/kokoro_graph.h"
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
  // The same for a Kokoro that the operator added; the two that were used last stay open.
  base::Result<std::shared_ptr<KokoroGraph>> GraphOf(const VoiceSpec& voice);
  const Hibari& hibari() const { return *hibari_; }
  text::PhonemePool& phonemes() { return phonemes_; }
  // Returns the accent without its dictionary, and reads no file. kInvalidArgument: no accent of this name.
  // kNotReady: its dictionary is not there.
  base::Result<text::Accent> FindAccent(const VoiceSpec& voice) const;
  // The first use of a dictionary reads it, which takes tens of milliseconds: never called on the JavaScript thread.
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
  // The lock is held while the table is read, so that two calls do not read it twice. Other languages never take it.
  template <typename Table>
  struct DictionaryTable {
    const std::string file;
    std::mutex mutex;
    std::shared_ptr<const Table> table;

    base::Result<const Table*> Read();
  };
  SpeechModels(const SpeechFiles& files, const onnx::SessionOptions& options,
               std::shared_ptr<const KnownVoices> known, std::unique_ptr<Kokoro> kokoro,
               std::unique_ptr<Piper> piper, std::unique_ptr<Hibari> hibari);
  // Added voices of one kind that were used last. The lock of an entry is held while its model is opened, so that two
  // requests do not open it twice. Requests for other voices never wait for it, nor does a look for calibrations, which the
  // JavaScript thread takes.
  template <typename Model>
  class AddedVoices {
   public:
    // `graph` is the file whose size tells the weights of a folder from others.
    AddedVoices(size_t limit, std::string graph) : limit_(limit), graph_(std::move(graph)) {}
    // `open` returns the model of a folder that is not open.
    template <typename Open>
    base::Result<std::shared_ptr<Model>> Get(const std::string& folder, const std::string& calibrations,
                                             Open open);
    // Returns null when the voice is not open.
    std::shared_ptr<CalibrationStore> StoreOf(const std::string& folder);

   private:
    struct Entry {
      explicit Entry(std::string of) : folder(std::move(of)) {}
      const std::string folder;
      std::mutex mutex;
      std::shared_ptr<Model> model;
      std::shared_ptr<CalibrationStore> calibrations;  // The lock of the list guards it.
    };
    std::shared_ptr<Entry> EntryOf(const std::string& folder);

    const size_t limit_;
    const std::string graph_;
    std::mutex mutex_;
    std::list<std::shared_ptr<Entry>> entries_;  // the last used is first
  };
  CalibrationStore& StoreOf(VoiceModel model);
  std::shared_ptr<CalibrationStore> StoreOfAdded(const VoiceSpec& voice);
  std::shared_ptr<const Calibration> Blend(const VoiceSpec& voice);

  std::unique_ptr<Kokoro> kokoro_;
  std::shared_ptr<const Piper> piper_;
  std::unique_ptr<Hibari> hibari_;
  text::PhonemePool phonemes_;
  const std::string vocabulary_file_;
  DictionaryTable<text::Mandarin> mandarin_;
  DictionaryTable<text::Japanese> japanese_;
  StyleFolder styles_;
  const std::shared_ptr<const KnownVoices> known_voices_;
  CalibrationStore kokoro_calibrations_, piper_calibrations_, hibari_calibrations_;
  SoundCache sound_cache_;
  const std::string calibration_folder_;
  const onnx::SessionOptions options_;
  AddedVoices<const Piper> added_pipers_;
  AddedVoices<KokoroGraph> added_graphs_;
};

}  // namespace trunkline::tts
