// A lane of Hear in virtual time, and what it told.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "lanes/hear/lane.h"
#include "test/support/hear_engine.h"
#include "test/support/split_points.h"
#include "vad/endpointer.h"

namespace trunkline::hear {

using base::Code;

struct Event {
  uint16_t type;
  uint32_t utterance, reason;
  double start, end;
  std::string text;
  int64_t at_ms;
};

// An engine without threads: a tick is 10 ms of the clock, and every task that a tick orders is run before
// the next.
class HearLaneTest : public test::HearEngineTest {
 protected:
  void SetUp() override {
    engine::Kinds kinds;
    kinds.AddLane(kind_);
    Make(std::move(kinds));
  }

  engine::LaneId Open(engine::OptionsBuilder& options) {
    const auto opened = engine_->Open("hear", options.packed());
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return opened.ok() ? *opened : engine::LaneId{};
  }

  void Tick() {
    clock_->Advance(engine::kTickNanos);
    engine_->Tick();
    if (++ticks_ % busy_ticks_ == 0) {
      RunAll();
    }
    for (const auto& record : test::DrainAll(*engine_)) Take(record);
  }

  void Take(const test::Record& record) {
    if (record.type == engine::kClosedEvent) {
      closed_.push_back(record.code());
      return;
    }
    if (record.type == engine::kModelEvent) {
      placed_.push_back(record.bytes);
      return;
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(record.bytes.data());
    Event event{record.type,
                base::Load<uint32_t>(bytes),
                base::Load<uint32_t>(bytes + 4),
                base::Load<double>(bytes + 8),
                base::Load<double>(bytes + 16),
                record.bytes.substr(24),
                clock_->Now() / base::kNanosPerMilli};
    if (record.type == kHearFinal) event.text = record.bytes.substr(28, base::Load<uint32_t>(bytes + 24));
    events_.push_back(event);
  }

  // In frames of 20 ms, at real time.
  void Say(engine::LaneId lane, const std::vector<float>& samples, int rate) {
    const size_t frame = static_cast<size_t>(rate) / 50;
    std::vector<int16_t> pcm(frame);
    for (size_t at = 0; at < samples.size(); at += frame) {
      for (size_t i = 0; i < frame; ++i) {
        const float sample = at + i < samples.size() ? samples[at + i] : 0.0f;
        pcm[i] = static_cast<int16_t>(std::lround(std::clamp(sample, -1.0f, 1.0f) * 32767));
      }
      ASSERT_EQ(engine_->Push(lane, base::AsBytes(std::span<const int16_t>(pcm))), Code::kOk);
      Tick();
      Tick();
    }
  }
  void Quiet(engine::LaneId lane, double seconds, int rate) {
    Say(lane, std::vector<float>(static_cast<size_t>(seconds * rate), 0.0f), rate);
  }
  void Close(engine::LaneId lane) {
    engine_->Close(lane, true);
    for (int i = 0; i < 100 && closed_.empty(); ++i) Tick();
    ASSERT_EQ(closed_.size(), 1u);
    EXPECT_EQ(closed_[0], Code::kOk);
  }

  std::vector<Event> Of(uint16_t type) const {
    std::vector<Event> out;
    std::copy_if(events_.begin(), events_.end(), std::back_inserter(out),
                 [&](const Event& event) { return event.type == type; });
    return out;
  }
  std::string FinalText() const {
    std::string text;
    for (const Event& event : Of(kHearFinal)) text += event.text + " ";
    return text;
  }
  // Checks the order of events that holds for every stream.
  void CheckOrder() const {
    std::map<uint32_t, std::string> stable;
    uint32_t last_final = 0;
    const Event* spoken = nullptr;
    for (const Event& event : events_) {
      ASSERT_GT(event.utterance, last_final) << "nothing of an utterance follows its final";
      if (event.type == kHearStable) {
        EXPECT_TRUE(event.text.starts_with(stable[event.utterance])) << event.text;
        stable[event.utterance] = event.text;
      }
      if (event.type == kHearPartial || event.type == kHearFinal) {
        EXPECT_TRUE(event.text.starts_with(stable[event.utterance]))
            << "'" << stable[event.utterance] << "' was stable, then: " << event.text;
      }
      if (event.type == kHearSpeechFinal) spoken = &event;
      if (event.type == kHearFinal) {
        ASSERT_NE(spoken, nullptr);
        EXPECT_EQ(spoken->utterance, event.utterance);
        EXPECT_EQ(spoken->end, event.end);
        spoken = nullptr;
        last_final = event.utterance;
      }
    }
  }

  void CheckLongSpeech(const std::vector<float>& speech, const std::string& text, bool partials,
                       double max_errors);

  // Says how many ticks pass until the inference that a tick orders is run: more on a busy machine.
  int busy_ticks_ = 1;
  int ticks_ = 0;
  const std::shared_ptr<engine::LaneKind> kind_ = MakeHearKind();
  std::vector<Event> events_;
  std::vector<Code> closed_;
  // Holds the packed events about the devices of models.
  std::vector<std::string> placed_;
};

inline std::vector<float> Clip(size_t number, std::string& text, int rate = 16000) {
  const auto clips = test::Clips("ljspeech", "en");
  if (number >= clips.size()) return {};
  text += clips[number].text + " ";
  return test::Resampled(test::ReadWav(test::Recording(clips[number].path)), rate);
}

// Cut or not, each final is there before fifteen seconds of its utterance have been said.
inline void HearLaneTest::CheckLongSpeech(const std::vector<float>& speech, const std::string& text,
                                          bool partials, double max_errors) {
  events_.clear();
  closed_.clear();
  engine::OptionsBuilder options;
  options.Text("language", "en").Number("endpointing_ms", 3000).Number("partials", partials ? 1 : 0);
  const engine::LaneId lane = Open(options);
  const int64_t began_ms = clock_->Now() / base::kNanosPerMilli;
  Say(lane, speech, 16000);
  Close(lane);
  CheckOrder();
  const auto finals = Of(kHearFinal);
  ASSERT_GE(finals.size(), 3u);
  EXPECT_EQ(finals[0].reason, static_cast<uint32_t>(trunkline::vad::EndReason::kMaxUtterance));
  std::vector<std::string> texts;
  double latest = 0;
  for (const Event& event : finals) {
    EXPECT_LE(event.end - event.start, 15.05);
    latest = std::max(latest, static_cast<double>(event.at_ms - began_ms) / 1000 - event.start);
    texts.push_back(event.text);
    if (std::getenv("TRUNKLINE_SHOW") != nullptr)
      std::printf("%.2f-%.2f %s\n", event.start, event.end, event.text.c_str());
  }
  EXPECT_LE(latest, 15.05);
  // Its words were shown: at the cap too, where the next utterance is open by then.
  for (const Event& event : Of(kHearSpeechFinal)) {
    EXPECT_FALSE(event.text.empty()) << "utterance " << event.utterance;
  }
  const double rate = test::ErrorRate(text, FinalText());
  const size_t faults = test::SeamFaults(text, texts);
  std::printf("%zu finals of %.0f s, the latest after %.2f s: word error %.3f, %zu faults\n", finals.size(),
              static_cast<double>(speech.size()) / 16000, latest, rate, faults);
  EXPECT_LE(rate, max_errors);
  EXPECT_EQ(faults, 0u);
}

}  // namespace trunkline::hear
