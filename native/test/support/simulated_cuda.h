// A folder with a CUDA build of the inference library whose device is the CPU provider (test/onnx/fakes/simulated_cuda.cc).
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "test/support/files.h"
#include "test/support/own_path.h"

namespace trunkline::test {

class SimulatedCuda {
 public:
  explicit SimulatedCuda(const std::string& name) : folder_(OwnPath("cuda-" + name)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const std::filesystem::path built = TRUNKLINE_TEST_LIBRARIES;
    std::filesystem::copy_file(built / "libsimulated_cuda.so", library());
    for (const char* provider : {"libonnxruntime_providers_cuda.so", "libonnxruntime_providers_shared.so"}) {
      std::filesystem::copy_file(built / "libnot_inference.so", folder_ / provider);
    }
    setenv("TRUNKLINE_TEST_CUDA_RUNTIME", InferenceLibrary().c_str(), 1);
    setenv("TRUNKLINE_TEST_CUDA_FAULT", fault().c_str(), 1);
  }
  ~SimulatedCuda() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string library() const { return (folder_ / "libonnxruntime.so").string(); }
  std::string provider() const { return (folder_ / "libonnxruntime_providers_cuda.so").string(); }
  // `what`: "run", "later", "open" or "hang", and the device's message.
  void Fail(const std::string& what) const { std::ofstream(fault()) << what; }
  void Recover() const { std::filesystem::remove(fault()); }

 private:
  std::string fault() const { return (folder_ / "fault").string(); }
  std::filesystem::path folder_;
};

}  // namespace trunkline::test
