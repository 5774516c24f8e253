#include "lanes/rtp/statistics.h"

#include <algorithm>

namespace trunkline::rtp {
namespace {

// The packetization delay, and the delay of the lane.
constexpr double kPacketMs = 20, kLaneMs = 10;

}  // namespace

std::array<double, kStatistics> StatisticsOf(Stream& stream, const SoundQuality& quality) {
  Receiver& receiver = stream.receiver();
  const PlayCounts& play = receiver.counts();
  const PacketCounts& packets = stream.counts();
  const Remote& remote = stream.remote();
  const Sender& sender = stream.sender();
  const double sounded = play.played + play.concealed;
  const double missing = sounded > 0 ? play.concealed / sounded : 0;
  const double way = remote.round_trip_ms.value_or(0) / 2;
  const double waited = std::max(0.0, receiver.waited_ms());
  const double in = OpinionScore(missing, kPacketMs + waited + kLaneMs + way, receiver.quality());
  const double out =
      OpinionScore(remote.loss, 2 * kPacketMs + way + 2 * remote.jitter_ms, receiver.quality());
  const auto echo = quality.echo().value_or(dsp::LineEcho{.delay_ms = -1});
  const auto number = [](auto value) { return static_cast<double>(value); };
  return {number(packets.taken),
          number(packets.bytes),
          number(receiver.reception().lost()),
          number(play.late),
          number(play.twice),
          number(receiver.reception().reordered()),
          1000 * receiver.reception().jitter() / receiver.clock(),
          play.concealed,
          number(play.recovered),
          play.played,
          play.shortened,
          play.lengthened,
          waited,
          receiver.delay().target_ms(),
          packets.taken == 0 ? -1 : in,
          number(sender.packets()),
          number(sender.bytes()),
          number(remote.lost),
          remote.loss,
          remote.reports == 0 ? -1 : remote.jitter_ms,
          remote.round_trip_ms.value_or(-1),
          remote.reports == 0 ? -1 : out,
          number(packets.foreign),
          number(packets.bad),
          number(packets.unsent),
          remote.bye ? 1.0 : 0.0,
          quality.clipped_in(),
          quality.clipped_out(),
          echo.delay_ms,
          echo.db};
}

}  // namespace trunkline::rtp
