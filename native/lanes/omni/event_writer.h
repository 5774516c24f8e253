// Writes the events of an Omni lane in the layout of lanes/omni/lane.h. Media thread; no allocation after the
// first words.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "engine/engine.h"
#include "lanes/omni/playout.h"

namespace trunkline::omni {

// The language of an utterance that was identified among several, its probability among them, and the
// duration of the speech behind it.
struct IdentifiedLanguage {
  static constexpr uint32_t kUnknown = 255;

  uint32_t language = kUnknown;
  double odds = 0, spoken_ms = 0;
};

// Times are milliseconds of the media clock.
struct OmniUtterance {
  uint32_t number = 0;
  double start_ms = 0, end_ms = 0, at_ms = 0, asr_ms = 0;
  std::string_view text;
  IdentifiedLanguage identified;
};

class OmniEventWriter {
 public:
  enum Mailbox : size_t { kPartialBox, kMailboxes };

  explicit OmniEventWriter(int rate);

  void SpeechStart(engine::LaneIo& io, double at_ms);
  void Partial(engine::LaneIo& io, uint32_t utterance, std::string_view text);
  // Returns false when the outbox is full.
  bool Utterance(engine::LaneIo& io, uint16_t type, const OmniUtterance& utterance);
  void Continued(engine::LaneIo& io, uint32_t utterance);
  void LeftOut(engine::LaneIo& io, uint32_t utterance, uint32_t words, double start_ms, double end_ms);
  void Playing(engine::LaneIo& io, uint32_t speech, uint32_t segment, uint64_t clock);
  void Played(engine::LaneIo& io, uint32_t speech, std::span<const PlayedSegment> segments);
  // `played` is not empty.
  void Interrupted(engine::LaneIo& io, uint32_t reason, std::span<const PlayedSegment> played);
  void SpeechFailed(engine::LaneIo& io, uint32_t speech, std::string_view message);
  void Duck(engine::LaneIo& io, bool down, double at_ms);
  void Key(engine::LaneIo& io, char key, double at_ms);
  // Returns false when the outbox is full.
  bool Feed(engine::LaneIo& io, uint32_t speech, uint32_t segment, double wanted_ms);
  void Music(engine::LaneIo& io, bool playing, double at_ms);
  void Recording(engine::LaneIo& io, bool began, double at_ms, std::string_view message);

  double Ms(uint64_t samples) const { return static_cast<double>(samples) * 1000 / rate_; }

 private:
  void WriteSegments(base::ByteWriter& writer, std::span<const PlayedSegment> segments) const;

  const int rate_;
  std::vector<uint8_t> record_;
};

}  // namespace trunkline::omni
