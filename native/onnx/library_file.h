// Checks a shared library before it is loaded: the loader maps a file that was cut off, and the process then ends with
// SIGBUS at the first page that is missing.
#pragma once

#include <string>

#include "base/status.h"

namespace trunkline::onnx {

// Returns kBadLibrary with the reason unless the file is an ELF library of this machine that holds every byte of its
// segments and sections. Another format (macOS) is left to the loader.
base::Status CheckLibraryFile(const std::string& path);

}  // namespace trunkline::onnx
