// trunkline-phonemes LIBRARY DATA: pronounces text with libespeak-ng, in a process of its own.
//
// The library is licensed under the GPL and keeps global state; it is loaded only here, at run time, so that
// neither its licence nor its faults reach the server. The parent talks over standard input and output:
//
//   request   u32 size, then `size` bytes: voice, '\n', "tie" or "plain", '\n', lines of text each ended by
//   '\n'
//   answer    u32 size, then one line of IPA for each line of text; size 0xffffffff: the voice does not exist
//
// It reads untrusted text, so it sandboxes itself first: no new programs or processes, no network, no files
// to write, bounded memory. The kernel enforces this with limits and a seccomp filter.
//
// It ends when its input ends. Little-endian; a request longer than kLongest ends the process.

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

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

// The library processes a clause at a time and moves the pointer; null means that nothing is left.
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

void Limit(__rlimit_resource what, rlim_t most) {
  const rlimit limit{most, most};
  setrlimit(what, &limit);
}

constexpr rlim_t kMaxMemory = 256 << 20;
constexpr rlim_t kMaxFiles = 16;

// System calls that are forbidden. Voices are still read from files, so opening is filtered by its flags.
constexpr unsigned kForbidden[] = {
    SYS_socket,   SYS_connect, SYS_bind,    SYS_listen,           SYS_sendto,         SYS_execve,
    SYS_execveat, SYS_clone,   SYS_clone3,  SYS_ptrace,           SYS_kill,           SYS_tgkill,
    SYS_mount,    SYS_unshare, SYS_setns,   SYS_unlinkat,         SYS_linkat,         SYS_mkdirat,
    SYS_keyctl,   SYS_add_key, SYS_bpf,     SYS_truncate,         SYS_ftruncate,      SYS_fchmod,
    SYS_fchmodat, SYS_fchown,  SYS_openat2, SYS_process_vm_readv, SYS_io_uring_setup,
#ifdef SYS_fork
    SYS_fork,     SYS_vfork,   SYS_unlink,  SYS_rename,           SYS_mkdir,          SYS_link,
    SYS_symlink,  SYS_chmod,   SYS_creat,
#endif
};

#if defined(__x86_64__)
constexpr unsigned kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = AUDIT_ARCH_AARCH64;
#endif

// Where the kernel has no seccomp, the limits alone hold; `npx trunkline doctor` reports it.
void EnterSandbox() {
  Limit(RLIMIT_DATA, kMaxMemory);
  Limit(RLIMIT_FSIZE, 0);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_NOFILE, kMaxFiles);
  Limit(RLIMIT_NPROC, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  const sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const unsigned call : kForbidden) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(refuse);
  }
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3));
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT, 0, 1));
  filter.push_back(refuse);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: trunkline-phonemes LIBRARY DATA\n");
    return 2;
  }
  Espeak espeak;
  if (!Load(arguments[1], arguments[2], espeak)) return 1;
  EnterSandbox();
  std::string request;
  uint32_t size = 0;
  while (ReadAll(&size, sizeof size)) {
    if (size > kLongest) return 1;
    request.resize(size);
    if (!ReadAll(request.data(), size) || !Answer(espeak, request)) return 1;
  }
  return 0;
}
