// trunkline-phonemes LIBRARY DATA: pronounces text with libespeak-ng, in a process of its own.
//
// The library is licensed under the GPL and keeps global state; it is loaded here, at run time, and nowhere
// else, so neither its licence nor its faults reach the server. The parent talks over standard input and
// output:
//
//   request   u32 size, then `size` bytes: voice, '\n', "tie" or "plain", '\n', lines of text each ended by
//   '\n' answer    u32 size, then one line of IPA for each line of text; size 0xffffffff: the voice does not
//   exist
//
// It ends when its input ends. Little-endian; a request longer than kLongest ends the process.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace {

constexpr uint32_t kLongest = 256 * 1024;
constexpr uint32_t kNoVoice = 0xffff'ffff;

// The part of speak_lib.h that is used.
using Initialize = int (*)(int output, int buffer, const char* path, int options);
using SetVoice = int (*)(const char* name);
using ToPhonemes = const char* (*)(const void** text, int charset, int mode);
constexpr int kRetrieval = 1;
constexpr int kDontExit = 0x8000;
constexpr int kUtf8 = 1;
constexpr int kIpa = 0x02;
constexpr int kTie = 0x80 | ('^' << 8);

struct Espeak {
  SetVoice set_voice = nullptr;
  ToPhonemes to_phonemes = nullptr;
  std::string voice;
};

bool Load(const char* library, const char* data, Espeak& espeak) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "trunkline-phonemes: %s\n", dlerror());
    return false;
  }
  const auto initialize = reinterpret_cast<Initialize>(dlsym(handle, "espeak_Initialize"));
  espeak.set_voice = reinterpret_cast<SetVoice>(dlsym(handle, "espeak_SetVoiceByName"));
  espeak.to_phonemes = reinterpret_cast<ToPhonemes>(dlsym(handle, "espeak_TextToPhonemes"));
  if (initialize == nullptr || espeak.set_voice == nullptr || espeak.to_phonemes == nullptr) {
    std::fprintf(stderr, "trunkline-phonemes: %s is not libespeak-ng\n", library);
    return false;
  }
  if (initialize(kRetrieval, 0, data, kDontExit) > 0) return true;
  std::fprintf(stderr, "trunkline-phonemes: no data in %s\n", data);
  return false;
}

bool ReadAll(void* bytes, size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = read(STDIN_FILENO, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(const void* bytes, size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put = write(STDOUT_FILENO, at, size);
    if (put <= 0) return false;
    at += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

// The library answers a clause at a time and moves the pointer; null means that nothing is left.
std::string Pronounce(Espeak& espeak, const std::string& line, int mode) {
  std::string out;
  const void* at = line.c_str();
  while (at != nullptr) {
    const char* clause = espeak.to_phonemes(&at, kUtf8, mode);
    if (clause == nullptr || *clause == '\0') continue;
    if (!out.empty()) out.push_back(' ');
    out.append(clause);
  }
  for (char& c : out) {
    if (c == '\n') c = ' ';
  }
  return out;
}

bool Answer(Espeak& espeak, const std::string& request) {
  const size_t voice_end = request.find('\n');
  const size_t mode_end = voice_end == std::string::npos ? voice_end : request.find('\n', voice_end + 1);
  if (mode_end == std::string::npos) return false;
  const std::string voice = request.substr(0, voice_end);
  const int mode = kIpa | (request.compare(voice_end + 1, mode_end - voice_end - 1, "tie") == 0 ? kTie : 0);
  if (voice != espeak.voice) {
    if (espeak.set_voice(voice.c_str()) != 0) return WriteAll(&kNoVoice, sizeof kNoVoice);
    espeak.voice = voice;
  }
  std::string answer;
  for (size_t from = mode_end + 1; from < request.size();) {
    const size_t to = request.find('\n', from);
    if (to == std::string::npos) return false;
    answer += Pronounce(espeak, request.substr(from, to - from), mode);
    answer.push_back('\n');
    from = to + 1;
  }
  const auto size = static_cast<uint32_t>(answer.size());
  return WriteAll(&size, sizeof size) && WriteAll(answer.data(), answer.size());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: trunkline-phonemes LIBRARY DATA\n");
    return 2;
  }
  Espeak espeak;
  if (!Load(arguments[1], arguments[2], espeak)) return 1;
  std::string request;
  uint32_t size = 0;
  while (ReadAll(&size, sizeof size)) {
    if (size > kLongest) return 1;
    request.resize(size);
    if (!ReadAll(request.data(), size) || !Answer(espeak, request)) return 1;
  }
  return 0;
}
