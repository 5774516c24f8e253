#include "asr/timestamp_rules.h"

#include <algorithm>

#include "asr/softmax.h"

namespace trunkline::asr {
namespace {

// Timestamps are 20 ms apart; the first is at most a second in.
constexpr size_t kLatestStart = 50;

void Forbid(std::span<float> logits) {
  std::fill(logits.begin(), logits.end(), kNever);
}

}  // namespace

TimestampRules::State TimestampRules::After(State state, text::TokenId token) const {
  if (!is_timestamp(token)) return {Place::kWords, state.last};
  const bool begins = state.place == Place::kStart || state.place == Place::kClosed;
  return {begins ? Place::kOpened : Place::kClosed, token};
}

void TimestampRules::Apply(std::span<float> logits, State state) const {
  const auto before = logits.first(static_cast<size_t>(first_));
  const auto marks = logits.subspan(static_cast<size_t>(first_));
  const auto past = state.place == Place::kStart ? 0 : static_cast<size_t>(state.last - first_);
  switch (state.place) {
    case Place::kStart:
      Forbid(before);
      Forbid(marks.subspan(std::min(kLatestStart + 1, marks.size())));
      return;
    case Place::kOpened:
      Forbid(marks);
      return;
    case Place::kClosed:
      Forbid(logits.first(static_cast<size_t>(end_)));
      Forbid(marks.first(past));
      break;
    case Place::kWords:
      Forbid(marks.first(past + 1));
      break;
  }
  if (LogSumExp(marks) > before[static_cast<size_t>(Best(before))]) Forbid(before);
}

}  // namespace trunkline::asr
