#include "lanes/omni/event_writer.h"

#include "lanes/omni/lane.h"

namespace trunkline::omni {
namespace {

using base::AsBytes;
using base::ByteWriter;

constexpr size_t kMaxBytes = 64 * 1024;

}  // namespace

OmniEventWriter::OmniEventWriter(int rate) : rate_(rate), record_(kMaxBytes) {}

void OmniEventWriter::SpeechStart(engine::LaneIo& io, double at_ms) {
  uint8_t head[8];
  base::Store(head, at_ms);
  io.Write(kOmniSpeechStart, head);
}

void OmniEventWriter::Partial(engine::LaneIo& io, uint32_t utterance, std::string_view text) {
  uint8_t head[4];
  base::Store(head, utterance);
  io.WriteLatest(kPartialBox, kOmniPartial, head, AsBytes(text));
}

bool OmniEventWriter::Utterance(engine::LaneIo& io, uint16_t type, const OmniUtterance& utterance) {
  uint8_t head[56];
  base::Store(head, utterance.number);
  base::Store(head + 4, utterance.identified.language);
  base::Store(head + 8, utterance.start_ms);
  base::Store(head + 16, utterance.end_ms);
  base::Store(head + 24, utterance.at_ms);
  base::Store(head + 32, utterance.asr_ms);
  base::Store(head + 40, utterance.identified.odds);
  base::Store(head + 48, utterance.identified.spoken_ms);
  return io.Write(type, head, AsBytes(utterance.text));
}

void OmniEventWriter::Continued(engine::LaneIo& io, uint32_t utterance) {
  uint8_t head[4];
  base::Store(head, utterance);
  io.Write(kOmniContinued, head);
}

void OmniEventWriter::LeftOut(engine::LaneIo& io, uint32_t utterance, uint32_t words, double start_ms,
                              double end_ms) {
  uint8_t head[24];
  base::Store(head, utterance);
  base::Store(head + 4, words);
  base::Store(head + 8, start_ms);
  base::Store(head + 16, end_ms);
  io.Write(kOmniLeftOut, head);
}

void OmniEventWriter::Playing(engine::LaneIo& io, uint32_t speech, uint32_t segment, uint64_t clock) {
  uint8_t head[16];
  base::Store(head, speech);
  base::Store(head + 4, segment);
  base::Store(head + 8, Ms(clock));
  io.Write(kOmniPlaying, head);
}

void OmniEventWriter::Played(engine::LaneIo& io, uint32_t speech, std::span<const PlayedSegment> segments) {
  ByteWriter writer(record_);
  writer.Write(speech);
  writer.Write(static_cast<uint32_t>(segments.size()));
  WriteSegments(writer, segments);
  io.Write(kOmniPlayed, base::ByteView(record_).first(writer.position()));
}

void OmniEventWriter::Interrupted(engine::LaneIo& io, uint32_t reason,
                                  std::span<const PlayedSegment> played) {
  uint64_t samples = 0;
  for (const PlayedSegment& segment : played) samples += segment.played;
  ByteWriter writer(record_);
  writer.Write(played[0].speech);
  writer.Write(reason);
  writer.Write(Ms(samples));
  writer.Write(static_cast<uint32_t>(played.size()));
  writer.Write(uint32_t{0});
  WriteSegments(writer, played);
  io.Write(kOmniInterrupted, base::ByteView(record_).first(writer.position()));
}

void OmniEventWriter::SpeechFailed(engine::LaneIo& io, uint32_t speech, std::string_view message) {
  uint8_t head[4];
  base::Store(head, speech);
  io.Write(kOmniSpeechFailed, head, AsBytes(message));
}

void OmniEventWriter::Duck(engine::LaneIo& io, bool down, double at_ms) {
  uint8_t head[16];
  base::Store(head, static_cast<uint32_t>(down ? 1 : 0));
  base::Store(head + 4, uint32_t{0});
  base::Store(head + 8, at_ms);
  io.Write(kOmniDuck, head);
}

void OmniEventWriter::Recording(engine::LaneIo& io, bool began, double at_ms, std::string_view message) {
  uint8_t head[16];
  base::Store(head, static_cast<uint32_t>(began ? 1 : 0));
  base::Store(head + 4, uint32_t{0});
  base::Store(head + 8, at_ms);
  io.Write(kOmniRecording, head, AsBytes(message));
}

void OmniEventWriter::Key(engine::LaneIo& io, char key, double at_ms) {
  uint8_t head[16];
  base::Store(head, static_cast<uint32_t>(static_cast<uint8_t>(key)));
  base::Store(head + 4, uint32_t{0});
  base::Store(head + 8, at_ms);
  io.Write(kOmniKey, head);
}

void OmniEventWriter::Music(engine::LaneIo& io, bool playing, double at_ms) {
  uint8_t head[16];
  base::Store(head, static_cast<uint32_t>(playing ? 1 : 0));
  base::Store(head + 4, uint32_t{0});
  base::Store(head + 8, at_ms);
  io.Write(kOmniMusic, head);
}

bool OmniEventWriter::Feed(engine::LaneIo& io, uint32_t speech, uint32_t segment, double wanted_ms) {
  uint8_t head[16];
  base::Store(head, speech);
  base::Store(head + 4, segment);
  base::Store(head + 8, wanted_ms);
  return io.Write(kOmniFeed, head);
}

void OmniEventWriter::WriteSegments(ByteWriter& writer, std::span<const PlayedSegment> segments) const {
  for (const PlayedSegment& segment : segments) {
    writer.Write(segment.segment);
    writer.Write(static_cast<uint32_t>(segment.complete ? 1 : 0));
    writer.Write(Ms(segment.played));
    writer.Write(Ms(segment.total));
  }
}

}  // namespace trunkline::omni
