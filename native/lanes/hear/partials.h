// The partials of an utterance: when a pass runs, and whether its words are shown. Once the utterance's first
// words are stable, a pass hears the audio after them alone. Media thread; it allocates when it is made.
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
  // Shows words from elsewhere: an eager final at a pause.
  void Show(std::string_view text) { text_.assign(text); }
  // The language that the pass identified, once it had enough speech.
  std::optional<asr::Language> FoundLanguage(const OpenUtterance& utterance) const;
  // The utterance begins with `text`, all that was said up to `end_s`.
  void SetStable(const std::string& text, double end_s);
  void ReportStable(engine::LaneIo& io, const OpenUtterance& utterance, HearListener& listener);

  // The best text so far, and the words that a final begins with.
  const std::string& text() const { return text_; }
  const std::string& stable() const { return stable_; }
  // Returns whether all stable words were sent.
  bool reported() const { return !unsent_; }
  void CancelTasks();

 private:
  bool Sure(std::string_view text);
  bool IsOvertaken() const;

  const HearOptions& options_;
  PartialTask pass_;
  std::string stable_;
  double stable_to_s_ = 0;
  bool unsent_ = false;  // stable words were not sent yet
  std::string text_;
  double ordered_at_s_ = 0;
  double cost_s_ = 0;
  std::string first_word_;
  bool sure_ = false;
};

}  // namespace trunkline::hear
