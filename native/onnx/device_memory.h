// Memory where a session runs: pools that stay on a GPU between its runs.
#pragma once

#include <memory>
#include <span>

#include "onnx/session.h"

namespace trunkline::onnx {

// It must outlive its tensors, and its session must outlive it.
class DeviceMemory {
 public:
  static base::Result<std::unique_ptr<DeviceMemory>> Of(const Session& session);

  // The memory is not cleared. On a GPU, nothing may read Tensor::data() of it.
  base::Result<Tensor> Allocate(ElementType type, std::span<const int64_t> shape) const;
  // A view of the elements from `first` on.
  base::Result<Tensor> View(const Tensor& of, size_t first, std::span<const int64_t> shape) const;

 private:
  DeviceMemory(Handle<OrtMemoryInfo> info, Handle<OrtAllocator> allocator)
      : info_(std::move(info)), allocator_(std::move(allocator)) {}
  Handle<OrtMemoryInfo> info_;
  Handle<OrtAllocator> allocator_;
};

}  // namespace trunkline::onnx
