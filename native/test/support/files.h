// Where tests find what is not in the repository. A person may run without the models; CI may not.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trunkline::test {

inline std::string Environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

// The inference library of the npm package, or the one that TRUNKLINE_ORT_LIBRARY names.
inline std::string InferenceLibrary() {
  const std::string bin = std::string(TRUNKLINE_ROOT) + "/node_modules/onnxruntime-node/bin/napi-v6/linux/";
#if defined(__aarch64__)
  const std::string shipped = bin + "arm64/libonnxruntime.so.1";
#else
  const std::string shipped = bin + "x64/libonnxruntime.so.1";
#endif
  return Environment("TRUNKLINE_ORT_LIBRARY", shipped);
}

// A file of the models folder: TRUNKLINE_MODELS, else models/cache.
inline std::string ModelFile(const std::string& name) {
  return Environment("TRUNKLINE_MODELS", std::string(TRUNKLINE_ROOT) + "/models/cache") + "/" + name;
}

inline bool InCi() {
  return Environment("CI", "") == "true";
}

}  // namespace trunkline::test

// Leaves the test when `path` is absent: skipped for a person, failed in CI.
#define TRUNKLINE_NEED_FILE(path)                                             \
  do {                                                                        \
    if (!std::filesystem::exists(path)) {                                     \
      if (::trunkline::test::InCi()) FAIL() << (path) << " is absent";        \
      GTEST_SKIP() << (path) << " is absent: run npm start once to fetch it"; \
    }                                                                         \
  } while (false)
