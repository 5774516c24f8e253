#include "lanes/embed/added_models.h"

#include <algorithm>
#include <utility>

namespace trunkline::embed {

void AddedModels::Use(std::shared_ptr<onnx::Runtime> runtime) {
  const std::lock_guard lock(mutex_);
  runtime_ = std::move(runtime);
}

base::Status AddedModels::Open(const std::string& folder) {
  const std::lock_guard opening(opening_mutex_);
  if (Find(folder) != nullptr) return base::Ok();
  std::shared_ptr<onnx::Runtime> runtime;
  {
    const std::lock_guard lock(mutex_);
    runtime = runtime_;
  }
  TRUNKLINE_ASSIGN_OR_RETURN(auto model, OpenFolder(std::move(runtime), folder));
  const std::lock_guard lock(mutex_);
  open_[folder] = std::move(model);
  return base::Ok();
}

std::shared_ptr<const EmbedModel> AddedModels::Find(std::string_view folder) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(folder);
  return found == open_.end() ? nullptr : found->second;
}

void AddedModels::CloseBut(const std::vector<std::string>& folders) {
  std::vector<std::shared_ptr<const EmbedModel>> closed;  // freed after the lock
  const std::lock_guard lock(mutex_);
  std::erase_if(open_, [&](auto& open) {
    if (std::find(folders.begin(), folders.end(), open.first) != folders.end()) return false;
    closed.push_back(std::move(open.second));
    return true;
  });
}

}  // namespace trunkline::embed
