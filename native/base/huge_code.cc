#include "base/huge_code.h"

#if defined(__linux__) && defined(__x86_64__)

#include <link.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

namespace trunkline::base {
namespace {

constexpr uintptr_t kHuge = uintptr_t{2} << 20;

struct Stretch {
  uintptr_t from = 0;
  uintptr_t to = 0;
  size_t bytes() const { return to > from ? to - from : 0; }
};

bool SystemGives() {
  std::string choice;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), choice);
  return !choice.empty() && choice.find("[never]") == std::string::npos;
}

Stretch Inner(Stretch all) {
  return {(all.from + kHuge - 1) / kHuge * kHuge, all.to / kHuge * kHuge};
}

// The loader lists the program itself first.
int LargestCode(dl_phdr_info* info, size_t, void* data) {
  auto* const largest = static_cast<Stretch*>(data);
  for (const ElfW(Phdr) & part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    const uintptr_t from = info->dlpi_addr + part.p_vaddr;
    const Stretch code = Inner({from, from + part.p_memsz});
    if (part.p_type == PT_LOAD && part.p_flags == (PF_R | PF_X) && code.bytes() > largest->bytes())
      *largest = code;
  }
  return 1;
}

// Reserves memory aligned to huge pages; the rest at both ends is returned.
uint8_t* Reserve(size_t bytes) {
  void* const all = mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(all);
  const uintptr_t from = (begin + kHuge - 1) / kHuge * kHuge;
  if (from > begin) munmap(all, from - begin);
  munmap(reinterpret_cast<void*>(from + bytes), begin + kHuge - from);
  return reinterpret_cast<uint8_t*>(from);
}

// One call replaces the code by its copy: threads that run in it wait and continue in the copy.
bool Replace(const Stretch& code) {
  uint8_t* const copy = Reserve(code.bytes());
  if (copy == nullptr) return false;
  auto* const place = reinterpret_cast<void*>(code.from);
  if (madvise(copy, code.bytes(), MADV_HUGEPAGE) == 0) {
    std::memcpy(copy, place, code.bytes());
    if (mprotect(copy, code.bytes(), PROT_READ | PROT_EXEC) == 0 &&
        mremap(copy, code.bytes(), code.bytes(), MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED)
      return true;
  }
  munmap(copy, code.bytes());
  return false;
}

size_t Move() {
  Stretch code;
  if (SystemGives()) dl_iterate_phdr(&LargestCode, &code);
  return code.bytes() > 0 && Replace(code) ? code.bytes() : 0;
}

}  // namespace

size_t CodeOnHugePages() {
  static const size_t moved = Move();
  return moved;
}

}  // namespace trunkline::base

#else

namespace trunkline::base {

size_t CodeOnHugePages() {
  return 0;
}

}  // namespace trunkline::base

#endif
