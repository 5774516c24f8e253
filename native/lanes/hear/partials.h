// The words of an utterance while it goes on: when a pass is made, whether its words are shown, and which of
// them are settled. Media thread; what it needs is reserved when it is made.
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

  // A new utterance: nothing of it is known.
  void Begin();
  // Once a tick while somebody speaks: makes a pass when one is due.
  void Order(engine::LaneIo& io, const OpenUtterance& utterance, HearAudio& audio);
  // A pass has answered. True: it tells words of this utterance that may be shown.
  bool Known(engine::LaneIo& io, const OpenUtterance& utterance);
  // Shows the words of the pass that answered.
  void Show(engine::LaneIo& io, const OpenUtterance& utterance, HearListener& listener);
  // Shows words that are known from elsewhere: a guess at a pause.
  void Show(std::string_view text) { text_.assign(text); }
  // The language that the pass found, once it has heard enough for it.
  std::optional<asr::Language> FoundLanguage(const OpenUtterance& utterance) const;
  // Takes the words that the pass has settled, where they are promised.
  void Settle(const OpenUtterance& utterance);
  // Tells settled words that were not told yet.
  void TellSettled(engine::LaneIo& io, const OpenUtterance& utterance, HearListener& listener);

  // The best text so far, and the words that a final begins with.
  const std::string& text() const { return text_; }
  const std::string& promised() const { return settled_; }
  // All settled words have been told.
  bool told() const { return !settled_to_s_; }
  void CancelTasks();

 private:
  bool Sure(std::string_view text);

  const HearOptions& options_;
  PartialTask pass_;
  std::string settled_;
  std::string text_;
  std::optional<double> settled_to_s_;  // of settled words that are not told yet
  double ordered_at_s_ = 0;
  double cost_s_ = 0;
  std::string first_word_;  // of the last pass, while no partial has been told
  bool sure_ = false;
};

}  // namespace trunkline::hear
