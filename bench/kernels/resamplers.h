#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsp/cpu.h"
#include "dsp/resampler.h"

#ifdef TRUNKLINE_PEER_SOXR
#include <soxr.h>
#endif
#ifdef TRUNKLINE_PEER_SPEEXDSP
#include <speex/speex_resampler.h>
#endif
#ifdef TRUNKLINE_PEER_SAMPLERATE
#include <samplerate.h>
#endif
#ifdef TRUNKLINE_PEER_SWRESAMPLE
extern "C" {
#include <libavutil/channel_layout.h>
#include <libswresample/swresample.h>
}
#endif

namespace trunkline::bench {

class AnyResampler {
 public:
  virtual ~AnyResampler() = default;
  virtual size_t Run(const float* in, size_t count, float* out, size_t room) = 0;
  // Takes and returns 16-bit samples; returns 0 where the library has no such function.
  virtual size_t Run16(const int16_t*, size_t, int16_t*, size_t) { return 0; }
};

class Ours : public AnyResampler {
 public:
  Ours(int from, int to, dsp::Grade grade, dsp::Isa isa)
      : it_(*dsp::Resampler::Create(from, to, grade, isa)) {}
  size_t Run(const float* in, size_t count, float* out, size_t room) override {
    return it_.Process(std::span(in, count), std::span(out, room)).produced;
  }
  size_t Run16(const int16_t* in, size_t count, int16_t* out, size_t room) override {
    return it_.Process(std::span(in, count), std::span(out, room)).produced;
  }

 private:
  dsp::Resampler it_;
};

#ifdef TRUNKLINE_PEER_SOXR
class Soxr : public AnyResampler {
 public:
  Soxr(int from, int to, unsigned long recipe, bool int16) {
    const auto type = int16 ? SOXR_INT16_I : SOXR_FLOAT32_I;
    const auto io = soxr_io_spec(type, type);
    const auto quality = soxr_quality_spec(recipe, 0);
    const auto runtime = soxr_runtime_spec(1);
    it_ = soxr_create(from, to, 1, nullptr, &io, &quality, &runtime);
  }
  ~Soxr() override { soxr_delete(it_); }
  size_t Run(const float* in, size_t count, float* out, size_t room) override {
    size_t done = 0;
    soxr_process(it_, in, count, nullptr, out, room, &done);
    return done;
  }
  size_t Run16(const int16_t* in, size_t count, int16_t* out, size_t room) override {
    size_t done = 0;
    soxr_process(it_, in, count, nullptr, out, room, &done);
    return done;
  }

 private:
  soxr_t it_;
};
#endif

#ifdef TRUNKLINE_PEER_SPEEXDSP
class Speex : public AnyResampler {
 public:
  Speex(int from, int to, int quality)
      : it_(speex_resampler_init(1, static_cast<unsigned>(from), static_cast<unsigned>(to), quality,
                                 nullptr)) {}
  ~Speex() override { speex_resampler_destroy(it_); }
  size_t Run(const float* in, size_t count, float* out, size_t room) override {
    spx_uint32_t taken = static_cast<spx_uint32_t>(count), done = static_cast<spx_uint32_t>(room);
    speex_resampler_process_float(it_, 0, in, &taken, out, &done);
    return done;
  }
  size_t Run16(const int16_t* in, size_t count, int16_t* out, size_t room) override {
    spx_uint32_t taken = static_cast<spx_uint32_t>(count), done = static_cast<spx_uint32_t>(room);
    speex_resampler_process_int(it_, 0, in, &taken, out, &done);
    return done;
  }

 private:
  SpeexResamplerState* it_;
};
#endif

#ifdef TRUNKLINE_PEER_SAMPLERATE
class SampleRate : public AnyResampler {
 public:
  SampleRate(int from, int to, int quality) : it_(src_new(quality, 1, nullptr)), ratio_(double(to) / from) {}
  ~SampleRate() override { src_delete(it_); }
  size_t Run(const float* in, size_t count, float* out, size_t room) override {
    SRC_DATA data = {};
    data.data_in = in;
    data.data_out = out;
    data.input_frames = static_cast<long>(count);
    data.output_frames = static_cast<long>(room);
    data.src_ratio = ratio_;
    src_process(it_, &data);
    return static_cast<size_t>(data.output_frames_gen);
  }

 private:
  SRC_STATE* it_;
  double ratio_;
};
#endif

#ifdef TRUNKLINE_PEER_SWRESAMPLE
class Swr : public AnyResampler {
 public:
  Swr(int from, int to, bool int16) {
    const AVSampleFormat format = int16 ? AV_SAMPLE_FMT_S16 : AV_SAMPLE_FMT_FLT;
    AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO;
    swr_alloc_set_opts2(&it_, &mono, format, to, &mono, format, from, 0, nullptr);
    swr_init(it_);
  }
  ~Swr() override { swr_free(&it_); }
  size_t Run(const float* in, size_t count, float* out, size_t room) override {
    return Convert(in, count, out, room);
  }
  size_t Run16(const int16_t* in, size_t count, int16_t* out, size_t room) override {
    return Convert(in, count, out, room);
  }

 private:
  size_t Convert(const void* in, size_t count, void* out, size_t room) {
    const uint8_t* from = static_cast<const uint8_t*>(in);
    uint8_t* to = static_cast<uint8_t*>(out);
    const int done = swr_convert(it_, &to, static_cast<int>(room), &from, static_cast<int>(count));
    return done > 0 ? static_cast<size_t>(done) : 0;
  }
  SwrContext* it_ = nullptr;
};
#endif

struct Entry {
  std::string who;
  std::unique_ptr<AnyResampler> (*make)(int from, int to, bool int16);
  bool int16;
};

template <dsp::Grade kGrade, dsp::Isa kIsa>
std::unique_ptr<AnyResampler> MakeOurs(int from, int to, bool) {
  return std::make_unique<Ours>(from, to, kGrade, kIsa);
}

inline std::vector<Entry> AllResamplers() {
  std::vector<Entry> all;
  const auto add_ours = [&](dsp::Isa isa, auto strict, auto speech) {
    if (!dsp::IsaSupported(isa)) return;
    const std::string suffix = isa == dsp::BestIsa() ? "" : " (" + std::string(dsp::IsaName(isa)) + ")";
    all.push_back({"strict" + suffix, strict, true});
    all.push_back({"speech" + suffix, speech, true});
  };
  using dsp::Grade;
  using dsp::Isa;
  add_ours(Isa::kAvx512, MakeOurs<Grade::kStrict, Isa::kAvx512>, MakeOurs<Grade::kSpeech, Isa::kAvx512>);
  add_ours(Isa::kAvx2, MakeOurs<Grade::kStrict, Isa::kAvx2>, MakeOurs<Grade::kSpeech, Isa::kAvx2>);
  add_ours(Isa::kNeon, MakeOurs<Grade::kStrict, Isa::kNeon>, MakeOurs<Grade::kSpeech, Isa::kNeon>);
  add_ours(Isa::kPlain, MakeOurs<Grade::kStrict, Isa::kPlain>, MakeOurs<Grade::kSpeech, Isa::kPlain>);
#ifdef TRUNKLINE_PEER_SOXR
  all.push_back({"soxr HQ",
                 [](int from, int to, bool int16) -> std::unique_ptr<AnyResampler> {
                   return std::make_unique<Soxr>(from, to, SOXR_HQ, int16);
                 },
                 true});
  all.push_back({"soxr MQ",
                 [](int from, int to, bool int16) -> std::unique_ptr<AnyResampler> {
                   return std::make_unique<Soxr>(from, to, SOXR_MQ, int16);
                 },
                 true});
#endif
#ifdef TRUNKLINE_PEER_SPEEXDSP
  all.push_back({"speexdsp q3",
                 [](int from, int to, bool) -> std::unique_ptr<AnyResampler> {
                   return std::make_unique<Speex>(from, to, 3);
                 },
                 true});
  all.push_back({"speexdsp q7",
                 [](int from, int to, bool) -> std::unique_ptr<AnyResampler> {
                   return std::make_unique<Speex>(from, to, 7);
                 },
                 true});
  all.push_back({"speexdsp q10",
                 [](int from, int to, bool) -> std::unique_ptr<AnyResampler> {
                   return std::make_unique<Speex>(from, to, 10);
                 },
                 true});
#endif
#ifdef TRUNKLINE_PEER_SAMPLERATE
  all.push_back({"libsamplerate fastest",
                 [](int from, int to, bool) -> std::unique_ptr<AnyResampler> {
                   return std::make_unique<SampleRate>(from, to, SRC_SINC_FASTEST);
                 },
                 false});
  all.push_back({"libsamplerate medium",
                 [](int from, int to, bool) -> std::unique_ptr<AnyResampler> {
                   return std::make_unique<SampleRate>(from, to, SRC_SINC_MEDIUM_QUALITY);
                 },
                 false});
#endif
#ifdef TRUNKLINE_PEER_SWRESAMPLE
  all.push_back({"swresample",
                 [](int from, int to, bool int16) -> std::unique_ptr<AnyResampler> {
                   return std::make_unique<Swr>(from, to, int16);
                 },
                 true});
#endif
  return all;
}

}  // namespace trunkline::bench
