// Any bytes from the network: packets, reports, keys and what a receiver makes of them.
#include <array>
#include <cstdlib>
#include <memory>

#include "lanes/rtp/packet.h"
#include "lanes/rtp/receiver.h"
#include "lanes/rtp/rtcp.h"
#include "lanes/rtp/telephone_event.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trunkline;
  const base::ByteView all(data, size);
  rtp::Listening listening;
  rtp::Listening::Stream stream;
  stream.decoder =
      rtp::MakeDecoder(size % 2 == 0 && rtp::HasOpus() ? rtp::CodecName::kOpus : rtp::CodecName::kPcma, 8000);
  stream.payload_type = 0;
  listening.streams.push_back(std::move(stream));
  listening.noise_type = 13;
  listening.event_type = 101;
  rtp::Receiver receiver(8000);
  receiver.Use(&listening);
  rtp::KeyReader keys;
  std::array<int16_t, 80> piece;
  // Pieces of the input, each as long as its first byte says, are packets that come one after the other.
  double now = 0;
  for (size_t at = 0; at < size; now += 10) {
    const size_t length = std::min<size_t>(data[at] + size_t{1}, size - at);
    const base::ByteView bytes = all.subspan(at, length);
    at += length;
    if (const auto packet = rtp::ReadRtp(bytes)) {
      if (packet->payload.size() > bytes.size()) std::abort();
      keys.Take(packet->payload, packet->header.timestamp);
      receiver.Take(*packet, now);
      if (now > 0 && data[at - 1] % 2 == 0) receiver.Play(now, piece);
    }
    rtp::ReadRtcp(bytes, 7);
    rtp::LooksLikeRtcp(bytes);
  }
  rtp::ReadRtcp(all, 7);
  for (int i = 0; i < 8; ++i) receiver.Play(now + 10 * i, piece);
  return 0;
}
