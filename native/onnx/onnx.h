// The entry point of the inference runtime: the library, its sessions and its tensors.
#pragma once

#include "onnx/runtime.h"  // IWYU pragma: export
#include "onnx/session.h"  // IWYU pragma: export
