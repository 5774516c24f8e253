// The entry point of the inference runtime: the library, its sessions and its tensors.
#pragma once

#include "onnx/device_memory.h"     // IWYU pragma: export
#include "onnx/device_scheduler.h"  // IWYU pragma: export
#include "onnx/runtime.h"           // IWYU pragma: export
#include "onnx/session.h"           // IWYU pragma: export
