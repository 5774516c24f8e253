// A table of lane kinds and job kinds; binding/kinds.cc lists those of the product.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/job.h"
#include "engine/lane.h"

namespace trunkline::engine {

class Kinds {
 public:
  void AddLane(std::shared_ptr<LaneKind> kind) { lanes_.push_back(std::move(kind)); }
  void AddJob(std::shared_ptr<JobKind> kind) { jobs_.push_back(std::move(kind)); }
  const std::vector<std::shared_ptr<LaneKind>>& lanes() const { return lanes_; }
  const std::vector<std::shared_ptr<JobKind>>& jobs() const { return jobs_; }

 private:
  std::vector<std::shared_ptr<LaneKind>> lanes_;
  std::vector<std::shared_ptr<JobKind>> jobs_;
};

}  // namespace trunkline::engine
