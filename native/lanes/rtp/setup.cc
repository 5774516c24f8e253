#include "lanes/rtp/setup.h"

#include <charconv>
#include <string_view>
#include <utility>

namespace trunkline::rtp {

using base::Code;
using base::Result;
using base::Status;
using engine::Options;

namespace {

struct Named {
  CodecName codec;
  uint8_t payload_type;
};

// "111 opus"
std::optional<Named> ReadCodec(std::string_view text) {
  const size_t space = text.find(' ');
  int type = -1;
  const char* end = text.data() + std::min(space, text.size());
  if (std::from_chars(text.data(), end, type).ptr != end || type < 0 || type > 127) return std::nullopt;
  const std::string_view name = space == std::string_view::npos ? "" : text.substr(space + 1);
  const auto payload_type = static_cast<uint8_t>(type);
  if (name == "pcmu") return Named{CodecName::kPcmu, payload_type};
  if (name == "pcma") return Named{CodecName::kPcma, payload_type};
  if (name == "opus") return Named{CodecName::kOpus, payload_type};
  return std::nullopt;
}

Status NotSpoken(std::string_view text) {
  if (text.find("opus") != std::string_view::npos && !HasOpus()) {
    return Status(Code::kNotReady,
                  "Opus needs libopus: apt-get install libopus-dev, then node scripts/setup.mjs");
  }
  return Status(Code::kInvalidArgument, "'" + std::string(text) + "' is no codec that is spoken");
}

Status Listen(std::string_view text, int rate, Listening& listening) {
  const auto named = ReadCodec(text);
  Listening::Stream stream;
  if (named) stream.decoder = MakeDecoder(named->codec, rate);
  if (stream.decoder == nullptr) return NotSpoken(text);
  stream.payload_type = named->payload_type;
  const int own = stream.decoder->rate();
  if (own != rate) stream.resampler = dsp::Resampler::Create(own, rate, dsp::Grade::kSpeech);
  listening.streams.push_back(std::move(stream));
  return base::Ok();
}

Status Speak(const Options& options, int rate, Speaking& speaking) {
  const std::string_view text = options.Text("speak");
  const EncoderOptions encoder_options{.inband_fec = options.Flag("repeats", true),
                                       .dtx = options.Flag("pauses")};
  const auto named = ReadCodec(text);
  if (named) speaking.encoder = MakeEncoder(named->codec, rate, encoder_options);
  if (speaking.encoder == nullptr) return NotSpoken(text);
  speaking.payload_type = named->payload_type;
  const int own = speaking.encoder->rate();
  if (own != rate) speaking.resampler = dsp::Resampler::Create(rate, own, dsp::Grade::kSpeech);
  return base::Ok();
}

Status Address(const Options& options, Setup& setup) {
  const auto port = static_cast<uint16_t>(options.Integer("port", 0, 0, 65535));
  const auto remote = Endpoint::Parse(options.Text("address"), port);
  if (!remote || port == 0) {
    return Status(Code::kInvalidArgument, "'" + std::string(options.Text("address")) + "' with port " +
                                              std::to_string(port) + " is no place to send to");
  }
  setup.remote = *remote;
  setup.one_port = options.Flag("rtcp_mux");
  const auto rtcp = static_cast<uint16_t>(options.Integer("rtcp_port", port + 1, 1, 65535));
  setup.remote_rtcp = setup.one_port ? *remote : remote->WithPort(rtcp);
  return base::Ok();
}

Status Keys(const Options& options, Setup& setup) {
  const std::string_view suite = options.Text("srtp_suite");
  if (suite.empty()) return base::Ok();
  const auto in = options.Bytes("srtp_in"), out = options.Bytes("srtp_out");
  TRUNKLINE_ASSIGN_OR_RETURN(setup.in, SrtpSession::Open(suite, in, SrtpSession::Direction::kIn));
  TRUNKLINE_ASSIGN_OR_RETURN(setup.out, SrtpSession::Open(suite, out, SrtpSession::Direction::kOut));
  setup.in_key = std::string(suite) + ' ' + std::string(base::AsText(in));
  setup.out_key = std::string(suite) + ' ' + std::string(base::AsText(out));
  return base::Ok();
}

int TypeOf(const Options& options, std::string_view key) {
  return static_cast<int>(options.Integer(key, -1, -1, 127));
}

}  // namespace

Result<std::unique_ptr<Setup>> MakeSetup(const Options& options, int rate) {
  auto setup = std::make_unique<Setup>();
  TRUNKLINE_RETURN_IF_FAILED(Address(options, *setup));
  Status listened;
  options.EachText("listen", [&](std::string_view text) {
    if (listened.ok() && setup->listening.streams.size() < 8) listened = Listen(text, rate, setup->listening);
  });
  TRUNKLINE_RETURN_IF_FAILED(listened);
  if (setup->listening.streams.empty())
    return Status(Code::kInvalidArgument, "listen: expected at least one codec");
  TRUNKLINE_RETURN_IF_FAILED(Speak(options, rate, setup->speaking));
  TRUNKLINE_RETURN_IF_FAILED(Keys(options, *setup));
  const int clock = static_cast<int>(options.Integer("event_clock", 8000, 8000, 48000));
  setup->listening.event_type = setup->speaking.event_type = TypeOf(options, "event_type");
  setup->listening.event_clock = setup->speaking.event_clock = clock;
  setup->listening.noise_type = TypeOf(options, "noise_type");
  setup->speaking.noise_type = options.Flag("sends_noise") ? setup->listening.noise_type : -1;
  Status read;
  options.EachText("networks", [&](std::string_view text) {
    const auto network = Network::Parse(text);
    if (network)
      setup->networks.push_back(*network);
    else
      read = Status(Code::kInvalidArgument, "'" + std::string(text) + "' is no network");
  });
  TRUNKLINE_RETURN_IF_FAILED(read);
  setup->symmetric = options.Flag("symmetric", true);
  setup->sends = options.Flag("sends", true);
  setup->receives = options.Flag("receives", true);
  setup->detects_dtmf = setup->listening.event_type < 0;
  return setup;
}

}  // namespace trunkline::rtp
