#include "tts/calibration_store.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace trunkline::tts {
namespace {

constexpr uint32_t kCalibrationMagic = 0x31434C54;  // "TLC1"
constexpr size_t kCachedCalibrations = 256;

// FNV-1a over two seeds. Only file names use it, and the file holds its key too, so collisions are harmless.
std::string Digest(const std::string& text) {
  char name[33];
  uint64_t a = 0xcbf29ce484222325ULL, b = 0x84222325cbf29ce4ULL;
  for (const char c : text) {
    a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    b = (b ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL + 1;
  }
  std::snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b));
  return name;
}

template <typename T>
void WriteValue(std::ofstream& file, const T& value) {
  file.write(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T ReadValue(std::ifstream& file) {
  T value{};
  file.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

}  // namespace

CalibrationStore::CalibrationStore(std::string folder, std::string model, size_t statistics,
                                   std::shared_ptr<const KnownVoices> known)
    : folder_(std::move(folder)),
      model_(std::move(model)),
      statistics_(statistics),
      known_voices_(std::move(known)) {}

std::string CalibrationStore::PathOf(const std::string& key) const {
  return folder_ + "/" + Digest(model_ + "|" + key) + ".cal";
}

std::shared_ptr<const Calibration> CalibrationStore::Find(const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  auto read = known_voices_ == nullptr ? nullptr : known_voices_->Find(model_, key);
  if (read != nullptr && read->statistics.size() != statistics_) read = nullptr;
  if (read == nullptr && !folder_.empty()) read = Read(key);
  if (read == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kCachedCalibrations) known_.erase(known_.begin());
  return known_.emplace(key, std::move(read)).first->second;
}

std::shared_ptr<const Calibration> CalibrationStore::FindKnown(std::string_view suffix) const {
  auto known = known_voices_ == nullptr ? nullptr : known_voices_->FindBySuffix(model_, suffix);
  return known != nullptr && known->statistics.size() == statistics_ ? known : nullptr;
}

std::shared_ptr<const Calibration> CalibrationStore::Remember(const std::string& key,
                                                              Calibration calibration) {
  const std::lock_guard lock(mutex_);
  return Keep(key, std::move(calibration));
}

std::shared_ptr<const Calibration> CalibrationStore::Put(const std::string& key, Calibration calibration) {
  std::shared_ptr<const Calibration> stored;
  {
    const std::lock_guard lock(mutex_);
    // Two requests may calibrate the same voice at once; the first result stays, so that all later requests
    // sound alike.
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    stored = Keep(key, std::move(calibration));
  }
  // Written without the lock, because a disk may be slow.
  if (!folder_.empty()) Write(key, *stored);
  return stored;
}

std::shared_ptr<const Calibration> CalibrationStore::Keep(const std::string& key, Calibration calibration) {
  if (known_.size() >= kCachedCalibrations) known_.erase(known_.begin());
  return known_[key] = std::make_shared<const Calibration>(std::move(calibration));
}

std::shared_ptr<const Calibration> CalibrationStore::Read(const std::string& key) const {
  std::ifstream file(PathOf(key), std::ios::binary);
  if (!file || ReadValue<uint32_t>(file) != kCalibrationMagic) return nullptr;
  const std::string whole = model_ + "|" + key;
  std::string written(std::min<uint32_t>(ReadValue<uint32_t>(file), 4096), '\0');
  file.read(written.data(), static_cast<std::streamsize>(written.size()));
  auto calibration = std::make_shared<Calibration>();
  calibration->center_hz = ReadValue<float>(file);
  calibration->gain = ReadValue<float>(file);
  calibration->statistics.resize(statistics_);
  file.read(reinterpret_cast<char*>(calibration->statistics.data()),
            static_cast<std::streamsize>(statistics_ * sizeof(float)));
  const bool whole_file = file.good() || (statistics_ == 0 && !file.bad());
  const bool finite = std::all_of(calibration->statistics.begin(), calibration->statistics.end(),
                                  [](float n) { return std::isfinite(n); });
  const bool sane = calibration->gain > 0.01F && calibration->gain < 100 && calibration->center_hz > 20 &&
                    calibration->center_hz < 2000;
  return whole_file && finite && sane && written == whole ? calibration : nullptr;
}

// Atomic; a full disk only costs the time to calibrate again.
void CalibrationStore::Write(const std::string& key, const Calibration& calibration) const {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  const std::string path = PathOf(key), arriving = path + "." + std::to_string(getpid());
  {
    std::ofstream file(arriving, std::ios::binary);
    const std::string whole = model_ + "|" + key;
    WriteValue(file, kCalibrationMagic);
    WriteValue(file, static_cast<uint32_t>(whole.size()));
    file.write(whole.data(), static_cast<std::streamsize>(whole.size()));
    WriteValue(file, calibration.center_hz);
    WriteValue(file, calibration.gain);
    file.write(reinterpret_cast<const char*>(calibration.statistics.data()),
               static_cast<std::streamsize>(calibration.statistics.size() * sizeof(float)));
    if (!file.flush()) {
      std::filesystem::remove(arriving, ignored);
      return;
    }
  }
  std::filesystem::rename(arriving, path, ignored);
}

}  // namespace trunkline::tts
