// The text of a turn without pauses so far: recognition splits a long utterance, while the turn goes on.
// Media thread; no allocation.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::omni {

class TurnText {
 public:
  TurnText() {
    text_.reserve(kMax);
    joined_.reserve(2 * kMax);
  }

  bool empty() const { return text_.empty(); }
  double start_ms() const { return start_ms_; }
  double end_ms() const { return end_ms_; }

  // Returns false when the text is empty or too long to add; the turn then ends here.
  bool Take(std::string_view text, double start_ms, double end_ms) {
    if (text.empty() || text_.size() + 1 + text.size() > kMax) return false;
    if (text_.empty()) start_ms_ = start_ms;
    end_ms_ = end_ms;
    if (!text_.empty()) text_ += ' ';
    text_ += text;
    return true;
  }

  // Returns all text followed by `text`. Valid until the next call.
  std::string_view With(std::string_view text) {
    if (text_.empty()) return text;
    joined_.assign(text_);
    if (!text.empty()) joined_.append(" ").append(text);
    return joined_;
  }

  void Clear() { text_.clear(); }

 private:
  // Some minutes of speech, which still fit into a record together with the newest utterance.
  static constexpr size_t kMax = 4096;

  std::string text_, joined_;
  double start_ms_ = 0, end_ms_ = 0;
};

}  // namespace trunkline::omni
