#include "asr/whisper_model.h"

#include <fstream>
#include <iterator>

namespace trunkline::asr {
namespace {

base::Result<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Status(base::Code::kNotFound, "cannot read " + path);
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

base::Result<std::shared_ptr<const WhisperModel>> WhisperModel::Open(const onnx::SessionOpener& open,
                                                                     const std::string& path) {
  const std::string folder = path + "/";
  std::shared_ptr<WhisperModel> model(new WhisperModel());
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string conf, ReadText(folder + "whisper.conf"));
  TRUNKLINE_ASSIGN_OR_RETURN(model->settings_, WhisperSettings::Parse(conf));
  TRUNKLINE_ASSIGN_OR_RETURN(model->tokens_, text::ByteTokens::Load(folder + "tokens.bin"));
  TRUNKLINE_ASSIGN_OR_RETURN(model->encoder_, open("whisper-base/encoder.onnx", {}));
  TRUNKLINE_ASSIGN_OR_RETURN(model->decoder_, open("whisper-base/decoder.onnx", {}));
  TRUNKLINE_RETURN_IF_FAILED(model->CheckGraphs());
  TRUNKLINE_RETURN_IF_FAILED(model->ReadMarks());
  model->rules_ =
      TokenRules(model->tokens_, model->settings_, model->marks_.end_of_text, model->marks_.first_mark());
  return std::shared_ptr<const WhisperModel>(std::move(model));
}

base::Status WhisperModel::ReadMarks() {
  const std::pair<const char*, text::TokenId*> names[] = {{"<|endoftext|>", &marks_.end_of_text},
                                                          {"<|startoftranscript|>", &marks_.start},
                                                          {"<|transcribe|>", &marks_.transcribe},
                                                          {"<|nospeech|>", &marks_.no_speech},
                                                          {"<|notimestamps|>", &marks_.no_timestamps}};
  for (const auto& [name, id] : names) {
    *id = tokens_.special(name);
    // The no-speech token has had two names.
    if (*id < 0 && id == &marks_.no_speech) *id = tokens_.special("<|nocaptions|>");
    if (*id < 0) return base::Status(base::Code::kBadModel, "tokens.bin has no " + std::string(name));
  }
  marks_.before = tokens_.special("<|startofprev|>");
  marks_.translate = tokens_.special("<|translate|>");
  for (size_t i = 0; i < kLanguageCodes.size(); ++i) {
    const std::string name = "<|" + std::string(kLanguageCodes[i]) + "|>";
    marks_.languages[i] = tokens_.special(name);
    if (marks_.languages[i] < 0) return base::Status(base::Code::kBadModel, "tokens.bin has no " + name);
  }
  if (static_cast<int64_t>(tokens_.size()) < settings_.vocabulary - 1 - 1501) {
    return base::Status(base::Code::kBadModel, "tokens.bin is shorter than the model's vocabulary");
  }
  return base::Ok();
}

base::Status WhisperModel::CheckGraphs() const {
  const char* const mel[] = {"mel"};
  const char* const cross[] = {"cross_k_0", "cross_v_0"};
  TRUNKLINE_RETURN_IF_FAILED(encoder_->Require(mel, cross));
  const char* const inputs[] = {"tokens", "last", "total", "self_k_0", "self_v_0", "cross_k_0", "cross_v_0"};
  const char* const outputs[] = {"logits", "align", "self_k_out_0", "self_v_out_0"};
  return decoder_->Require(inputs, outputs);
}

}  // namespace trunkline::asr
