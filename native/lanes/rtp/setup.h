// What signalling has agreed on, made ready outside of the media thread: codecs, keys, addresses.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "lanes/rtp/endpoint.h"
#include "lanes/rtp/receiver.h"
#include "lanes/rtp/secure.h"
#include "lanes/rtp/sender.h"

namespace trunkline::rtp {

struct Setup {
  Listening listening;
  Speaking speaking;
  std::unique_ptr<Secure> in, out;  // null: in the clear
  std::string in_key, out_key;      // of those, with their suite
  Endpoint remote, remote_rtcp;
  bool symmetric = true;
  std::vector<Network> networks;  // where the other end may send from besides
  bool one_port = false;          // RTCP shares the port of RTP
  // Whether we send, and whether the other end does: both false while the call is held both ways.
  bool sends = true, receives = true;
  // Keys are listened for in the sound, because nothing else was agreed on.
  bool hears_keys = false;
};

// Options as rtp/lane.h describes them. Not realtime.
base::Result<std::unique_ptr<Setup>> MakeSetup(const engine::Options& options, int rate);

}  // namespace trunkline::rtp
