// Times a clause of the Natural voice by its parts, a line of JSON for each number of threads:
// wall-clock time and CPU time of the prosody and of decoder and generator together, in
// milliseconds for a second of speech. Equal times mean that one core works.
//   bench_natural LIBRARY FOLDER RUNS PHONEMES…
// FOLDER holds prosody.onnx, decoder.onnx, generator.bin, vocab.json and voices/.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "tts/kokoro.h"

using namespace trunkline;

namespace {

struct Spent {
  double elapsed = 0, processor = 0;
};

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

template <class Make>
Spent Timed(const Make& make) {
  const double elapsed = Now(CLOCK_MONOTONIC), processor = Now(CLOCK_PROCESS_CPUTIME_ID);
  make();
  return {Now(CLOCK_MONOTONIC) - elapsed, Now(CLOCK_PROCESS_CPUTIME_ID) - processor};
}

// The fastest run counts, because a shared machine shows its real speed only for moments.
template <class Make>
Spent Least(int runs, const Make& make) {
  Spent least{1e9, 1e9};
  for (int run = 0; run < runs; ++run) {
    const Spent spent = Timed(make);
    if (spent.elapsed < least.elapsed) least = spent;
  }
  return least;
}

struct Clause {
  std::unique_ptr<tts::KokoroClause> read;
  Spent prosody, generator;
  double seconds = 0;
};

std::vector<float> StyleOf(const std::string& folder, size_t tokens) {
  std::vector<float> style(256);
  std::ifstream file(folder + "/voices/af_heart.bin", std::ios::binary);
  file.seekg(static_cast<std::streamoff>(tokens * style.size() * sizeof(float)));
  file.read(reinterpret_cast<char*>(style.data()),
            static_cast<std::streamsize>(style.size() * sizeof(float)));
  return style;
}

Clause Say(const tts::Kokoro& kokoro, const std::string& folder, const char* phonemes, int runs) {
  Clause clause;
  const auto tokens = kokoro.Encode(phonemes);
  const auto style = StyleOf(folder, tokens.size());
  clause.prosody = Least(runs, [&] {
    auto read = kokoro.Read(tokens, style, {}, nullptr);
    if (!read.ok()) std::exit(4);
    clause.read = std::move(read).value();
  });
  auto whole = kokoro.Measure(*clause.read, nullptr);
  if (!whole.ok()) std::exit(5);
  clause.generator = Least(runs, [&] {
    auto stream = kokoro.Generate(*clause.read, 0, whole->statistics);
    if (!stream.ok()) std::exit(6);
    std::vector<float> out;
    while (!(*stream)->done()) {
      if (!(*stream)->Step(32, nullptr, out).ok()) std::exit(7);
    }
    clause.seconds = static_cast<double>(out.size()) / tts::kKokoroRate;
  });
  return clause;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) return 2;
  const std::string folder = arguments[2];
  auto runtime = onnx::Runtime::Load({arguments[1], 1});
  if (!runtime.ok()) return 3;
  for (const int threads : {1, 2}) {
    onnx::SessionOptions options;
    options.threads = threads;
    const auto kokoro = tts::Kokoro::Load(*runtime,
                                          {folder + "/prosody.onnx", folder + "/decoder.onnx",
                                           folder + "/generator.bin", folder + "/vocab.json"},
                                          options);
    if (!kokoro.ok()) return 3;
    Spent prosody, generator;
    double seconds = 0;
    for (int at = 4; at < count; ++at) {
      const Clause clause = Say(**kokoro, folder, arguments[at], std::atoi(arguments[3]));
      prosody = {prosody.elapsed + clause.prosody.elapsed, prosody.processor + clause.prosody.processor};
      generator = {generator.elapsed + clause.generator.elapsed,
                   generator.processor + clause.generator.processor};
      seconds += clause.seconds;
    }
    const auto report = [&](const char* part, const Spent& spent) {
      std::printf("{\"threads\":%d,\"part\":\"%s\",\"elapsed\":%.1f,\"processor\":%.1f}\n", threads, part,
                  1000 * spent.elapsed / seconds, 1000 * spent.processor / seconds);
    };
    report("prosody", prosody);
    report("generator", generator);
  }
  return 0;
}
