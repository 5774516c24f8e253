// The embedding models of the operator that are open. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "lanes/embed/model.h"

namespace trunkline::embed {

class AddedModels {
 public:
  void Use(std::shared_ptr<onnx::Runtime> runtime);
  // Takes as long as the graph takes to load. A model that is open stays so.
  base::Status Open(const std::string& folder);
  // Returns null unless the model is open.
  std::shared_ptr<const EmbedModel> Find(std::string_view folder) const;
  // Jobs that run keep their model.
  void CloseBut(const std::vector<std::string>& folders);

 private:
  std::mutex opening_mutex_;
  mutable std::mutex mutex_;
  std::shared_ptr<onnx::Runtime> runtime_;
  std::map<std::string, std::shared_ptr<const EmbedModel>, std::less<>> open_;
};

}  // namespace trunkline::embed
