// Compares jitter buffers in virtual time: the same packets of speech over the same bad networks.
//   bench_jitter SPEECH8 SPEECH24 [--quick]    PCM16 at 8 and 24 kHz
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lanes/rtp/receiver.h"

#ifdef TRUNKLINE_PEER_SPEEXDSP
#include <speex/speex_jitter.h>
#endif

namespace {

using trunkline::rtp::CodecName;
using trunkline::rtp::Encoder;
using trunkline::rtp::Listening;
using trunkline::rtp::MakeDecoder;
using trunkline::rtp::MakeEncoder;
using trunkline::rtp::Packet;
using trunkline::rtp::Receiver;
using trunkline::rtp::ReceiverOptions;

constexpr double kPacketMs = 20, kTickMs = 10, kWayMs = 40;

struct Arrival {
  double ms;
  size_t packet;
};

struct Network {
  const char* name;
  double loss;    // 0 to 1
  double jitter;  // ms
};

struct Stream {
  int rate;
  int clock;
  CodecName codec;
  std::vector<std::vector<uint8_t>> payloads;  // an empty one was not sent
};

struct Outcome {
  double concealed_ms = 0, played_ms = 0, stretched_ms = 0;
  uint64_t late = 0, recovered = 0;
  std::vector<double> waits;
};

// Each packet is lost, or comes up to `jitter` after the fastest, independently.
std::vector<Arrival> Spread(const Stream& stream, const Network& network, uint32_t seed) {
  std::mt19937 chance(seed);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<Arrival> arrivals;
  for (size_t i = 0; i < stream.payloads.size(); ++i) {
    const double lost = share(chance), late = share(chance);
    if (stream.payloads[i].empty() || lost < network.loss) continue;
    arrivals.push_back({kWayMs + kPacketMs * static_cast<double>(i + 1) + late * network.jitter, i});
  }
  return arrivals;
}

// The path stalls every two seconds on average for up to `jitter`, then delivers the packets at
// once, in order; two packets in a row are lost on average.
std::vector<Arrival> Stalls(const Stream& stream, const Network& network, uint32_t seed) {
  std::mt19937 chance(seed);
  std::uniform_real_distribution<double> share(0, 1);
  std::exponential_distribution<double> until(1.0 / 2000);
  double shut = until(chance), open = shut;
  bool losing = false;
  std::vector<Arrival> arrivals;
  for (size_t i = 0; i < stream.payloads.size(); ++i) {
    const double enter = network.loss / (2 * (1 - network.loss));
    losing = losing ? share(chance) < 0.5 : share(chance) < enter;
    double at = kPacketMs * static_cast<double>(i + 1);
    while (at > open) {
      shut = open + until(chance);
      open = shut + share(chance) * network.jitter;
    }
    if (at > shut) at = open;
    if (!losing && !stream.payloads[i].empty()) arrivals.push_back({kWayMs + at, i});
  }
  return arrivals;
}

Outcome RunReceiver(const Stream& stream, const std::vector<Arrival>& arrivals, ReceiverOptions options) {
  Listening listening;
  Listening::Stream own;
  own.payload_type = 96;
  own.decoder = MakeDecoder(stream.codec, stream.rate);
  listening.streams.push_back(std::move(own));
  Receiver receiver(stream.rate, options);
  receiver.Use(&listening);
  std::vector<int16_t> piece(static_cast<size_t>(stream.rate) / 100);
  Outcome outcome;
  size_t next = 0;
  const double end = kPacketMs * static_cast<double>(stream.payloads.size());
  for (double now = kTickMs; now <= end; now += kTickMs) {
    for (; next < arrivals.size() && arrivals[next].ms <= now; ++next) {
      const size_t at = arrivals[next].packet;
      const Packet packet{
          .header = {.payload_type = 96,
                     .sequence = static_cast<uint16_t>(at),
                     .timestamp = static_cast<uint32_t>(at) * (static_cast<uint32_t>(stream.clock) / 50),
                     .ssrc = 1},
          .payload = stream.payloads[at]};
      receiver.Take(packet, arrivals[next].ms);
    }
    if (receiver.Play(now, piece)) outcome.waits.push_back(receiver.waited_ms());
  }
  const auto& counts = receiver.counts();
  outcome.concealed_ms = counts.concealed;
  outcome.played_ms = counts.played;
  outcome.stretched_ms = counts.shortened + counts.lengthened;
  outcome.late = counts.late;
  outcome.recovered = counts.recovered;
  return outcome;
}

#ifdef TRUNKLINE_PEER_SPEEXDSP
Outcome RunSpeex(const Stream& stream, const std::vector<Arrival>& arrivals) {
  constexpr spx_int32_t kStep = 160;  // 20 ms of its own units
  JitterBuffer* buffer = jitter_buffer_init(kStep);
  Outcome outcome;
  size_t next = 0;
  uint64_t taken = 0;
  bool began = false;
  std::vector<char> content(4096);
  const double end = kPacketMs * static_cast<double>(stream.payloads.size());
  for (double now = kPacketMs; now <= end; now += kPacketMs) {
    for (; next < arrivals.size() && arrivals[next].ms <= now; ++next) {
      JitterBufferPacket packet{};
      packet.data = content.data();
      packet.len = 1;
      packet.timestamp = static_cast<spx_uint32_t>(arrivals[next].packet) * kStep;
      packet.span = kStep;
      packet.sequence = static_cast<spx_uint16_t>(arrivals[next].packet);
      jitter_buffer_put(buffer, &packet);
    }
    if (next == 0) continue;
    std::vector<char> out(4096);
    JitterBufferPacket got{};
    got.data = out.data();
    got.len = static_cast<spx_uint32_t>(out.size());
    spx_int32_t offset = 0;
    const int code = jitter_buffer_get(buffer, &got, kStep, &offset);
    if (code == JITTER_BUFFER_OK) {
      began = true;
      ++taken;
      outcome.played_ms += kPacketMs;
      const double sent = kWayMs + kPacketMs * (static_cast<double>(got.timestamp) / kStep + 1);
      outcome.waits.push_back(now - sent);
    } else if (began) {
      outcome.concealed_ms += kPacketMs;
    }
    jitter_buffer_tick(buffer);
  }
  outcome.late = next - taken;
  jitter_buffer_destroy(buffer);
  return outcome;
}
#endif

std::vector<int16_t> ReadSpeech(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) std::abort();
  std::vector<int16_t> samples;
  int16_t block[4096];
  while (const size_t count = std::fread(block, 2, 4096, file))
    samples.insert(samples.end(), block, block + count);
  std::fclose(file);
  return samples;
}

Stream Encode(CodecName codec, int rate, const std::vector<int16_t>& speech, double loss, bool pauses) {
  const auto encoder = MakeEncoder(codec, rate, {.inband_fec = true, .dtx = pauses});
  if (encoder == nullptr) return {};
  encoder->ExpectLoss(static_cast<int>(100 * loss));
  Stream stream{.rate = rate, .clock = encoder->clock(), .codec = codec, .payloads = {}};
  const size_t frame = static_cast<size_t>(rate) / 50;
  bool silent = false;
  for (size_t at = 0; at + frame <= speech.size(); at += frame) {
    std::vector<uint8_t> payload(1400);
    payload.resize(encoder->Encode(std::span(speech).subspan(at, frame), payload));
    const bool pause = encoder->Pauses(payload);
    if (pause && silent) payload.clear();
    silent = pause;
    stream.payloads.push_back(std::move(payload));
  }
  return stream;
}

double Share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

void Print(const char* codec, const Network& network, const std::string& who, const Outcome& outcome,
           size_t arrived) {
  auto waits = outcome.waits;
  std::sort(waits.begin(), waits.end());
  double sum = 0;
  for (const double wait : waits) sum += wait;
  const double mean = waits.empty() ? 0 : sum / static_cast<double>(waits.size());
  const double p95 = waits.empty() ? 0 : waits[waits.size() * 95 / 100];
  const double sounded = outcome.concealed_ms + outcome.played_ms;
  std::printf(
      "{\"codec\":\"%s\",\"network\":\"%s\",\"loss\":%g,\"jitter\":%g,\"who\":\"%s\",\"concealed\":%.5f,"
      "\"late\":%.5f,"
      "\"recovered\":%llu,\"wait\":%.1f,\"wait95\":%.1f,\"stretched\":%.5f}\n",
      codec, network.name, network.loss, network.jitter, who.c_str(), Share(outcome.concealed_ms, sounded),
      Share(static_cast<double>(outcome.late), static_cast<double>(arrived)),
      static_cast<unsigned long long>(outcome.recovered), mean, p95, Share(outcome.stretched_ms, sounded));
}

void Cell(const char* codec, const Stream& stream, const Network& network) {
  const bool spread = std::strcmp(network.name, "spread") == 0;
  auto arrivals = spread ? Spread(stream, network, 7) : Stalls(stream, network, 7);
  std::stable_sort(arrivals.begin(), arrivals.end(), [](auto a, auto b) { return a.ms < b.ms; });
  Print(codec, network, "ours", RunReceiver(stream, arrivals, {}), arrivals.size());
  for (const double wait : {60.0, 120.0, 200.0}) {
    ReceiverOptions fixed{.delay = {.min_ms = wait, .max_ms = wait}, .conceals = true, .adapts = false};
    Print(codec, network, "fixed " + std::to_string(static_cast<int>(wait)),
          RunReceiver(stream, arrivals, fixed), arrivals.size());
  }
#ifdef TRUNKLINE_PEER_SPEEXDSP
  Print(codec, network, "speexdsp", RunSpeex(stream, arrivals), arrivals.size());
#endif
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const bool quick = count > 3 && std::strcmp(arguments[3], "--quick") == 0;
  const auto narrow = ReadSpeech(arguments[1]), wide = ReadSpeech(arguments[2]);
  const std::vector<double> losses =
      quick ? std::vector<double>{0.05} : std::vector<double>{0, 0.01, 0.03, 0.05, 0.1};
  const std::vector<double> jitters =
      quick ? std::vector<double>{0, 100} : std::vector<double>{0, 20, 50, 100, 150};
  for (const double loss : losses) {
    const Stream pcmu = Encode(CodecName::kPcmu, 8000, narrow, loss, false);
    const Stream opus = Encode(CodecName::kOpus, 24000, wide, loss, false);
    const Stream pausing = Encode(CodecName::kOpus, 24000, wide, loss, true);
    for (const char* name : {"spread", "stalls"}) {
      for (const double jitter : jitters) {
        const Network network{.name = name, .loss = loss, .jitter = jitter};
        Cell("pcmu", pcmu, network);
        if (opus.payloads.empty()) continue;
        Cell("opus", opus, network);
        Cell("opus, silence unsent", pausing, network);
      }
    }
  }
  return 0;
}
