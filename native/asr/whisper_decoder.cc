#include "asr/whisper_decoder.h"

#include <algorithm>
#include <semaphore>

namespace trunkline::asr {
namespace {}  // namespace

WhisperDecoder::WhisperDecoder(std::shared_ptr<const WhisperModel> model,
                               std::shared_ptr<RecognizerDevice> device)
    : model_(std::move(model)), device_(std::move(device)) {
  const WhisperSettings& settings = model_->settings();
  for (int64_t layer = 0; layer < settings.layers; ++layer) {
    for (const char* part : {"k", "v"}) {
      const std::string end = "_" + std::to_string(layer), name = part;
      names_.push_back({"self_" + name + end, "self_" + name + "_out" + end, "cross_" + name + end});
    }
  }
  caches_.resize(names_.size());
}

base::Status WhisperDecoder::Encode(std::span<const float> samples, const onnx::RunOptions* stop) {
  TRUNKLINE_RETURN_IF_FAILED(BeginEncode(samples, stop));
  return Collect();
}

base::Status WhisperDecoder::BeginEncode(std::span<const float> samples, const onnx::RunOptions* stop) {
  if (samples.size() > kWindowSamples) {
    return base::Status(base::Code::kInvalidArgument, "a window holds at most 30 s of audio");
  }
  Release();
  length_ = attended_ = 0;
  texts_ = 1;
  for (auto& tokens : written_) tokens.clear();
  window_ = FoldWindow(samples.size());
  const size_t frames = 2 * window_.rows();
  const auto bands = static_cast<size_t>(model_->settings().bands);
  mel_.resize(bands * frames);
  model_->log_mel().Compute(samples, frames, mel_);
  if (device_ == nullptr || !device_->serves()) return EncodeHere(stop);
  on_device_ = encodes_ = true;
  read_ = 0;
  place_.sound = mel_;
  place_.window = &window_;
  return base::Ok();
}

base::Status WhisperDecoder::EncodeHere(const onnx::RunOptions* stop) {
  const onnx::Runtime& runtime = model_->encoder().runtime();
  const auto bands = static_cast<size_t>(model_->settings().bands);
  const size_t frames = 2 * window_.rows();
  const int64_t mel_shape[] = {1, static_cast<int64_t>(bands), static_cast<int64_t>(frames)};
  const int64_t rows_shape[] = {static_cast<int64_t>(window_.rows())};
  TRUNKLINE_ASSIGN_OR_RETURN(auto mel, onnx::Tensor::View<float>(runtime, mel_, mel_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto positions,
                             onnx::Tensor::View<int64_t>(runtime, window_.positions, rows_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto count, onnx::Tensor::View<float>(runtime, window_.log_count, rows_shape));
  const onnx::Input inputs[] = {{"mel", &mel}, {"positions", &positions}, {"log_count", &count}};
  cross_.clear();
  cross_.resize(names_.size());
  std::vector<onnx::Output> outputs;
  for (size_t i = 0; i < names_.size(); ++i) outputs.push_back({names_[i].cross.c_str(), &cross_[i]});
  return model_->encoder().Run(inputs, outputs, stop);
}

void WhisperDecoder::AttendTo(size_t first_row, size_t end_row) {
  for (size_t row = 0; row < window_.rows(); ++row) {
    const bool attended = row >= first_row && row < end_row;
    window_.bias[row] = attended ? window_.log_count[row] : kUnattended;
  }
}

base::Status WhisperDecoder::AddCaches(std::vector<onnx::Tensor>& tensors, size_t texts) {
  const WhisperSettings& settings = model_->settings();
  const int64_t shape[] = {static_cast<int64_t>(texts), settings.heads, static_cast<int64_t>(kTextCapacity),
                           settings.head_width()};
  const size_t size = texts * kTextCapacity * static_cast<size_t>(settings.width);
  for (auto& cache : caches_) {
    if (cache.size() < size) cache.resize(size);
    TRUNKLINE_ASSIGN_OR_RETURN(auto tensor, onnx::Tensor::View<float>(model_->decoder().runtime(),
                                                                      std::span(cache).first(size), shape));
    tensors.push_back(std::move(tensor));
  }
  return base::Ok();
}

base::Status WhisperDecoder::Step(std::span<const text::TokenId> tokens) {
  TRUNKLINE_RETURN_IF_FAILED(BeginStep(tokens));
  return Collect();
}

base::Status WhisperDecoder::Step(std::span<const text::TokenId> tokens, std::span<const size_t> parents) {
  TRUNKLINE_RETURN_IF_FAILED(BeginStep(tokens, parents));
  return Collect();
}

base::Status WhisperDecoder::BeginStep(std::span<const text::TokenId> tokens) {
  // Tokens that follow others which are pending go with them.
  if (submitted_ || encodes_ || texts_ > 1) TRUNKLINE_RETURN_IF_FAILED(Collect());
  if (!on_device_) {
    TRUNKLINE_RETURN_IF_FAILED(Run(tokens, 1));
    KeepAttention(tokens.size());
    return base::Ok();
  }
  TRUNKLINE_RETURN_IF_FAILED(CheckLength(tokens.size()));
  texts_ = 1;
  written_.resize(std::max<size_t>(1, written_.size()));
  written_[0].resize(length_);
  written_[0].insert(written_[0].end(), tokens.begin(), tokens.end());
  length_ += tokens.size();
  return base::Ok();
}

base::Status WhisperDecoder::BeginStep(std::span<const text::TokenId> tokens,
                                       std::span<const size_t> parents) {
  TRUNKLINE_RETURN_IF_FAILED(Collect());
  TRUNKLINE_RETURN_IF_FAILED(CheckParents(tokens, parents));
  if (on_device_ && tokens.size() > DeviceWindow::kTexts) TRUNKLINE_RETURN_IF_FAILED(Restore());
  if (!on_device_) {
    for (size_t i = 0; i < parents.size(); ++i) {
      if (parents[i] != i) CopyText(parents[i], i);
    }
    TRUNKLINE_RETURN_IF_FAILED(Run(tokens, tokens.size()));
    if (tokens.size() == 1) KeepAttention(1);
    return base::Ok();
  }
  TRUNKLINE_RETURN_IF_FAILED(CheckLength(1));
  std::vector<std::vector<text::TokenId>> texts;
  std::vector<std::vector<int64_t>> places;
  for (size_t i = 0; i < parents.size(); ++i) {
    const auto& parent = written_[parents[i]];
    texts.emplace_back(parent.begin(), parent.begin() + static_cast<ptrdiff_t>(length_)).push_back(tokens[i]);
    places.push_back(place_.places[parents[i]]);
  }
  written_ = std::move(texts);
  place_.places = std::move(places);
  texts_ = tokens.size();
  ++length_;
  return base::Ok();
}

base::Status WhisperDecoder::CheckParents(std::span<const text::TokenId> tokens,
                                          std::span<const size_t> parents) const {
  if (parents.size() != tokens.size() || parents.empty())
    return base::Status(base::Code::kInvalidArgument, "tokens and parents differ in number");
  if (std::any_of(parents.begin(), parents.end(), [this](size_t parent) { return parent >= texts_; }))
    return base::Status(base::Code::kInvalidArgument, "a parent is not an open text");
  return base::Ok();
}

base::Status WhisperDecoder::CheckLength(size_t count) const {
  if (count > 0 && length_ + count <= kTextCapacity) return base::Ok();
  return base::Status(base::Code::kInvalidArgument, "the text is longer than a window's");
}

void WhisperDecoder::Submit(std::function<void()> done) {
  submitted_ = true;
  if (!encodes_) {
    place_.first = read_;
    place_.texts = std::span(written_).first(texts_);
    place_.attends = texts_ == 1 && attended_ == read_;
    place_.places.resize(texts_);
    for (auto& places : place_.places) places.resize(read_);
  }
  device_->Submit(place_, urgency_, std::move(done));
}

base::Status WhisperDecoder::Collect() {
  if (!pending()) return base::Ok();
  if (!submitted_ && encodes_) {
    on_device_ = encodes_ = false;
    return EncodeHere(nullptr);
  }
  if (!submitted_) {
    const auto done = std::make_shared<std::binary_semaphore>(0);
    Submit([done] { done->release(); });
    done->acquire();
  }
  submitted_ = false;
  if (!place_.status().ok()) return Restore();
  if (encodes_) {
    encodes_ = false;
    place_.places.clear();
    return base::Ok();
  }
  logits_.swap(place_.logits);
  if (place_.attends) {
    step_attention_.swap(place_.attention);
    KeepAttention(length_ - read_);
  }
  read_ = length_;
  return base::Ok();
}

base::Status WhisperDecoder::Restore() {
  Release();
  TRUNKLINE_RETURN_IF_FAILED(EncodeHere(nullptr));
  if (length_ == 0) return base::Ok();
  std::vector<text::TokenId> tokens;
  for (const auto& text : std::span(written_).first(texts_)) {
    tokens.insert(tokens.end(), text.begin(), text.begin() + static_cast<ptrdiff_t>(length_));
  }
  const size_t count = length_;
  length_ = 0;
  TRUNKLINE_RETURN_IF_FAILED(Run(tokens, texts_));
  if (texts_ > 1) return base::Ok();
  attended_ = 0;
  KeepAttention(count);
  return base::Ok();
}

void WhisperDecoder::Release() {
  if (device_ != nullptr) device_->Release(place_);
  on_device_ = encodes_ = submitted_ = false;
}

// Copies only the rows in which the two differ, because related texts share most tokens.
void WhisperDecoder::CopyText(size_t from, size_t to) {
  if (written_.size() <= to) written_.resize(to + 1);
  const auto heads = static_cast<size_t>(model_->settings().heads);
  const auto depth = static_cast<size_t>(model_->settings().head_width());
  const size_t plane = kTextCapacity * depth, text = heads * plane;
  const auto& theirs = written_[from];
  auto& ours = written_[to];
  size_t first = 0;
  while (first < std::min({length_, ours.size(), theirs.size()}) && ours[first] == theirs[first]) ++first;
  ours.assign(theirs.begin(), theirs.begin() + static_cast<ptrdiff_t>(length_));
  for (auto& cache : caches_) {
    if (cache.size() < (to + 1) * text) cache.resize((to + 1) * text);
    for (size_t head = 0; head < heads; ++head) {
      const size_t offset = head * plane + first * depth;
      std::copy_n(cache.data() + from * text + offset, (length_ - first) * depth,
                  cache.data() + to * text + offset);
    }
  }
}

base::Status WhisperDecoder::Run(std::span<const text::TokenId> tokens, size_t texts) {
  const size_t count = tokens.size() / std::max<size_t>(1, texts);
  TRUNKLINE_RETURN_IF_FAILED(CheckLength(count));
  const onnx::Runtime& runtime = model_->decoder().runtime();
  const WhisperSettings& settings = model_->settings();
  const size_t rows = window_.rows();
  std::vector<int64_t> ids(tokens.begin(), tokens.end());
  int32_t total_length = static_cast<int32_t>(length_ + count);
  std::vector<int32_t> last_index(texts, total_length - 1);
  step_attention_.resize(static_cast<size_t>(settings.alignment_heads) * tokens.size() * rows);
  if (logits_.size() < texts * VocabularySize()) logits_.resize(texts * VocabularySize());

  const auto batch = static_cast<int64_t>(texts);
  const int64_t ids_shape[] = {batch, static_cast<int64_t>(count)}, one[] = {1}, each[] = {batch};
  const int64_t rows_shape[] = {static_cast<int64_t>(rows)}, logits_shape[] = {batch, settings.vocabulary};
  const int64_t align_shape[] = {1, settings.alignment_heads, static_cast<int64_t>(tokens.size()),
                                 static_cast<int64_t>(rows)};
  const auto chosen = std::span(logits_).first(texts * VocabularySize());
  TRUNKLINE_ASSIGN_OR_RETURN(auto id, onnx::Tensor::View<int64_t>(runtime, ids, ids_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto last, onnx::Tensor::View<int32_t>(runtime, last_index, each));
  TRUNKLINE_ASSIGN_OR_RETURN(auto total, onnx::Tensor::View<int32_t>(runtime, {&total_length, 1}, one));
  TRUNKLINE_ASSIGN_OR_RETURN(auto folds, onnx::Tensor::View<float>(runtime, window_.bias, rows_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto logits, onnx::Tensor::View<float>(runtime, chosen, logits_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto align, onnx::Tensor::View<float>(runtime, step_attention_, align_shape));
  std::vector<onnx::Tensor> caches;
  TRUNKLINE_RETURN_IF_FAILED(AddCaches(caches, texts));

  std::vector<onnx::Input> inputs = {
      {"tokens", &id}, {"last", &last}, {"total", &total}, {"log_count", &folds}};
  std::vector<onnx::Output> outputs = {{"logits", &logits}, {"align", &align}};
  for (size_t i = 0; i < names_.size(); ++i) {
    // Input and output are the same memory: the graph writes the new rows in place.
    inputs.push_back({names_[i].self_in.c_str(), &caches[i]});
    inputs.push_back({names_[i].cross.c_str(), &cross_[i]});
    outputs.push_back({names_[i].self_out.c_str(), &caches[i]});
  }
  TRUNKLINE_RETURN_IF_FAILED(model_->decoder().Run(inputs, outputs));

  if (written_.size() < texts) written_.resize(texts);
  for (size_t i = 0; i < texts; ++i) {
    const auto mine = tokens.subspan(i * count, count);
    written_[i].resize(length_);
    written_[i].insert(written_[i].end(), mine.begin(), mine.end());
  }
  length_ += count;
  texts_ = texts;
  return base::Ok();
}

// Stores the attention of the newest tokens, unless some before them were not recorded.
void WhisperDecoder::KeepAttention(size_t count) {
  if (attended_ != length_ - count) return;
  attended_ = length_;
  const auto heads = static_cast<size_t>(model_->settings().alignment_heads);
  const size_t rows = window_.rows(), stride = heads * rows;
  attention_.resize(length_ * stride);
  for (size_t head = 0; head < heads; ++head) {
    for (size_t t = 0; t < count; ++t) {
      std::copy_n(step_attention_.data() + (head * count + t) * rows, rows,
                  attention_.data() + (length_ - count + t) * stride + head * rows);
    }
  }
}

void WhisperDecoder::Rewind(size_t count) {
  length_ = std::min(length_, count);
  attended_ = std::min(attended_, length_);
  read_ = std::min(read_, length_);
  texts_ = 1;
}

bool WhisperDecoder::Attended(std::span<const text::TokenId> tokens, size_t before) const {
  return attended_ >= before + tokens.size() &&
         std::equal(tokens.begin(), tokens.end(), written_[0].begin() + static_cast<ptrdiff_t>(before));
}

std::span<const float> WhisperDecoder::attention(size_t token) const {
  const size_t stride = static_cast<size_t>(model_->settings().alignment_heads) * window_.rows();
  return {attention_.data() + token * stride, stride};
}

}  // namespace trunkline::asr
