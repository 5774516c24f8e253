#include "lanes/hear/transcript_record.h"

#include <algorithm>

namespace trunkline::hear {
namespace {

constexpr size_t kMaxWordBytes = 0xffff;

}  // namespace

size_t TranscriptBytes(std::string_view text, std::span<const asr::Word> words) {
  size_t bytes = 8 + text.size();
  for (const asr::Word& word : words) bytes += 10 + std::min(word.text.size(), kMaxWordBytes);
  return bytes;
}

void WriteTranscript(base::ByteWriter& writer, std::string_view text, std::span<const asr::Word> words,
                     double shift) {
  writer.Write(static_cast<uint32_t>(text.size()));
  writer.WriteBytes(base::AsBytes(text));
  writer.Write(static_cast<uint32_t>(words.size()));
  for (const asr::Word& word : words) {
    const auto bytes = std::string_view(word.text).substr(0, kMaxWordBytes);
    writer.Write(static_cast<float>(word.start + shift));
    writer.Write(static_cast<float>(word.end + shift));
    writer.Write(static_cast<uint16_t>(bytes.size()));
    writer.WriteBytes(base::AsBytes(bytes));
  }
}

}  // namespace trunkline::hear
