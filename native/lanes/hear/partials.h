// The partials of an utterance: when a pass runs, whether its words are shown, and which are settled. Media
// thread; it allocates when it is made.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lanes/hear/audio.h"
#include "lanes/hear/listener.h"
#include "lanes/hear/tasks.h"

namespace trunkline::hear {

class HearPartials {
 public:
  HearPartials(HearStream& stream, const HearOptions& options, HearModels& models);

  void Begin();
  // Called once a tick during speech; orders a pass when one is due.
  void Order(engine::LaneIo& io, const OpenUtterance& utterance, HearAudio& audio);
  // Called when a pass has finished. Returns true when its words may be shown.
  bool Known(engine::LaneIo& io, const OpenUtterance& utterance);
  void Show(engine::LaneIo& io, const OpenUtterance& utterance, HearListener& listener);
  // Shows words from elsewhere: a guess at a pause.
  void Show(std::string_view text) { text_.assign(text); }
  // The language that the pass identified, once it had enough speech.
  std::optional<asr::Language> FoundLanguage(const OpenUtterance& utterance) const;
  void Settle(const OpenUtterance& utterance);
  void ReportSettled(engine::LaneIo& io, const OpenUtterance& utterance, HearListener& listener);

  // The best text so far, and the words that a final begins with.
  const std::string& text() const { return text_; }
  const std::string& promised() const { return settled_; }
  // Returns whether all settled words were sent.
  bool reported() const { return !settled_to_s_; }
  void CancelTasks();

 private:
  bool Sure(std::string_view text);

  const HearOptions& options_;
  PartialTask pass_;
  std::string settled_;
  std::string text_;
  std::optional<double> settled_to_s_;  // the end of settled words that were not sent yet
  double ordered_at_s_ = 0;
  double cost_s_ = 0;
  std::string first_word_;
  bool sure_ = false;
};

}  // namespace trunkline::hear
