#include "lanes/omni/backchannel_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/bytes.h"

namespace trunkline::omni {
namespace {

using base::Code;
using base::Status;
using EncoderNet = BackchannelModel::EncoderNet;

// File layout: u32 magic, version, nets, columns and hidden size; then for each encoder, Moonshine's first,
// u32 width, f32 of_sines and its tables as f32, in the order of EncoderNet.
constexpr uint32_t kMark = 0x4e4c4c54, kVersion = 1;
constexpr size_t kHeadBytes = 20, kEncoderHeadBytes = 8;
constexpr size_t kNets = 3, kColumns = 24, kHidden = 24, kPools = 4 * kColumns;
// A row is 24 ms of Moonshine and 20 ms of Whisper. The last rows show how the sound continues.
constexpr size_t kLastRows = 4;
// The weight of the nets for languages other than English in the score.
constexpr float kElsewhere = 0.7f;

constexpr size_t WeightsOf(size_t width) {
  return kNets * (width * kColumns + kColumns + kPools * kHidden + kHidden + kHidden + kPools + 1);
}

using Columns = std::array<float, kColumns>;

Columns Seen(const EncoderNet& encoder, std::span<const float> row, size_t net) {
  Columns seen;
  std::copy_n(&encoder.row_bias[net * kColumns], kColumns, seen.begin());
  for (size_t in = 0; in < encoder.width; ++in) {
    const float* weights = &encoder.of_row[(net * encoder.width + in) * kColumns];
    for (size_t out = 0; out < kColumns; ++out) seen[out] += row[in] * weights[out];
  }
  for (float& value : seen) value = std::tanh(value);
  return seen;
}

// Pools the rows: the mean of all, of the last and of the first half, and the maxima.
std::array<float, kPools> Pooled(const EncoderNet& encoder, std::span<const float> rows, size_t net) {
  const size_t count = rows.size() / encoder.width;
  std::array<float, kPools> pooled{};
  const size_t last = std::min(count, kLastRows), half = count / 2;
  float* const mean = pooled.data();
  float* const late = mean + kColumns;
  float* const early = late + kColumns;
  float* const most = early + kColumns;
  std::fill_n(most, kColumns, -1.0f);
  for (size_t row = 0; row < count; ++row) {
    const Columns seen = Seen(encoder, rows.subspan(row * encoder.width, encoder.width), net);
    for (size_t column = 0; column < kColumns; ++column) {
      mean[column] += seen[column] / static_cast<float>(count);
      if (row >= count - last) late[column] += seen[column] / static_cast<float>(last);
      if (row < half) early[column] += seen[column] / static_cast<float>(half);
      most[column] = std::max(most[column], seen[column]);
    }
  }
  return pooled;
}

float ScoreOf(const EncoderNet& encoder, std::span<const float> rows, size_t net) {
  const auto pooled = Pooled(encoder, rows, net);
  float score = encoder.bias[net];
  std::array<float, kHidden> hidden;
  std::copy_n(&encoder.hidden_bias[net * kHidden], kHidden, hidden.begin());
  for (size_t in = 0; in < kPools; ++in) {
    score += pooled[in] * encoder.straight[net * kPools + in];
    const float* weights = &encoder.hidden[(net * kPools + in) * kHidden];
    for (size_t out = 0; out < kHidden; ++out) hidden[out] += pooled[in] * weights[out];
  }
  for (size_t out = 0; out < kHidden; ++out)
    score += std::max(0.0f, hidden[out]) * encoder.out[net * kHidden + out];
  return score;
}

float MeanOf(const EncoderNet& encoder, std::span<const float> rows) {
  float sum = 0;
  for (size_t net = 0; net < kNets; ++net) sum += ScoreOf(encoder, rows, net);
  return sum / static_cast<float>(kNets);
}

// Points the net's tables into `weights`, which begin with them.
void Place(EncoderNet& encoder, const float* weights) {
  const auto next = [&weights](size_t numbers) {
    const float* const table = weights;
    weights += kNets * numbers;
    return table;
  };
  encoder.of_row = next(encoder.width * kColumns);
  encoder.row_bias = next(kColumns);
  encoder.hidden = next(kPools * kHidden);
  encoder.hidden_bias = next(kHidden);
  encoder.out = next(kHidden);
  encoder.straight = next(kPools);
  encoder.bias = next(1);
}

}  // namespace

base::Result<std::shared_ptr<const BackchannelModel>> BackchannelModel::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  base::ByteReader reader(base::AsBytes(std::span<const char>(bytes)));
  const Status bad(Code::kBadModel, path + ": not the nets that tell signs of listening");
  const size_t numbers = WeightsOf(kMoonshineRow) + WeightsOf(kWhisperRow);
  if (bytes.size() != kHeadBytes + 2 * kEncoderHeadBytes + numbers * sizeof(float)) return bad;
  for (const size_t expected : {size_t{kMark}, size_t{kVersion}, kNets, kColumns, kHidden}) {
    if (reader.Read<uint32_t>() != expected) return bad;
  }
  std::shared_ptr<BackchannelModel> model(new BackchannelModel());
  model->weights_.resize(numbers);
  float* weights = model->weights_.data();
  for (auto [encoder, width] :
       {std::pair{&model->moonshine_, kMoonshineRow}, {&model->whisper_, kWhisperRow}}) {
    if (reader.Read<uint32_t>() != width) return bad;
    encoder->width = width;
    encoder->of_sines = reader.Read<float>();
    const base::ByteView tables = reader.ReadBytes(WeightsOf(width) * sizeof(float));
    std::memcpy(weights, tables.data(), tables.size());
    Place(*encoder, weights);
    weights += WeightsOf(width);
  }
  return std::shared_ptr<const BackchannelModel>(std::move(model));
}

float BackchannelModel::Score(std::span<const float> moonshine, std::span<const float> whisper) const {
  float sum = 0;
  int encoders = 0;
  if (moonshine.size() >= kMoonshineRow) sum += MeanOf(moonshine_, moonshine), ++encoders;
  if (whisper.size() >= kWhisperRow) sum += MeanOf(whisper_, whisper), ++encoders;
  return encoders == 0 ? 0 : sum / static_cast<float>(encoders);
}

float BackchannelNets::Score(bool in_english, std::span<const float> moonshine,
                             std::span<const float> whisper) const {
  const float score = english->Score(moonshine, whisper);
  if (in_english) return score;
  return (1 - kElsewhere) * score + kElsewhere * elsewhere->Score(moonshine, whisper);
}

}  // namespace trunkline::omni
