// A cache of audio that agents say repeatedly, such as greetings and fillers.
//
// The first request of a text only records it, since most texts are said once; the second caches its audio.
// Entries belong to an owner, an organization, project and environment, because timing would otherwise reveal
// to one customer what another's agents say. The whole cache and each owner's share are bounded; the least
// recently used entry is evicted. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "tts/voice.h"

namespace trunkline::tts {

struct CachedSound {
  int rate = 0;
  int pause_after_ms = 0;
  bool sounded = false;
  std::vector<float> samples;
};

struct SoundCacheLimits {
  // The limits are, in floats at 24 kHz: 699 seconds, 174 of one owner and 43 of one entry.
  size_t bytes = size_t{64} << 20;
  size_t owner_bytes = size_t{16} << 20;
  size_t sound_bytes = size_t{4} << 20;
  size_t owners = 256;
  size_t asked = 512;  // requested texts that are remembered, by owner
  int64_t unused_nanos = 3'600'000 * base::kNanosPerMilli;
};

struct SoundCacheStats {
  uint64_t asked = 0, found = 0;
  size_t sounds = 0, bytes = 0;
};

class SoundCache {
 public:
  struct Lookup {
    std::shared_ptr<const CachedSound> sound;  // a miss has none
    // The ticket that Put expects after a miss; 0: the audio is not to be cached.
    uint64_t ticket = 0;
  };

  explicit SoundCache(std::shared_ptr<const base::Clock> clock = std::make_shared<base::SystemClock>(),
                      SoundCacheLimits limits = {});

  // The key of audio that is the same to the sample, without its owner.
  static std::string KeyOf(const VoiceSpec& voice, std::string_view text, uint64_t seed);

  Lookup Find(const std::string& owner, const std::string& key);
  // Ignores an owner that was forgotten meanwhile, an entry that exists, and one that is too large.
  void Put(uint64_t ticket, const std::string& owner, const std::string& key, CachedSound sound);
  void Forget(const std::string& owner);
  void ForgetAll();

  const SoundCacheLimits& limits() const { return limits_; }
  SoundCacheStats counts();

 private:
  struct Sound {
    uint64_t owner = 0;
    std::string key;  // the owner's number comes first
    std::shared_ptr<const CachedSound> sound;
    size_t bytes = 0;
    int64_t used_at = 0;
  };
  struct Owner {
    uint64_t number = 0;
    size_t bytes = 0;
    int64_t used_at = 0;
    std::vector<size_t> asked;  // hashes, a ring
    size_t next = 0;
  };
  using Sounds = std::list<Sound>;  // the last used is first

  Owner& OwnerOf(const std::string& name);
  // Returns whether it was requested before, and records the request.
  bool WasRequested(Owner& owner, const std::string& key) const;
  void DropOldest(uint64_t owner);
  void Drop(Sounds::iterator sound);
  void DropOwner(std::map<std::string, Owner>::iterator owner);
  void DropUnused();

  const std::shared_ptr<const base::Clock> clock_;
  const SoundCacheLimits limits_;
  std::mutex mutex_;
  std::map<std::string, Owner> owners_;
  Sounds sounds_;
  std::unordered_map<std::string, Sounds::iterator> by_key_;
  uint64_t last_number_ = 0;
  size_t bytes_ = 0;
  uint64_t asked_ = 0, found_ = 0;
};

}  // namespace trunkline::tts
