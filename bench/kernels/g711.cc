#include <cstdint>
#include <random>

#include "bench/kernels/race.h"
#include "dsp/cpu.h"
#include "dsp/g711_kernels.h"

#ifdef TRUNKLINE_PEER_SPANDSP
#include <spandsp.h>
#endif

using trunkline::bench::Contestant;
using trunkline::bench::Touch;
namespace dsp = trunkline::dsp;

namespace {

// Both sizes fit into L1 with their output; 160 samples are the 20 ms of a carrier's frame.
constexpr long kSizes[] = {160, 4096};
constexpr long kSamplesPerRun = 1 << 19;

struct Tables {
  int16_t decode[2][256];
  uint8_t encode[2][65536];
  Tables() {
    const dsp::G711Kernels& plain = dsp::G711KernelsFor(dsp::Isa::kPlain);
    for (int i = 0; i < 65536; ++i) {
      const uint8_t code = static_cast<uint8_t>(i);
      const int16_t sample = static_cast<int16_t>(static_cast<uint16_t>(i));
      if (i < 256) plain.decode_ulaw(&code, &decode[0][i], 1), plain.decode_alaw(&code, &decode[1][i], 1);
      plain.encode_ulaw(&sample, &encode[0][i], 1);
      plain.encode_alaw(&sample, &encode[1][i], 1);
    }
  }
};

template <typename In, typename Out, typename Convert>
std::function<void()> Loop(const std::vector<In>& in, std::vector<Out>& out, long size, Convert convert) {
  return [&in, &out, size, convert] {
    for (long at = 0; at < kSamplesPerRun; at += size) {
      convert(in.data(), out.data(), size);
      Touch(out.data());
    }
  };
}

// The function is not inlined into the loop above, so that a peer's function is compiled as in a
// program of its own.
template <typename In, typename Out, typename One>
auto EachSample(One one) {
  return [one](const In* in, Out* out, long size) {
    for (long i = 0; i < size; ++i) out[i] = one(in[i]);
  };
}

void Print(const char* operation, long size, const std::vector<Contestant>& contestants, int rounds) {
  for (const auto& result : trunkline::bench::Race(contestants, kSamplesPerRun, rounds)) {
    std::printf(
        "{\"kind\":\"g711\",\"op\":\"%s\",\"size\":%ld,\"who\":\"%s\",\"ns\":%.5f,\"deviation\":%.5f}\n",
        operation, size, result.who.c_str(), result.median_ns, result.deviation);
  }
}

using Decode = void (*)(const uint8_t*, int16_t*, long);
using Encode = void (*)(const int16_t*, uint8_t*, long);

}  // namespace

int main(int argc, char** argv) {
  const auto options = trunkline::bench::ReadOptions(argc, argv);
  static const Tables tables;
  std::mt19937 random(1);
  for (long size : kSizes) {
    std::vector<uint8_t> codes(static_cast<size_t>(size)), encoded(codes.size());
    std::vector<int16_t> samples(codes.size()), decoded(codes.size());
    for (auto& code : codes) code = static_cast<uint8_t>(random());
    for (auto& sample : samples)
      sample = static_cast<int16_t>(static_cast<int16_t>(random()) >> (random() % 8));
    for (int law = 0; law < 2; ++law) {
      std::vector<Contestant> decoders, encoders;
      for (dsp::Isa isa : dsp::SupportedIsas()) {
        const dsp::G711Kernels& set = dsp::G711KernelsFor(isa);
        const std::string who(dsp::IsaName(isa));
        decoders.push_back({who, Loop(codes, decoded, size, law == 0 ? set.decode_ulaw : set.decode_alaw)});
        encoders.push_back({who, Loop(samples, encoded, size, law == 0 ? set.encode_ulaw : set.encode_alaw)});
      }
      const int16_t* decode_table = tables.decode[law];
      const uint8_t* encode_table = tables.encode[law];
      decoders.push_back({"table", Loop(codes, decoded, size, EachSample<uint8_t, int16_t>([=](uint8_t code) {
                                          return decode_table[code];
                                        }))});
      encoders.push_back(
          {"table", Loop(samples, encoded, size, EachSample<int16_t, uint8_t>([=](int16_t sample) {
                           return encode_table[static_cast<uint16_t>(sample)];
                         }))});
#ifdef TRUNKLINE_PEER_SPANDSP
      if (law == 0) {
        decoders.push_back(
            {"spandsp", Loop(codes, decoded, size, EachSample<uint8_t, int16_t>([](uint8_t code) {
                               return ulaw_to_linear(code);
                             }))});
        encoders.push_back(
            {"spandsp", Loop(samples, encoded, size, EachSample<int16_t, uint8_t>([](int16_t sample) {
                               return linear_to_ulaw(sample);
                             }))});
      } else {
        decoders.push_back(
            {"spandsp", Loop(codes, decoded, size, EachSample<uint8_t, int16_t>([](uint8_t code) {
                               return alaw_to_linear(code);
                             }))});
        encoders.push_back(
            {"spandsp", Loop(samples, encoded, size, EachSample<int16_t, uint8_t>([](int16_t sample) {
                               return linear_to_alaw(sample);
                             }))});
      }
#endif
      Print(law == 0 ? "decode u-law" : "decode A-law", size, decoders, options.rounds);
      Print(law == 0 ? "encode u-law" : "encode A-law", size, encoders, options.rounds);
    }
  }
}
