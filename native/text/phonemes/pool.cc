#include "text/phonemes/pool.h"

#include <utility>

namespace trunkline::text {

using base::Code;
using base::Result;
using base::Status;

namespace {

// A sentence takes 0.1 ms, a process 10 MB; more than a few would wait for the models anyway.
constexpr int kMaxConcurrent = 4;
constexpr size_t kCached = 4096;
constexpr size_t kLongestKey = 2048;
constexpr size_t kLongestRequest = 128 * 1024;

std::string MakeRequest(std::string_view voice, bool tie, const std::vector<std::string>& lines) {
  std::string request(voice);
  request += tie ? "\ntie\n" : "\nplain\n";
  for (const std::string& line : lines) {
    for (const char c : line) request.push_back(c == '\n' || c == '\0' ? ' ' : c);
    request.push_back('\n');
  }
  return request;
}

}  // namespace

PhonemePool::PhonemePool(PhonemeProgram program) : program_(std::move(program)) {}

Result<std::vector<std::string>> PhonemePool::Pronounce(std::string_view voice, bool tie,
                                                        const std::vector<std::string>& lines) {
  const std::string request = MakeRequest(voice, tie, lines);
  if (request.size() > kLongestRequest)
    return Status(Code::kInvalidArgument, "the text to pronounce is too long");
  {
    const std::lock_guard lock(mutex_);
    if (const auto* known = Find(request)) return *known;
  }
  std::unique_ptr<PhonemeProcess> process = Take();
  Result<std::vector<std::string>> said = process->Pronounce(request, lines.size());
  GiveBack(std::move(process));
  if (said.ok()) {
    const std::lock_guard lock(mutex_);
    Remember(request, said.value());
  }
  return said;
}

std::vector<pid_t> PhonemePool::idle_pids() const {
  const std::lock_guard lock(mutex_);
  std::vector<pid_t> pids;
  for (const auto& process : idle_) {
    if (process->pid() != 0) pids.push_back(process->pid());
  }
  return pids;
}

std::unique_ptr<PhonemeProcess> PhonemePool::Take() {
  std::unique_lock lock(mutex_);
  const uint64_t ticket = next_ticket_++;
  turn_.wait(lock, [&] { return ticket == serving_ && busy_ < kMaxConcurrent; });
  ++serving_;
  ++busy_;
  turn_.notify_all();
  if (idle_.empty()) return std::make_unique<PhonemeProcess>(program_);
  std::unique_ptr<PhonemeProcess> process = std::move(idle_.back());
  idle_.pop_back();
  return process;
}

void PhonemePool::GiveBack(std::unique_ptr<PhonemeProcess> process) {
  const std::lock_guard lock(mutex_);
  --busy_;
  idle_.push_back(std::move(process));
  turn_.notify_all();
}

const std::vector<std::string>* PhonemePool::Find(const std::string& key) {
  const auto found = cache_.find(key);
  if (found == cache_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return &found->second->lines;
}

void PhonemePool::Remember(const std::string& key, const std::vector<std::string>& lines) {
  if (key.size() > kLongestKey || cache_.contains(key)) return;
  recent_.push_front({key, lines});
  cache_[key] = recent_.begin();
  if (recent_.size() <= kCached) return;
  cache_.erase(recent_.back().key);
  recent_.pop_back();
}

}  // namespace trunkline::text
