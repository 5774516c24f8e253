#include "binding/guard/redirect.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "binding/guard/peer.h"

namespace trunkline::guard {
namespace {

// The library writes a response in one piece, or each word separately.
constexpr std::string_view kSwitching = "HTTP/1.1 101 ";
constexpr std::string_view kVersion = "HTTP/1.1 ";

std::atomic<uint64_t> max_of_any{0};

// This thread is answering an upgrade and has not begun to send the response.
thread_local bool is_switching = false;

// The peers of this process, by descriptor; they outlive every thread that may still close one.
struct Peers {
  std::mutex lock;
  std::unordered_map<int, Peer> of;

  // The peer is not moved until the thread that reads from it closes it.
  Peer* Find(int fd) {
    const std::lock_guard held(lock);
    const auto found = of.find(fd);
    return found == of.end() ? nullptr : &found->second;
  }

  void Add(int fd) {
    const std::lock_guard held(lock);
    of.try_emplace(fd, fd, max_of_any.load());
  }

  void Forget(int fd) {
    const std::lock_guard held(lock);
    of.erase(fd);
  }
};

Peers& All() {
  static Peers* const peers = new Peers;
  return *peers;
}

ssize_t Receive(int fd, void* to, size_t room, int flags) {
  Peer* const peer = (flags & MSG_PEEK) != 0 ? nullptr : All().Find(fd);
  if (peer == nullptr) return recv(fd, to, room, flags);
  return peer->Receive({static_cast<uint8_t*>(to), room}, flags);
}

ssize_t Send(int fd, const void* from, size_t bytes, int flags) {
  const std::string_view piece(static_cast<const char*>(from), bytes);
  if (is_switching && (piece == kVersion || piece.starts_with(kSwitching))) {
    is_switching = false;
    All().Add(fd);
  }
  return send(fd, from, bytes, flags);
}

int Close(int fd) {
  All().Forget(fd);
  return close(fd);
}

// A new connection speaks HTTP, also where a descriptor was closed in another way.
int Accept(int listening, sockaddr* from, socklen_t* size, int flags) {
  const int fd = accept4(listening, from, size, flags);
  if (fd >= 0) All().Forget(fd);
  return fd;
}

struct Call {
  std::string_view name;
  void* ours;
};

class Loaded {
 public:
  explicit Loaded(const dl_phdr_info& info) : base_(info.dlpi_addr) {
    const std::span<const ElfW(Phdr)> parts(info.dlpi_phdr, info.dlpi_phnum);
    for (const ElfW(Phdr) & part : parts) {
      if (part.p_type == PT_DYNAMIC) Read(reinterpret_cast<const ElfW(Dyn)*>(base_ + part.p_vaddr));
    }
  }

  // Redirects all of the calls or none, because the guard must see every close of a descriptor
  // that it reads.
  int Lead(std::span<const Call> calls) const {
    std::vector<ElfW(Addr)> slots;
    for (const Call& call : calls)
      if (const ElfW(Addr) slot = SlotOf(call.name); slot != 0 && Open(slot)) slots.push_back(slot);
    if (slots.size() != calls.size()) return 0;
    for (size_t at = 0; at < slots.size(); ++at)
      std::atomic_ref<void*>(*reinterpret_cast<void**>(slots[at])).store(calls[at].ours);
    return static_cast<int>(slots.size());
  }

 private:
  void Read(const ElfW(Dyn) * entry) {
    const ElfW(Rela)* first = nullptr;
    size_t bytes = 0;
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_SYMTAB) symbols_ = At<ElfW(Sym)>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRTAB) names_ = At<char>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_JMPREL) first = At<ElfW(Rela)>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
    }
    if (first != nullptr) relocations_ = {first, bytes / sizeof(ElfW(Rela))};
  }

  // Returns 0 when the library does not import the call.
  ElfW(Addr) SlotOf(std::string_view name) const {
    for (const ElfW(Rela) & one : relocations_)
      if (name == names_ + symbols_[ELF64_R_SYM(one.r_info)].st_name) return base_ + one.r_offset;
    return 0;
  }

  // Some loaders have added the base address to these, and some have not.
  template <typename T>
  const T* At(ElfW(Addr) address) const {
    return reinterpret_cast<const T*>(address < base_ ? base_ + address : address);
  }

  // The loader may have made the page read-only.
  static bool Open(ElfW(Addr) slot) {
    const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
    return mprotect(reinterpret_cast<void*>(slot & ~(page - 1)), page, PROT_READ | PROT_WRITE) == 0;
  }

  const ElfW(Addr) base_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  std::span<const ElfW(Rela)> relocations_;
};

// The library now calls into this one, which must never be unloaded.
bool Stay() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&Stay), &self) == 0) return false;
  return dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

struct Search {
  std::string_view library;
  int led;
};

int LeadIfNamed(dl_phdr_info* info, size_t, void* data) {
  auto* const search = static_cast<Search*>(data);
  if (!std::string_view(info->dlpi_name).ends_with(search->library)) return 0;
  const Call calls[] = {{"recv", reinterpret_cast<void*>(&Receive)},
                        {"send", reinterpret_cast<void*>(&Send)},
                        {"close", reinterpret_cast<void*>(&Close)},
                        {"accept4", reinterpret_cast<void*>(&Accept)}};
  search->led = Loaded(*info).Lead(calls);
  return 1;
}

}  // namespace

void AnswerUpgrade(bool begins) {
  is_switching = begins;
}

int GuardFrames(std::string_view library, uint64_t most) {
  uint64_t known = max_of_any.load();
  while (known < most && !max_of_any.compare_exchange_weak(known, most)) {
  }
  Search search{library, 0};
  if (Stay()) dl_iterate_phdr(&LeadIfNamed, &search);
  return search.led;
}

}  // namespace trunkline::guard

#else

namespace trunkline::guard {

void AnswerUpgrade(bool) {}

int GuardFrames(std::string_view, uint64_t) {
  return 0;
}

}  // namespace trunkline::guard

#endif
