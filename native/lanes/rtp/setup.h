// The negotiated codecs, keys and addresses, prepared off the media thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "lanes/rtp/endpoint.h"
#include "lanes/rtp/receiver.h"
#include "lanes/rtp/sender.h"
#include "lanes/rtp/srtp.h"

namespace trunkline::rtp {

struct Setup {
  Listening listening;
  Speaking speaking;
  std::unique_ptr<SrtpSession> in, out;  // null without encryption
  std::string in_key, out_key;
  Endpoint remote, remote_rtcp;
  bool symmetric = true;
  std::vector<Network> networks;
  bool one_port = false;  // RTCP shares the port of RTP
  // Both are false while both ends hold the call.
  bool sends = true, receives = true;
  // DTMF is detected in the audio, because telephone events were not negotiated.
  bool detects_dtmf = false;
};

// Reads the options of lanes/rtp/lane.h. Not realtime.
base::Result<std::unique_ptr<Setup>> MakeSetup(const engine::Options& options, int rate);

}  // namespace trunkline::rtp
