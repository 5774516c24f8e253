// Lanes of Hear that hear recordings in virtual time, beside the text of the same recordings as files.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dsp/g711.h"
#include "lanes/hear/transcribe_job.h"
#include "test/lanes/hear/lane_scene.h"

namespace trunkline::test {

constexpr int kWide = 16000;

class RecordedStreams : public hear::HearLaneTest {
 public:
  // `ticks` of 10 ms pass between an order and its answer.
  RecordedStreams(int ticks, bool telephone) : telephone_(telephone) { busy_ticks_ = ticks; }

  void TestBody() override {}
  void SetUp() override {
    engine::Kinds kinds;
    kinds.AddLane(kind_);
    kinds.AddJob(hear::MakeTranscribeKind());
    Make(std::move(kinds));
  }

 protected:
  int rate() const { return telephone_ ? 8000 : kWide; }

  // Samples at the stream's rate, as its line brings them.
  std::vector<float> OverLine(const Recorded& recorded) const {
    std::vector<float> samples = Resampled(recorded, rate());
    if (telephone_) ThroughMuLaw(samples);
    return samples;
  }

  std::string AsFile(const std::vector<float>& line, const std::string& language) {
    const std::vector<float> samples = Resampled({rate(), line}, kWide);
    std::string text;
    for (size_t at = 0; at < samples.size();) {
      // The job takes a window of a recording at a time.
      const size_t end = std::min(samples.size(), at + kWindow);
      std::vector<uint8_t> input((end - at) * 2);
      for (size_t i = at; i < end; ++i) base::Store(input.data() + 2 * (i - at), Pcm(samples[i]));
      engine::OptionsBuilder options;
      options.Text("language", language).Number("last", end == samples.size() ? 1 : 0);
      const auto job = engine_->Submit("transcribe", options.packed(), std::move(input));
      RunAll();
      DrainAll(*engine_);
      engine::Chunk chunk;
      if (!job.ok() || !engine_->Take(*job, chunk)) break;
      base::ByteReader reader(chunk);
      const size_t used = reader.Read<uint32_t>();
      while (reader.ok() && reader.remaining() > 0) {
        reader.ReadBytes(sizeof(uint32_t) + 2 * sizeof(double));
        text += std::string(base::AsText(reader.ReadBytes(reader.Read<uint32_t>()))) + " ";
        for (uint32_t words = reader.Read<uint32_t>(); words > 0; --words) {
          reader.ReadBytes(2 * sizeof(float));
          reader.ReadBytes(reader.Read<uint16_t>());
        }
      }
      if (used == 0) break;
      at += used;
    }
    return text;
  }

 private:
  static constexpr size_t kWindow = 50 * kWide;

  static void ThroughMuLaw(std::vector<float>& samples) {
    std::vector<int16_t> pcm(samples.size());
    std::vector<uint8_t> coded(samples.size());
    for (size_t i = 0; i < pcm.size(); ++i) pcm[i] = Pcm(samples[i]);
    dsp::EncodeUlaw(pcm, coded);
    dsp::DecodeUlaw(coded, pcm);
    for (size_t i = 0; i < pcm.size(); ++i) samples[i] = static_cast<float>(pcm[i]) / 32768.0f;
  }
  static int16_t Pcm(float sample) {
    return static_cast<int16_t>(std::lround(std::clamp(sample, -1.0f, 1.0f) * 32767));
  }

  const bool telephone_;
};

inline int64_t Percentile(std::vector<int64_t> all, double share) {
  if (all.empty()) return -1;
  std::sort(all.begin(), all.end());
  return all[static_cast<size_t>(share * static_cast<double>(all.size() - 1) + 0.5)];
}

}  // namespace trunkline::test
