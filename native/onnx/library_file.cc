#include "onnx/library_file.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#ifdef __linux__
#include <elf.h>
#endif

namespace trunkline::onnx {

using base::Code;
using base::Status;

#ifdef __linux__
namespace {

constexpr unsigned kMachine =
#if defined(__aarch64__)
    EM_AARCH64;
#else
    EM_X86_64;
#endif

Status Refused(const std::string& path, const std::string& reason) {
  return Status(Code::kBadLibrary, "inference library '" + path + "' cannot be loaded: " + reason);
}

// The end of everything that the headers name; 0 when a header cannot be read.
uint64_t EndOfContents(std::ifstream& file, const Elf64_Ehdr& header) {
  uint64_t end = sizeof(header);
  const auto read = [&file](uint64_t at, auto& entries) {
    file.seekg(static_cast<std::streamoff>(at));
    file.read(reinterpret_cast<char*>(entries.data()),
              static_cast<std::streamsize>(entries.size() * sizeof(entries[0])));
    return static_cast<bool>(file);
  };
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read(header.e_phoff, segments)) return 0;
  for (const auto& segment : segments) end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!sections.empty() && !read(header.e_shoff, sections)) return 0;
  for (const auto& section : sections) {
    if (section.sh_type != SHT_NOBITS) end = std::max<uint64_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

}  // namespace

Status CheckLibraryFile(const std::string& path) {
  std::error_code none;
  const uint64_t size = std::filesystem::file_size(path, none);
  if (none) return Refused(path, none.message());
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  if (!file || std::string_view(reinterpret_cast<char*>(header.e_ident), SELFMAG) != ELFMAG) {
    return Refused(path, "it is not an ELF library");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine) {
    return Refused(path, "it was built for another processor");
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      (header.e_shnum > 0 && header.e_shentsize != sizeof(Elf64_Shdr))) {
    return Refused(path, "its headers are damaged");
  }
  const uint64_t end = EndOfContents(file, header);
  if (end == 0 || end > size) {
    return Refused(path, "the file is cut off: it has " + std::to_string(size) + " bytes" +
                             (end == 0 ? "" : " of " + std::to_string(end)) + "; fetch it again");
  }
  return base::Ok();
}
#else
Status CheckLibraryFile(const std::string&) {
  return base::Ok();
}
#endif

}  // namespace trunkline::onnx
