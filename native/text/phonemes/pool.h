// A pool of pronunciation processes for all callers of an engine: a process for each concurrent caller,
// up to a few. Callers are served in order of arrival. Thread-safe; not for the realtime path.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/phonemes/process.h"

namespace trunkline::text {

class PhonemePool {
 public:
  explicit PhonemePool(PhonemeProgram program);
  PhonemePool(const PhonemePool&) = delete;
  PhonemePool& operator=(const PhonemePool&) = delete;

  // IPA for each line, in the library's spelling; `tie` joins diphthongs and affricates by '^'. Errors are
  // those of PhonemeProcess.
  base::Result<std::vector<std::string>> Pronounce(std::string_view voice, bool tie,
                                                   const std::vector<std::string>& lines);

  // The ids of idle processes, for tests that kill them.
  std::vector<pid_t> idle_pids() const;

 private:
  struct Cached {
    std::string key;
    std::vector<std::string> lines;
  };

  std::unique_ptr<PhonemeProcess> Take();
  void GiveBack(std::unique_ptr<PhonemeProcess> process);
  const std::vector<std::string>* Find(const std::string& key);
  void Remember(const std::string& key, const std::vector<std::string>& lines);

  const PhonemeProgram program_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  uint64_t next_ticket_ = 0;
  uint64_t serving_ = 0;
  int busy_ = 0;
  std::vector<std::unique_ptr<PhonemeProcess>> idle_;
  std::list<Cached> recent_;  // the latest used first
  std::map<std::string, std::list<Cached>::iterator, std::less<>> cache_;
};

}  // namespace trunkline::text
