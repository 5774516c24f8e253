// Writes what a listener gets of impaired sound, for models that judge it:
//   bench_impairments conceal SPEECH RATE LOSS OUT_FOLDER     ours.pcm, repeated.pcm, silent.pcm
//   bench_impairments echo FAR NEAR RATE DELAY_MS DB OUT_FOLDER    mic.pcm, ours.pcm, speexdsp.pcm where it is there
// SPEECH, FAR and NEAR are PCM16. Losses come two packets of 20 ms at a time on average.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "dsp/echo_canceller.h"
#include "lanes/rtp/concealment.h"

#ifdef TRUNKLINE_PEER_SPEEXDSP
#include <speex/speex_echo.h>
#endif

namespace {

using Sound = std::vector<int16_t>;

Sound Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  Sound sound(bytes.size() / 2);
  std::copy_n(bytes.data(), sound.size() * 2, reinterpret_cast<char*>(sound.data()));
  if (sound.empty()) std::fprintf(stderr, "%s is empty or missing\n", path.c_str()), std::exit(1);
  return sound;
}

void Write(const std::string& path, const Sound& sound) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(sound.data()), static_cast<std::streamsize>(sound.size() * 2));
}

// Gilbert's model, by which half of the losses are followed by another.
std::vector<bool> Losses(size_t packets, double loss) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<bool> lost(packets);
  bool losing = false;
  for (size_t i = 0; i < packets; ++i) {
    losing = share(random) < (losing ? 0.5 : loss / (2 * (1 - loss)));
    lost[i] = losing && i > 0;
  }
  return lost;
}

void Conceal(const Sound& speech, int rate, double loss, const std::string& folder) {
  const auto packet = static_cast<size_t>(rate) / 50;
  const std::vector<bool> lost = Losses(speech.size() / packet, loss);
  trunkline::rtp::Concealment concealment(rate);
  Sound ours, repeated, silent, last(packet);
  size_t missing = 0;
  for (size_t i = 0; i < lost.size(); ++i) {
    Sound heard(speech.begin() + static_cast<ptrdiff_t>(i * packet),
                speech.begin() + static_cast<ptrdiff_t>((i + 1) * packet));
    Sound own(heard), none(packet);
    if (lost[i]) {
      ++missing;
      concealment.Fill(own);
    } else {
      concealment.Heard(own);
      last = heard;
      none = heard;
    }
    ours.insert(ours.end(), own.begin(), own.end());
    repeated.insert(repeated.end(), last.begin(), last.end());
    silent.insert(silent.end(), none.begin(), none.end());
  }
  Write(folder + "/ours.pcm", ours);
  Write(folder + "/repeated.pcm", repeated);
  Write(folder + "/silent.pcm", silent);
  std::printf("{\"lost\":%.4f}\n", static_cast<double>(missing) / static_cast<double>(lost.size()));
}

// The loudspeaker's sound comes back late, by a room whose reflections fade within 60 ms.
Sound Recorded(const Sound& far, const Sound& near, int rate, int delay_ms, double db) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> path(static_cast<size_t>(rate) * 60 / 1000);
  double energy = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    const double fade = std::exp(-static_cast<double>(i) / (0.012 * rate));
    path[i] = i == 0 ? 1.0F : 0.4F * normal(random) * static_cast<float>(fade);
    energy += static_cast<double>(path[i]) * path[i];
  }
  const auto gain = static_cast<float>(std::pow(10, db / 20) / std::sqrt(energy));
  const auto delay = static_cast<size_t>(delay_ms) * static_cast<size_t>(rate) / 1000;
  Sound mic(far.size());
  for (size_t at = 0; at < mic.size(); ++at) {
    float sum = at < near.size() ? near[at] : 0;
    for (size_t i = 0; i < path.size() && delay + i <= at; ++i) {
      sum += gain * path[i] * static_cast<float>(far[at - delay - i]);
    }
    mic[at] = static_cast<int16_t>(std::lround(std::clamp(sum, -32768.0F, 32767.0F)));
  }
  return mic;
}

Sound Cancelled(const Sound& far, const Sound& mic, int rate) {
  trunkline::dsp::EchoCanceller canceller(rate);
  Sound out;
  size_t due = canceller.ahead();
  for (size_t at = 0; at + canceller.block() <= mic.size(); at += canceller.block()) {
    Sound ahead(canceller.wanted());
    for (size_t i = 0; i < ahead.size(); ++i) ahead[i] = due + i < far.size() ? far[due + i] : int16_t{0};
    due += ahead.size();
    Sound near(mic.begin() + static_cast<ptrdiff_t>(at),
               mic.begin() + static_cast<ptrdiff_t>(at + canceller.block()));
    canceller.Process(ahead, near);
    out.insert(out.end(), near.begin(), near.end());
  }
  return out;
}

void Echo(const Sound& far, const Sound& near, int rate, int delay_ms, double db, const std::string& folder) {
  const Sound mic = Recorded(far, near, rate, delay_ms, db);
  Write(folder + "/mic.pcm", mic);
  Write(folder + "/ours.pcm", Cancelled(far, mic, rate));
#ifdef TRUNKLINE_PEER_SPEEXDSP
  const int block = rate / 100;
  SpeexEchoState* state = speex_echo_state_init(block, rate / 2);
  int sampling = rate;
  speex_echo_ctl(state, SPEEX_ECHO_SET_SAMPLING_RATE, &sampling);
  Sound out(mic.size());
  for (size_t at = 0; at + static_cast<size_t>(block) <= mic.size(); at += static_cast<size_t>(block))
    speex_echo_cancellation(state, mic.data() + at, far.data() + at, out.data() + at);
  speex_echo_state_destroy(state);
  Write(folder + "/speexdsp.pcm", out);
#endif
}

}  // namespace

int main(int count, char** args) {
  const std::vector<std::string> given(args + 1, args + count);
  if (given.size() == 5 && given[0] == "conceal") {
    Conceal(Read(given[1]), std::stoi(given[2]), std::stod(given[3]), given[4]);
  } else if (given.size() == 7 && given[0] == "echo") {
    Echo(Read(given[1]), Read(given[2]), std::stoi(given[3]), std::stoi(given[4]), std::stod(given[5]),
         given[6]);
  } else {
    std::fprintf(stderr, "conceal SPEECH RATE LOSS OUT | echo FAR NEAR RATE DELAY_MS DB OUT\n");
    return 2;
  }
}
