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

base::Result<std::shared_ptr<const WhisperModel>> WhisperModel::OpenFolder(
    const std::shared_ptr<onnx::Runtime>& runtime, const std::string& folder,
    const onnx::SessionOptions& options) {
  const onnx::SessionOpener open = [&](const std::string& name, const onnx::SessionOptions&) {
    return onnx::Session::Open(runtime, folder + "/" + name, options);
  };
  return OpenNamed(open, "", folder);
}

base::Result<std::shared_ptr<const WhisperModel>> WhisperModel::OpenNamed(const onnx::SessionOpener& open,
                                                                          const std::string& stem,
                                                                          const std::string& path) {
  const std::string folder = path + "/";
  std::shared_ptr<WhisperModel> model(new WhisperModel());
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string conf, ReadText(folder + "whisper.conf"));
  TRUNKLINE_ASSIGN_OR_RETURN(model->settings_, WhisperSettings::Parse(conf));
  TRUNKLINE_ASSIGN_OR_RETURN(model->tokens_, text::ByteTokens::Load(folder + "tokens.bin"));
  TRUNKLINE_ASSIGN_OR_RETURN(model->encoder_, open(stem + "encoder.onnx", {}));
  TRUNKLINE_ASSIGN_OR_RETURN(model->decoder_, open(stem + "decoder.onnx", {}));
  model->log_mel_ = dsp::LogMel(static_cast<size_t>(model->settings_.bands));
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
    const bool needed = id != &marks_.transcribe || !english_only();
    if (*id < 0 && needed)
      return base::Status(base::Code::kBadModel, "tokens.bin has no " + std::string(name));
  }
  marks_.before = tokens_.special("<|startofprev|>");
  marks_.translate = english_only() ? -1 : tokens_.special("<|translate|>");
  for (size_t i = 0; i < kLanguageCodes.size(); ++i) {
    const std::string name = "<|" + std::string(kLanguageCodes[i]) + "|>";
    marks_.languages[i] = tokens_.special(name);
    if (marks_.languages[i] < 0 && !english_only())
      return base::Status(base::Code::kBadModel, "tokens.bin has no " + name);
  }
  if (static_cast<int64_t>(tokens_.size()) < settings_.vocabulary - 1 - 1501) {
    return base::Status(base::Code::kBadModel, "tokens.bin is shorter than the model's vocabulary");
  }
  return base::Ok();
}

base::Status WhisperModel::CheckGraphs() const {
  const char* const mel[] = {"mel"};
  const std::string last = std::to_string(settings_.layers - 1);
  const std::string cross_k = "cross_k_" + last, cross_v = "cross_v_" + last;
  const std::string self_k = "self_k_" + last, self_v = "self_v_" + last;
  const std::string out_k = "self_k_out_" + last, out_v = "self_v_out_" + last;
  const char* const cross[] = {cross_k.c_str(), cross_v.c_str()};
  TRUNKLINE_RETURN_IF_FAILED(encoder_->Require(mel, cross));
  const char* const inputs[] = {"tokens",       "last",          "total",        self_k.c_str(),
                                self_v.c_str(), cross_k.c_str(), cross_v.c_str()};
  const char* const outputs[] = {"logits", "align", out_k.c_str(), out_v.c_str()};
  return decoder_->Require(inputs, outputs);
}

}  // namespace trunkline::asr
