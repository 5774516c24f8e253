// Reads kokoro/generator.bin; models/recipes/kokoro/build.py describes its layout.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "tts/generator.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr size_t kMaxNumbers = size_t{1} << 24;

struct Numbers {
  std::vector<size_t> sizes;
  bool integers = false;
  float scale = 1;
  std::vector<float> values;
};

class WeightFile {
 public:
  Status Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    char magic[8] = {};
    file.read(magic, sizeof magic);
    if (!file || std::memcmp(magic, "TLGW0001", sizeof magic) != 0)
      return Status(Code::kBadModel, path + " does not hold a generator");
    const auto count = Value<uint32_t>(file);
    for (uint32_t i = 0; i < count && file; ++i) ReadOne(file);
    return file ? base::Ok() : Status(Code::kBadModel, path + " is truncated");
  }

  // Returns null, and records the error, when it is missing or of another size.
  const Numbers* Find(const std::string& name, std::vector<size_t> sizes) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end() && found->second.sizes == sizes) return &found->second;
    if (missing_.empty()) missing_ = name;
    return nullptr;
  }
  const std::string& missing() const { return missing_; }

 private:
  template <typename T>
  static T Value(std::ifstream& file) {
    T value{};
    file.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }

  void ReadOne(std::ifstream& file) {
    std::string name(Value<uint16_t>(file), '\0');
    file.read(name.data(), static_cast<std::streamsize>(name.size()));
    Numbers numbers;
    numbers.integers = Value<uint8_t>(file) == 1;
    numbers.sizes.resize(Value<uint8_t>(file));
    size_t total = 1;
    for (size_t& size : numbers.sizes) {
      size = Value<uint32_t>(file);
      total = size > kMaxNumbers ? kMaxNumbers + 1 : total * size;
      if (total > kMaxNumbers) {
        file.setstate(std::ios::failbit);
        return;
      }
    }
    numbers.scale = Value<float>(file);
    numbers.values.resize(total);
    if (numbers.integers) {
      std::vector<int8_t> raw(total);
      file.read(reinterpret_cast<char*>(raw.data()), static_cast<std::streamsize>(total));
      std::copy(raw.begin(), raw.end(), numbers.values.begin());
    } else {
      file.read(reinterpret_cast<char*>(numbers.values.data()),
                static_cast<std::streamsize>(total * sizeof(float)));
    }
    numbers_[name] = std::move(numbers);
  }

  std::map<std::string, Numbers> numbers_;
  std::string missing_;
};

class Loader {
 public:
  Loader(WeightFile& file, const GeneratorKernels& kernels) : file_(file), kernels_(kernels) {}

  // `weights`: [taps][in][out].
  PackedConv Pack(const ConvShape& shape, const std::vector<float>& weights, bool integers, float scale,
                  const std::vector<float>& bias) const {
    PackedConv conv;
    conv.shape = shape;
    conv.scale = scale;
    conv.weights = AlignedFloats(PackedFloats(shape));
    conv.bias = AlignedFloats(shape.out + kMaxBlock);
    std::copy(bias.begin(), bias.end(), conv.bias.data());
    kernels_.pack(weights.data(), integers, conv);
    return conv;
  }

  // Published as [out][in][taps].
  PackedConv Conv(const std::string& name, const ConvShape& shape, bool minimal = false) {
    const Numbers* weights = file_.Find(name + ".weight", {shape.out, shape.in, shape.taps});
    const Numbers* bias = file_.Find(name + ".bias", {shape.out});
    if (weights == nullptr || bias == nullptr) return {};
    std::vector<float> turned(weights->values.size());
    for (size_t o = 0; o < shape.out; ++o)
      for (size_t c = 0; c < shape.in; ++c)
        for (size_t k = 0; k < shape.taps; ++k)
          turned[(k * shape.in + c) * shape.out + o] = weights->values[(o * shape.in + c) * shape.taps + k];
    if (minimal) return PackPoints(shape, turned, weights->scale, bias->values);
    return Pack(shape, turned, weights->integers, weights->scale, bias->values);
  }

  // Packs a convolution for Toom-Cook. `weights`: [taps][in][out].
  PackedConv PackPoints(const ConvShape& shape, const std::vector<float>& weights, float scale,
                        const std::vector<float>& bias) const {
    PackedConv conv;
    conv.shape = shape;
    conv.scale = scale;
    conv.bias = AlignedFloats(shape.out + kMaxBlock);
    std::copy(bias.begin(), bias.end(), conv.bias.data());
    conv.plan = shape.taps == 3   ? &kToomCookOfThree
                : shape.taps == 7 ? &kToomCookOfEight
                                  : &kToomCookOfTwelve;
    const std::vector<float> none(shape.out, 0.0F);
    for (size_t point = 0; point < conv.plan->points(); ++point)
      conv.points.push_back(Pack({shape.in, shape.out, 1, 1}, AtPoint(conv, point, weights), false, 1, none));
    return conv;
  }

  // The weights of a point, [in][out]; taps of zero precede the first.
  static std::vector<float> AtPoint(const PackedConv& conv, size_t point, const std::vector<float>& weights) {
    const size_t width = conv.shape.in * conv.shape.out, filled = conv.plan->taps() - conv.shape.taps;
    std::vector<double> sums(width, 0);
    for (size_t tap = 0; tap < conv.shape.taps; ++tap) {
      const double by = conv.plan->weight(point, tap + filled);
      if (by == 0) continue;
      for (size_t i = 0; i < width; ++i) sums[i] += by * static_cast<double>(weights[tap * width + i]);
    }
    return {sums.begin(), sums.end()};
  }

  // A convolution that strides over its input reads `taps` rows as one long row.
  PackedConv Strided(const std::string& name, size_t in, size_t out, size_t taps) {
    const Numbers* weights = file_.Find(name + ".weight", {out, in, taps});
    const Numbers* bias = file_.Find(name + ".bias", {out});
    if (weights == nullptr || bias == nullptr) return {};
    std::vector<float> turned(weights->values.size());
    for (size_t o = 0; o < out; ++o)
      for (size_t c = 0; c < in; ++c)
        for (size_t k = 0; k < taps; ++k)
          turned[(k * in + c) * out + o] = weights->values[(o * in + c) * taps + k] * weights->scale;
    return Pack({in * taps, out, 1, 1}, turned, false, 1, bias->values);
  }

  // Published as [in][out][2 * stride]: each input row makes `stride` rows, of it and of the row before it.
  PackedConv Upsampling(const std::string& name, size_t in, size_t out, size_t stride) {
    const Numbers* weights = file_.Find(name + ".weight", {in, out, 2 * stride});
    const Numbers* bias = file_.Find(name + ".bias", {out});
    if (weights == nullptr || bias == nullptr) return {};
    const size_t wide = out * stride;
    std::vector<float> turned(2 * in * wide), biases(wide);
    for (size_t c = 0; c < in; ++c)
      for (size_t o = 0; o < out; ++o)
        for (size_t k = 0; k < 2 * stride; ++k) {
          const size_t tap = k < stride ? 1 : 0;  // the row itself comes second, the one before it first
          turned[(tap * in + c) * wide + k % stride * out + o] =
              weights->values[(c * out + o) * 2 * stride + k];
        }
    for (size_t i = 0; i < wide; ++i) biases[i] = bias->values[i % out];
    return Pack({in, wide, 2, 1}, turned, false, 1, biases);
  }

  void Block(const std::string& name, size_t channels, size_t taps, BlockWeights& block) {
    static constexpr size_t kDilations[] = {1, 3, 5};
    block.channels = channels;
    for (size_t j = 0; j < 3; ++j) {
      for (size_t half = 0; half < 2; ++half) {
        auto& made = block.halves[j][half];
        const std::string which = std::to_string(half + 1) + "." + std::to_string(j);
        made.conv = Conv(name + ".convs" + which, {channels, channels, taps, half == 0 ? kDilations[j] : 1},
                         kernels_.minimal);
        if (const Numbers* alpha = file_.Find(name + ".alpha" + which, {channels}))
          made.alpha = alpha->values;
        Norm(name + ".adain" + which, channels, made);
      }
    }
  }

 private:
  void Norm(const std::string& name, size_t channels, BlockWeights::Half& half) {
    const Numbers* weights = file_.Find(name + ".fc.weight", {kGeneratorStyle, 2 * channels});
    const Numbers* scale = file_.Find(name + ".fc.scale", {2 * channels});
    const Numbers* bias = file_.Find(name + ".fc.bias", {2 * channels});
    const Numbers* where = file_.Find(name + ".statistics", {2});
    if (weights == nullptr || scale == nullptr || bias == nullptr || where == nullptr) return;
    half.fc_weights = weights->values;
    for (size_t i = 0; i < half.fc_weights.size(); ++i)
      half.fc_weights[i] *= scale->values[i % (2 * channels)];
    half.fc_bias = bias->values;
    half.mean = static_cast<size_t>(where->values[0]);
    half.variance = static_cast<size_t>(where->values[1]);
  }

  WeightFile& file_;
  const GeneratorKernels& kernels_;
};

}  // namespace

Result<std::unique_ptr<const GeneratorWeights>> LoadGenerator(const std::string& path,
                                                              const GeneratorKernels& kernels,
                                                              size_t threads) {
  WeightFile file;
  TRUNKLINE_RETURN_IF_FAILED(file.Read(path));
  Loader loader(file, kernels);
  auto made = std::make_unique<GeneratorWeights>();
  made->kernels = &kernels;
  if (threads > 1) made->helper = std::make_unique<HelperThread>();
  made->noise_convs[0] = loader.Strided("noise_convs.0", kHarmonics, 256, 12);
  made->noise_convs[1] = loader.Strided("noise_convs.1", kHarmonics, 128, 1);
  made->ups[0] = loader.Upsampling("ups.0", kGeneratorChannels, 256, 10);
  made->ups[1] = loader.Upsampling("ups.1", 256, 128, 6);
  made->post = loader.Conv("conv_post", {128, kHarmonics, 7, 1});
  loader.Block("noise_res.0", 256, 7, made->noise[0]);
  loader.Block("noise_res.1", 128, 11, made->noise[1]);
  static constexpr size_t kTaps[] = {3, 7, 11};
  for (size_t i = 0; i < 6; ++i)
    loader.Block("resblocks." + std::to_string(i), i < 3 ? 256 : 128, kTaps[i % 3], made->blocks[i]);
  if (const Numbers* basis = file.Find("inverse_basis", {kHarmonics, 1, 20})) made->basis = basis->values;
  if (const Numbers* sum = file.Find("window_sum", {20})) made->window_sum = sum->values;
  if (const Numbers* total = file.Find("statistics", {1}))
    made->statistics = static_cast<size_t>(total->values[0]);
  if (!file.missing().empty())
    return Status(Code::kBadModel, path + " has no " + file.missing() + " of the right size");
  const auto fits = [&](const BlockWeights& block) {
    for (const auto& pair : block.halves)
      for (const auto& half : pair)
        if (std::max(half.mean, half.variance) + block.channels > made->statistics) return false;
    return true;
  };
  if (!std::all_of(made->blocks.begin(), made->blocks.end(), fits) ||
      !std::all_of(made->noise.begin(), made->noise.end(), fits))
    return Status(Code::kBadModel, path + ": statistics outside their row");
  return std::unique_ptr<const GeneratorWeights>(std::move(made));
}

}  // namespace trunkline::tts
