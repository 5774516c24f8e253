// Finds files that are not in the repository. Tests may run without the models locally, but not in CI.
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

// The version of a model that the manifest names, as the scripts that run tests say it
// (TRUNKLINE_MODEL_VERSIONS, "kokoro/07525f04bf8f piper-joe/…"); empty for a program that is run by hand.
inline std::string NamedVersion(const std::string& id) {
  const std::string named = " " + Environment("TRUNKLINE_MODEL_VERSIONS", "") + " ";
  const size_t at = named.find(" " + id + "/");
  if (at == std::string::npos) return "";
  const size_t begin = at + id.size() + 2;
  return named.substr(begin, named.find(' ', begin) - begin);
}

// A served model file by its manifest path, "silero-vad/silero_vad.onnx": the cache keeps it under
// ID/DIGEST/. The newest is taken where the cache holds several versions and none is named.
inline std::string ModelFile(const std::string& manifest_path) {
  const std::string cache = Environment("XDG_CACHE_HOME", Environment("HOME", "") + "/.cache");
  const std::filesystem::path root = Environment("TRUNKLINE_MODELS", cache + "/trunkline/models");
  const size_t slash = manifest_path.find('/');
  const std::string id = manifest_path.substr(0, slash), inside = manifest_path.substr(slash + 1);
  if (const std::string version = NamedVersion(id); !version.empty()) {
    return (root / id / version / inside).string();
  }
  std::filesystem::path found = root / id / "*" / inside;
  auto newest = std::filesystem::file_time_type::min();
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator(root / id, ignored)) {
    const auto file = version.path() / inside;
    if (!std::filesystem::exists(file, ignored)) continue;
    if (const auto time = std::filesystem::last_write_time(file, ignored); time >= newest) {
      newest = time;
      found = file;
    }
  }
  return found.string();
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
