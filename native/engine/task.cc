#include "engine/task.h"

namespace trunkline::engine {

void Task::Cancel() {
  cancelled_.store(true, std::memory_order_release);
  if (run_options_) run_options_->Terminate();
}

void Task::ResetCancel() {
  faulted_ = false;
  cancelled_.store(false, std::memory_order_release);
  if (run_options_ && run_options_->terminated()) run_options_->Reset();
}

base::Status Task::AttachRunOptions(const onnx::Runtime& runtime) {
  TRUNKLINE_ASSIGN_OR_RETURN(run_options_, onnx::RunOptions::Create(runtime));
  return base::Ok();
}

}  // namespace trunkline::engine
