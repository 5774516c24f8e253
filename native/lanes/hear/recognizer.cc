#include "lanes/hear/recognizer.h"

namespace trunkline::hear {

Recognizer::~Recognizer() {
  for (auto& place : idle_) delete place.load();
}

std::unique_ptr<asr::Transcriber> Recognizer::Take() {
  for (auto& place : idle_) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    if (auto* idle = place.exchange(nullptr, std::memory_order_acquire)) {
      return std::unique_ptr<asr::Transcriber>(idle);
    }
  }
  return std::make_unique<asr::Transcriber>(model_, device_);
}

void Recognizer::Give(std::unique_ptr<asr::Transcriber> transcriber) {
  if (!transcriber) return;
  transcriber->Release();
  for (auto& place : idle_) {
    asr::Transcriber* none = nullptr;
    if (place.compare_exchange_strong(none, transcriber.get(), std::memory_order_release,
                                      std::memory_order_relaxed)) {
      (void)transcriber.release();
      return;
    }
  }
}

}  // namespace trunkline::hear
