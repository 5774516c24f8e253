#include "lanes/omni/event_writer.h"

#include "lanes/omni/lane.h"

namespace trunkline::omni {
namespace {

using base::AsBytes;
using base::ByteWriter;
using base::Packed;

constexpr size_t kMaxBytes = 64 * 1024;
constexpr uint32_t kZero = 0;

}  // namespace

OmniEventWriter::OmniEventWriter(int rate) : rate_(rate), record_(kMaxBytes) {}

void OmniEventWriter::SpeechStart(engine::LaneIo& io, double at_ms) {
  io.Write(kOmniSpeechStart, Packed(at_ms));
}

void OmniEventWriter::Partial(engine::LaneIo& io, uint32_t utterance, std::string_view text) {
  io.WriteLatest(kPartialBox, kOmniPartial, Packed(utterance), AsBytes(text));
}

bool OmniEventWriter::Utterance(engine::LaneIo& io, uint16_t type, const OmniUtterance& said) {
  const auto& [language, odds, spoken_ms] = said.identified;
  const auto head =
      Packed(said.number, language, said.start_ms, said.end_ms, said.at_ms, said.asr_ms, odds, spoken_ms);
  return io.Write(type, head, AsBytes(said.text));
}

void OmniEventWriter::Continued(engine::LaneIo& io, uint32_t utterance) {
  io.Write(kOmniContinued, Packed(utterance));
}

void OmniEventWriter::LeftOut(engine::LaneIo& io, uint32_t utterance, uint32_t words, double start_ms,
                              double end_ms) {
  io.Write(kOmniLeftOut, Packed(utterance, words, start_ms, end_ms));
}

void OmniEventWriter::Playing(engine::LaneIo& io, uint32_t speech, uint32_t segment, uint64_t clock) {
  io.Write(kOmniPlaying, Packed(speech, segment, Ms(clock)));
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
  io.Write(kOmniSpeechFailed, Packed(speech), AsBytes(message));
}

void OmniEventWriter::Duck(engine::LaneIo& io, bool down, double at_ms) {
  io.Write(kOmniDuck, Packed(uint32_t{down}, kZero, at_ms));
}

void OmniEventWriter::Recording(engine::LaneIo& io, bool began, double at_ms, std::string_view message) {
  io.Write(kOmniRecording, Packed(uint32_t{began}, kZero, at_ms), AsBytes(message));
}

void OmniEventWriter::Key(engine::LaneIo& io, char key, double at_ms) {
  io.Write(kOmniKey, Packed(uint32_t{static_cast<uint8_t>(key)}, kZero, at_ms));
}

void OmniEventWriter::Music(engine::LaneIo& io, bool playing, double at_ms) {
  io.Write(kOmniMusic, Packed(uint32_t{playing}, kZero, at_ms));
}

bool OmniEventWriter::Feed(engine::LaneIo& io, uint32_t speech, uint32_t segment, double wanted_ms) {
  return io.Write(kOmniFeed, Packed(speech, segment, wanted_ms));
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
