#include "tts/sound_cache.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace trunkline::tts {
namespace {

// The overhead of an entry: its key, which is stored twice, and nodes of a list and of a map.
constexpr size_t kEntryOverhead = 256;

template <typename T>
void Append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The length comes first, so that no two lists of texts make the same key.
void AppendText(std::string& key, std::string_view text) {
  Append(key, text.size());
  key.append(text);
}

std::string Owned(uint64_t owner, const std::string& key) {
  std::string owned;
  Append(owned, owner);
  return owned + key;
}

}  // namespace

SoundCache::SoundCache(std::shared_ptr<const base::Clock> clock, SoundCacheLimits limits)
    : clock_(std::move(clock)), limits_(limits) {}

std::string SoundCache::KeyOf(const VoiceSpec& voice, std::string_view text, uint64_t seed) {
  // Named bindings, so that a new field of a voice does not compile until it is part of the key.
  const auto& [model, lang, accent, styles, folder, rate, speaker, speed, pitch, range, gain_db, tilt_db] =
      voice;
  std::string key;
  Append(key, model);
  Append(key, lang);
  AppendText(key, accent);
  AppendText(key, folder);
  Append(key, rate);
  Append(key, speaker);
  Append(key, styles.size());
  for (const StylePart& style : styles) {
    AppendText(key, style.name);
    Append(key, style.share);
  }
  for (const float value : {speed, pitch, range, gain_db, tilt_db}) Append(key, value);
  // Kokoro is deterministic, so its key has no seed.
  if (model != VoiceModel::kKokoro) Append(key, seed);
  AppendText(key, text);
  return key;
}

SoundCache::Lookup SoundCache::Find(const std::string& owner, const std::string& key) {
  const std::lock_guard lock(mutex_);
  DropUnused();
  Owner& whose = OwnerOf(owner);
  ++asked_;
  const auto known = by_key_.find(Owned(whose.number, key));
  if (known == by_key_.end()) return {nullptr, WasRequested(whose, key) ? whose.number : 0};
  ++found_;
  sounds_.splice(sounds_.begin(), sounds_, known->second);
  sounds_.front().used_at = whose.used_at;
  return {sounds_.front().sound, 0};
}

SoundCache::Owner& SoundCache::OwnerOf(const std::string& name) {
  const auto found = owners_.find(name);
  if (found == owners_.end() && owners_.size() >= limits_.owners) {
    DropOwner(std::min_element(owners_.begin(), owners_.end(), [](const auto& a, const auto& b) {
      return a.second.used_at < b.second.used_at;
    }));
  }
  Owner& owner = owners_[name];
  if (owner.number == 0) owner.number = ++last_number_;
  owner.used_at = clock_->Now();
  return owner;
}

bool SoundCache::WasRequested(Owner& owner, const std::string& key) const {
  const size_t hash = std::hash<std::string>()(key);
  if (std::ranges::find(owner.asked, hash) != owner.asked.end()) return true;
  if (owner.asked.size() < limits_.asked) {
    owner.asked.push_back(hash);
  } else {
    owner.asked[owner.next++ % limits_.asked] = hash;
  }
  return false;
}

void SoundCache::Put(uint64_t ticket, const std::string& owner, const std::string& key, CachedSound sound) {
  std::string owned = Owned(ticket, key);
  const size_t bytes = sound.samples.size() * sizeof(float) + 2 * owned.size() + kEntryOverhead;
  if (bytes > limits_.sound_bytes) return;
  sound.samples.shrink_to_fit();
  auto shared = std::make_shared<const CachedSound>(std::move(sound));
  const std::lock_guard lock(mutex_);
  const auto whose = owners_.find(owner);
  if (whose == owners_.end() || whose->second.number != ticket || by_key_.contains(owned)) return;
  while (whose->second.bytes + bytes > limits_.owner_bytes) DropOldest(ticket);
  while (bytes_ + bytes > limits_.bytes) Drop(std::prev(sounds_.end()));
  sounds_.push_front({ticket, owned, std::move(shared), bytes, clock_->Now()});
  by_key_[std::move(owned)] = sounds_.begin();
  whose->second.bytes += bytes;
  bytes_ += bytes;
}

void SoundCache::Forget(const std::string& owner) {
  const std::lock_guard lock(mutex_);
  const auto found = owners_.find(owner);
  if (found != owners_.end()) DropOwner(found);
}

void SoundCache::ForgetAll() {
  const std::lock_guard lock(mutex_);
  owners_.clear();
  by_key_.clear();
  sounds_.clear();
  bytes_ = 0;
}

SoundCacheStats SoundCache::counts() {
  const std::lock_guard lock(mutex_);
  DropUnused();
  return {asked_, found_, sounds_.size(), bytes_};
}

void SoundCache::DropOldest(uint64_t owner) {
  auto oldest = std::prev(sounds_.end());
  while (oldest->owner != owner) --oldest;
  Drop(oldest);
}

void SoundCache::Drop(Sounds::iterator sound) {
  const auto whose =
      std::ranges::find_if(owners_, [&](const auto& owner) { return owner.second.number == sound->owner; });
  whose->second.bytes -= sound->bytes;
  bytes_ -= sound->bytes;
  by_key_.erase(sound->key);
  sounds_.erase(sound);
}

void SoundCache::DropOwner(std::map<std::string, Owner>::iterator owner) {
  const uint64_t number = owner->second.number;
  for (auto sound = sounds_.begin(); sound != sounds_.end();) {
    const auto next = std::next(sound);
    if (sound->owner == number) Drop(sound);
    sound = next;
  }
  owners_.erase(owner);
}

void SoundCache::DropUnused() {
  const int64_t least = clock_->Now() - limits_.unused_nanos;
  while (!sounds_.empty() && sounds_.back().used_at < least) Drop(std::prev(sounds_.end()));
}

}  // namespace trunkline::tts
