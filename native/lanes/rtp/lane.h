// The lane of a call's RTP packets: received audio comes out, and audio that goes in is sent by the media clock.
// Engine::Join connects it with another lane, an agent's or another call's, without a step through JavaScript.
//
// Audio is PCM16 at the lane's rate, or u-law: out in pieces of 10 ms from the first packet on, without a gap; in as it comes, at
// most 2 s ahead of its time.
//
// Options
//   rate              8000, 16000, 24000
//   codec             "pcm16" (where absent) or "ulaw" (8000): of this side, independent of the packets' codec
//   bind              a numeric address of this machine
//   port_from, port_to  UDP ports, of which two are taken; without them the system chooses
//   ssrc              of the packets that are sent, when signalling has named it; random without it
//   quiet_ms, dead_ms   milliseconds without a packet until kRtpSilence; 0: never
//
// Verbs
//   kRtpSetup    options: what signalling agreed on, as often as it changes
//     address, port     where packets go; rtcp_port (else port + 1) or rtcp_mux (1: the same port)
//     listen            list of "TYPE CODEC": payload type, and pcmu, pcma or opus
//     speak             one such text
//     repeats, pauses   the other end's Opus preferences: in-band FEC (unless 0), DTX (1)
//     event_type, event_clock   telephone events; without them DTMF is detected in the audio
//     noise_type        comfort noise; sends_noise (1: silence is sent as such)
//     srtp_suite, srtp_in, srtp_out   SDES: the suite's name; each key with its salt, as bytes
//     symmetric         0: packets from elsewhere than `address` and `port` are never taken
//     networks          list of addresses and networks (CIDR) from which they may come too
//     sends, receives   0 while held
//   kRtpKeys     text: keys to press
//   kRtpClear    nothing: discards audio that waits to be sent
//   kRtpDirect   u32 sends, u32 receives
//   kRtpMark     u32 number: kRtpMarked once all audio pushed before has been sent
//
// Events
//   kRtpOpened      u32 port, u32 port of RTCP: the lane's first
//   kRtpReady       nothing: the setup is in effect
//   kRtpRefused     text: why the setup failed
//   kRtpSource      text: the packets' source, with the first packet and whenever it changes
//   kRtpKey         u32 character
//   kRtpSilence     u32 state (0: packets come again, 1: quiet, 2: dead), u32 zero, f64 milliseconds
//   kRtpMarked      u32 number
//   kRtpStatistics  numbers, f64 each, as src/media/engine/kinds/rtp.ts names them: every second, and last of all
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::rtp {

enum RtpEvent : uint16_t {
  kRtpOpened = engine::kFirstKindEvent,
  kRtpReady,
  kRtpRefused,
  kRtpSource,
  kRtpKey,
  kRtpSilence,
  kRtpMarked,
  kRtpStatistics,
};

enum RtpVerb : uint16_t {
  kRtpSetup = 1,
  kRtpKeys,
  kRtpClear,
  kRtpDirect,
  kRtpMark,
};

std::shared_ptr<engine::LaneKind> MakeRtpKind();

}  // namespace trunkline::rtp
