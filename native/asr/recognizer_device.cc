#include "asr/recognizer_device.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trunkline::asr {
namespace {

using base::Code;
using base::Status;
using GiveResults = onnx::DeviceScheduler::GiveResults;

// Steps whose longest prompt has at most so many tokens go together; a shorter one is filled up.
constexpr std::array<size_t, 4> kPrompts = {1, 8, 32, DeviceWindow::kTokens};
constexpr size_t kMaxEncoded = 64;
// Offline work leaves this share of the windows to live work.
constexpr size_t kReservedShare = 4;

size_t PromptClass(const DeviceWindow& window) {
  const size_t count = window.length() - window.first;
  return *std::find_if(kPrompts.begin(), kPrompts.end(), [&](size_t most) { return count <= most; });
}

int64_t Signed(size_t number) {
  return static_cast<int64_t>(number);
}

}  // namespace

RecognizerShape ShapeOf(const WhisperSettings& whisper) {
  return {.layers = whisper.layers,
          .heads = whisper.heads,
          .width = whisper.width,
          .vocabulary = whisper.vocabulary,
          .alignment_heads = whisper.alignment_heads,
          .lines = static_cast<size_t>(whisper.bands)};
}

base::Result<std::shared_ptr<RecognizerDevice>> RecognizerDevice::Open(
    const onnx::SessionOpener& open, const std::string& stem, const RecognizerShape& shape,
    const RecognizerDeviceSettings& settings) {
  const auto device = onnx::DeviceScheduler::Share(new RecognizerDevice(shape, settings));
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    for (const char* part : {"k_", "v_"}) {
      const std::string end = part + std::to_string(layer), out = part + ("out_" + std::to_string(layer));
      device->names_.push_back({"self_" + end, "self_" + out, "cross_" + end});
    }
  }
  TRUNKLINE_ASSIGN_OR_RETURN(device->encoder_, open(stem + "encoder.onnx", {}));
  TRUNKLINE_ASSIGN_OR_RETURN(device->decoder_, open(stem + "decoder.onnx", {}));
  TRUNKLINE_RETURN_IF_FAILED(device->CheckGraphs());
  TRUNKLINE_RETURN_IF_FAILED(device->Allocate());
  TRUNKLINE_RETURN_IF_FAILED(device->WarmUp());
  onnx::DeviceScheduler::Model& batches = *device;
  device->scheduler_ = std::make_unique<onnx::DeviceScheduler>(batches, device->clock_, settings.scheduler);
  return device;
}

RecognizerDevice::~RecognizerDevice() = default;

Status RecognizerDevice::CheckGraphs() const {
  std::vector<const char*> self_in = {"tokens", "positions", "writes", "reads", "window_slots", "log_count"};
  std::vector<const char*> self_out = {"logits"}, cross;
  if (shape_.alignment_heads > 0) self_out.push_back("align");
  for (const Names& name : names_) {
    self_in.push_back(name.self_in.c_str());
    self_in.push_back(name.cross.c_str());
    self_out.push_back(name.self_out.c_str());
    cross.push_back(name.cross.c_str());
  }
  const char* const sound[] = {shape_.sound, "positions", "log_count"};
  TRUNKLINE_RETURN_IF_FAILED(encoder_->Require(sound, cross));
  TRUNKLINE_RETURN_IF_FAILED(decoder_->Require(self_in, self_out));
  const std::vector<int64_t>& pool = decoder_->input("self_k_0")->shape;
  if (pool.size() == 3 && pool[1] == Signed(DeviceWindow::kTokens) && pool[2] == shape_.width) {
    return base::Ok();
  }
  return Status(Code::kBadModel, "the decoder for a GPU has pools of another shape");
}

std::vector<int64_t> RecognizerDevice::CrossShape(size_t name, size_t rows, size_t windows) const {
  const bool keys = name % 2 == 0;
  const int64_t depth = shape_.head_width();
  return {Signed(windows), shape_.heads, keys ? depth : Signed(rows), keys ? Signed(rows) : depth};
}

Status RecognizerDevice::Allocate() {
  TRUNKLINE_ASSIGN_OR_RETURN(memory_, onnx::DeviceMemory::Of(*decoder_));
  const onnx::ElementType type = decoder_->input("self_k_0")->type;
  size_t texts = 0;
  for (size_t i = 0; i < kClasses; ++i) {
    classes_[i].taken.resize(settings_.windows[i]);
    classes_[i].first_text = texts;
    texts += settings_.windows[i] * shape_.texts;
    for (size_t name = 0; name < names_.size(); ++name) {
      TRUNKLINE_ASSIGN_OR_RETURN(
          auto pool, memory_->Allocate(type, CrossShape(name, shape_.rows[i], settings_.windows[i])));
      classes_[i].cross.push_back(std::move(pool));
    }
  }
  const int64_t shape[] = {Signed(texts), Signed(DeviceWindow::kTokens), shape_.width};
  for (size_t name = 0; name < names_.size(); ++name) {
    TRUNKLINE_ASSIGN_OR_RETURN(auto pool, memory_->Allocate(type, shape));
    self_.push_back(std::move(pool));
  }
  return base::Ok();
}

size_t RecognizerDevice::pool_bytes() const {
  size_t bytes = 0;
  const auto add = [&](const std::vector<onnx::Tensor>& pools) {
    for (const onnx::Tensor& pool : pools) bytes += pool.size() * onnx::ElementSize(pool.type());
  };
  add(self_);
  for (const LengthClass& one : classes_) add(one.cross);
  return bytes;
}

Status RecognizerDevice::WarmUp() {
  for (size_t i = 0; i < kClasses; ++i) {
    Window silence;
    silence.positions.resize(shape_.rows[i]);
    silence.log_count.resize(shape_.rows[i]);
    silence.bias.resize(shape_.rows[i]);
    const std::vector<float> sound(shape_.lines * shape_.row_numbers * shape_.rows[i]);
    const std::vector<std::vector<text::TokenId>> texts = {{0}};
    DeviceWindow window;
    DeviceWindow* const all[] = {&window};
    window.sound = sound;
    window.window = &silence;
    window.texts = texts;
    window.length_class_ = i;
    window.slot_ = 0;
    window.places = {{Signed(classes_[i].first_text * DeviceWindow::kTokens)}};
    TRUNKLINE_RETURN_IF_FAILED(Encode(all).status());
    TRUNKLINE_RETURN_IF_FAILED(Step(all).status());
  }
  return base::Ok();
}

void RecognizerDevice::Submit(DeviceWindow& window, onnx::DeviceWork::Urgency urgency,
                              std::function<void()> done) {
  window.live_ = urgency.live;
  if (!window.encoded_) {
    window.length_class_ =
        static_cast<size_t>(std::find_if(shape_.rows.begin(), shape_.rows.end(),
                                         [&](size_t rows) { return window.window->rows() <= rows; }) -
                            shape_.rows.begin());
    window.open_ = true;
    open_.fetch_add(1, std::memory_order_relaxed);
  } else {
    // Texts that are new or have grown write into the window's slot.
    const size_t slot = classes_[window.length_class_].first_text + *window.slot_ * shape_.texts;
    for (size_t text = 0; text < window.texts.size(); ++text) {
      for (size_t at = window.first; at < window.length(); ++at) {
        window.places[text].push_back(Signed((slot + text) * DeviceWindow::kTokens + at));
      }
    }
  }
  scheduler_->Submit(window, urgency, !window.encoded_, std::move(done));
}

void RecognizerDevice::Release(DeviceWindow& window) {
  if (!window.open_) return;
  {
    const std::lock_guard lock(slots_mutex_);
    if (window.slot_) classes_[window.length_class_].taken[*window.slot_] = false;
  }
  window.slot_.reset();
  window.open_ = window.encoded_ = false;
  open_.fetch_sub(1, std::memory_order_relaxed);
  scheduler_->Wake();
}

size_t RecognizerDevice::TakeSlots(std::span<DeviceWindow* const> windows) {
  const std::lock_guard lock(slots_mutex_);
  std::vector<bool>& taken = classes_[windows.front()->length_class_].taken;
  auto left = static_cast<size_t>(std::count(taken.begin(), taken.end(), false));
  size_t most = 0;
  for (const DeviceWindow* window : windows) {
    if (left <= (window->live_ ? 0 : taken.size() / kReservedShare)) break;
    ++most;
    --left;
  }
  size_t best = 0, best_at = 0;
  for (size_t at = 0, run = 0; at < taken.size() && best < most; ++at) {
    run = taken[at] ? 0 : run + 1;
    if (run > best) {
      best = run;
      best_at = at + 1 - run;
    }
  }
  for (size_t i = 0; i < best; ++i) {
    taken[best_at + i] = true;
    windows[i]->slot_ = best_at + i;
  }
  return best;
}

std::vector<onnx::DeviceWork*> RecognizerDevice::Choose(std::span<onnx::DeviceWork* const> waiting) {
  std::array<bool, kClasses> full{};
  for (onnx::DeviceWork* lead : waiting) {
    const auto& first = static_cast<const DeviceWindow&>(*lead);
    if (!first.encoded_ && full[first.length_class_]) continue;
    std::vector<DeviceWindow*> together;
    const size_t prompt = first.encoded_ ? PromptClass(first) : 0;
    size_t texts = 0;
    for (onnx::DeviceWork* work : waiting) {
      auto& window = static_cast<DeviceWindow&>(*work);
      if (window.encoded_ != first.encoded_ || window.length_class_ != first.length_class_) continue;
      if (!first.encoded_) {
        if (together.size() < kMaxEncoded) together.push_back(&window);
      } else if (PromptClass(window) == prompt) {
        const size_t with = texts + window.texts.size();
        if (!together.empty() && (with > settings_.max_texts || with * prompt > settings_.max_tokens)) break;
        texts = with;
        together.push_back(&window);
      }
    }
    if (!first.encoded_) together.resize(TakeSlots(together));
    if (!together.empty()) return {together.begin(), together.end()};
    full[first.length_class_] = true;
  }
  return {};
}

base::Result<GiveResults> RecognizerDevice::Run(std::span<onnx::DeviceWork* const> batch) {
  std::vector<DeviceWindow*> windows;
  for (onnx::DeviceWork* work : batch) windows.push_back(static_cast<DeviceWindow*>(work));
  return windows.front()->encoded_ ? Step(windows) : Encode(windows);
}

void RecognizerDevice::Failed(const Status& status) {
  serves_.store(false, std::memory_order_release);
  for (const onnx::Session* session : {encoder_.get(), decoder_.get()}) {
    session->placement()->FellBack("the GPU failed while the model ran: " + status.message());
  }
}

base::Result<GiveResults> RecognizerDevice::Encode(std::span<DeviceWindow* const> windows) {
  const LengthClass& of = classes_[windows.front()->length_class_];
  const size_t rows = shape_.rows[windows.front()->length_class_], count = windows.size();
  const size_t lines = shape_.lines, line = shape_.row_numbers * rows;
  std::vector<float> sound(count * lines * line), log_count(count * rows, kUnattended);
  std::vector<int64_t> positions(count * rows);
  for (size_t i = 0; i < count; ++i) {
    const DeviceWindow& window = *windows[i];
    const size_t own = window.window->rows(), own_line = shape_.row_numbers * own;
    for (size_t at = 0; at < lines; ++at) {
      std::copy_n(&window.sound[at * own_line], own_line, &sound[(i * lines + at) * line]);
    }
    std::copy_n(window.window->positions.begin(), own, &positions[i * rows]);
    std::copy_n(window.window->log_count.begin(), own, &log_count[i * rows]);
  }
  const onnx::Runtime& runtime = encoder_->runtime();
  const int64_t sound_shape[] = {Signed(count), Signed(lines), Signed(line)};
  const int64_t rows_shape[] = {Signed(count), Signed(rows)};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto binding, onnx::IoBinding::Create(*encoder_));
  TRUNKLINE_ASSIGN_OR_RETURN(auto sound_in, onnx::Tensor::View<float>(runtime, sound, sound_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto positions_in, onnx::Tensor::View<int64_t>(runtime, positions, rows_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto count_in, onnx::Tensor::View<float>(runtime, log_count, rows_shape));
  TRUNKLINE_RETURN_IF_FAILED(binding->BindInput(shape_.sound, sound_in));
  TRUNKLINE_RETURN_IF_FAILED(binding->BindInput("positions", positions_in));
  TRUNKLINE_RETURN_IF_FAILED(binding->BindInput("log_count", count_in));
  std::vector<onnx::Tensor> slots;
  for (size_t name = 0; name < names_.size(); ++name) {
    const size_t first = *windows.front()->slot_ * static_cast<size_t>(shape_.width) * rows;
    TRUNKLINE_ASSIGN_OR_RETURN(auto part,
                               memory_->View(of.cross[name], first, CrossShape(name, rows, count)));
    TRUNKLINE_RETURN_IF_FAILED(binding->BindOutput(names_[name].cross.c_str(), part));
    slots.push_back(std::move(part));
  }
  TRUNKLINE_RETURN_IF_FAILED(binding->Run());
  return GiveResults([given = std::vector<DeviceWindow*>(windows.begin(), windows.end())] {
    for (DeviceWindow* window : given) window->encoded_ = true;
  });
}

base::Result<GiveResults> RecognizerDevice::Step(std::span<DeviceWindow* const> windows) {
  const LengthClass& of = classes_[windows.front()->length_class_];
  const size_t rows = shape_.rows[windows.front()->length_class_];
  size_t texts = 0, longest = 0;
  bool attends = false;
  for (const DeviceWindow* window : windows) {
    texts += window->texts.size();
    longest = std::max(longest, window->length() - window->first);
    attends = attends || window->attends;
  }
  std::vector<int64_t> tokens, positions, writes, reads, window_slots;
  std::vector<float> log_count(texts * rows, kUnattended);
  for (const DeviceWindow* window : windows) {
    const size_t count = window->length() - window->first;
    for (size_t text = 0; text < window->texts.size(); ++text) {
      const std::vector<int64_t>& places = window->places[text];
      for (size_t i = 0; i < longest; ++i) {
        // A shorter prompt begins with copies of its first token, which write what that writes.
        const size_t at = window->first + (i < longest - count ? 0 : i - (longest - count));
        tokens.push_back(window->texts[text][at]);
        positions.push_back(Signed(at));
        writes.push_back(places[at] / Signed(DeviceWindow::kTokens));
        writes.push_back(Signed(at));
      }
      reads.insert(reads.end(), places.begin(), places.end());
      reads.insert(reads.end(), DeviceWindow::kTokens - places.size(), places.back());
      std::copy(window->window->bias.begin(), window->window->bias.end(),
                &log_count[window_slots.size() * rows]);
      window_slots.push_back(Signed(*window->slot_));
    }
  }
  const auto vocabulary = static_cast<size_t>(shape_.vocabulary);
  const auto heads = static_cast<size_t>(shape_.alignment_heads);
  std::vector<float> logits(texts * vocabulary), align(attends ? texts * heads * longest * rows : 0);

  const onnx::Runtime& runtime = decoder_->runtime();
  const int64_t batch = Signed(texts), steps = Signed(longest);
  const int64_t ids_shape[] = {batch, steps}, writes_shape[] = {batch, steps, 2}, each[] = {batch};
  const int64_t reads_shape[] = {batch, Signed(DeviceWindow::kTokens)}, rows_shape[] = {batch, Signed(rows)};
  const int64_t logits_shape[] = {batch, shape_.vocabulary};
  const int64_t align_shape[] = {batch, shape_.alignment_heads, steps, Signed(rows)};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto binding, onnx::IoBinding::Create(*decoder_));
  std::vector<onnx::Tensor> bound;
  const auto bind = [&](const char* name, auto& values, std::span<const int64_t> shape,
                        bool output = false) -> Status {
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    TRUNKLINE_ASSIGN_OR_RETURN(auto tensor, onnx::Tensor::View<Value>(runtime, values, shape));
    TRUNKLINE_RETURN_IF_FAILED(output ? binding->BindOutput(name, tensor) : binding->BindInput(name, tensor));
    bound.push_back(std::move(tensor));
    return base::Ok();
  };
  TRUNKLINE_RETURN_IF_FAILED(bind("tokens", tokens, ids_shape));
  TRUNKLINE_RETURN_IF_FAILED(bind("positions", positions, ids_shape));
  TRUNKLINE_RETURN_IF_FAILED(bind("writes", writes, writes_shape));
  TRUNKLINE_RETURN_IF_FAILED(bind("reads", reads, reads_shape));
  TRUNKLINE_RETURN_IF_FAILED(bind("window_slots", window_slots, each));
  TRUNKLINE_RETURN_IF_FAILED(bind("log_count", log_count, rows_shape));
  TRUNKLINE_RETURN_IF_FAILED(bind("logits", logits, logits_shape, true));
  if (attends) TRUNKLINE_RETURN_IF_FAILED(bind("align", align, align_shape, true));
  for (size_t name = 0; name < names_.size(); ++name) {
    // Input and output are the same memory: the graph writes the new rows in place.
    TRUNKLINE_RETURN_IF_FAILED(binding->BindInput(names_[name].self_in.c_str(), self_[name]));
    TRUNKLINE_RETURN_IF_FAILED(binding->BindInput(names_[name].cross.c_str(), of.cross[name]));
    TRUNKLINE_RETURN_IF_FAILED(binding->BindOutput(names_[name].self_out.c_str(), self_[name]));
  }
  TRUNKLINE_RETURN_IF_FAILED(binding->Run());

  return GiveResults([given = std::vector<DeviceWindow*>(windows.begin(), windows.end()),
                      logits = std::move(logits), align = std::move(align), vocabulary, heads, longest,
                      rows] {
    size_t row = 0;
    for (DeviceWindow* window : given) {
      const size_t own = window->window->rows(), count = window->length() - window->first;
      window->logits.assign(&logits[row * vocabulary],
                            logits.data() + (row + window->texts.size()) * vocabulary);
      if (window->attends) {
        window->attention.resize(heads * count * own);
        for (size_t head = 0; head < heads; ++head) {
          for (size_t i = 0; i < count; ++i) {
            const size_t from = (row * heads + head) * longest + longest - count + i;
            std::copy_n(&align[from * rows], own, &window->attention[(head * count + i) * own]);
          }
        }
      }
      row += window->texts.size();
    }
  });
}

}  // namespace trunkline::asr
