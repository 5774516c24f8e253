// Products by AMX tiles: the published weights are integers of 8 bits, which bfloat16 holds exactly; each
// input is split into two bfloat16 numbers, so the product keeps 16 bits of it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tts/generator_lanes.h"

namespace trunkline::tts {
namespace {

constexpr size_t kTile = 16;   // rows, and outputs
constexpr size_t kDepth = 32;  // inputs a tile
constexpr size_t kTileFloats = kTile * kTile;

struct AmxSixteen {
  using Vector = float __attribute__((vector_size(64)));
  static constexpr int kWidth = 16, kRows = 12;
};

struct alignas(64) TileConfig {
  uint8_t palette = 1, start = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

bool MayUseTiles() {
  constexpr long kRequestPermission = 0x1023;
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

uint16_t ToBfloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);  // whole numbers of 8 bits lose nothing
}

// [block of 32 outputs][tap][32 inputs][2 tiles]; a tile holds 16 pairs of inputs by 16 outputs.
void Pack(const float* weights, bool integers, PackedConv& conv) {
  const size_t in = conv.shape.in, out = conv.shape.out, taps = conv.shape.taps;
  if (!integers || in % kDepth != 0 || out % (2 * kTile) != 0) {
    LaneConv<AmxSixteen>::Pack(weights, integers, conv);
    return;
  }
  conv.split = true;
  auto* to = reinterpret_cast<uint16_t*>(conv.weights.data());
  for (size_t block = 0; block < out; block += 2 * kTile)
    for (size_t tap = 0; tap < taps; ++tap)
      for (size_t depth = 0; depth < in; depth += kDepth)
        for (size_t half = 0; half < 2; ++half)
          for (size_t pair = 0; pair < kDepth; pair += 2)
            for (size_t o = 0; o < kTile; ++o)
              for (size_t i = 0; i < 2; ++i)
                *to++ = ToBfloat(weights[(tap * in + depth + pair + i) * out + block + half * kTile + o]);
}

struct Product {
  const PackedConv& conv;
  ptrdiff_t bytes;

  // Computes 32 rows by 32 outputs into `out`, four tiles side by side.
  void Block(size_t block, const float* x, float (&out)[4][kTileFloats]) const {
    const size_t in = conv.shape.in, taps = conv.shape.taps, dilation = conv.shape.dilation;
    const float* w = conv.weights.data() + block * taps * in * kTile;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t tap = 0; tap < taps; ++tap) {
      const char* upper = reinterpret_cast<const char*>(x) + static_cast<ptrdiff_t>(tap * dilation) * bytes;
      for (size_t depth = 0; depth < in; depth += kDepth, w += 2 * kTileFloats) {
        _tile_loadd(6, w, 64);
        _tile_loadd(7, w + kTileFloats, 64);
        // The upper halves of a row's inputs, then the lower ones.
        for (size_t part = 0; part < 2; ++part) {
          const char* from = upper + (part * in + depth) * sizeof(uint16_t);
          _tile_loadd(4, from, bytes);
          _tile_loadd(5, from + static_cast<ptrdiff_t>(kTile) * bytes, bytes);
          _tile_dpbf16ps(0, 4, 6);
          _tile_dpbf16ps(1, 4, 7);
          _tile_dpbf16ps(2, 5, 6);
          _tile_dpbf16ps(3, 5, 7);
        }
      }
    }
    _tile_stored(0, out[0], 64);
    _tile_stored(1, out[1], 64);
    _tile_stored(2, out[2], 64);
    _tile_stored(3, out[3], 64);
  }
};

static_assert(LaneConv<AmxSixteen>::kBlock == 2 * kTile);

void Conv(const PackedConv& conv, size_t block, const float* x, ptrdiff_t pitch, size_t rows, float* y) {
  if (!conv.split) {
    LaneConv<AmxSixteen>::Run(conv, block, x, pitch, rows, y);
    return;
  }
  static constexpr TileConfig kConfig;
  _tile_loadconfig(&kConfig);
  const Product product{conv, pitch * static_cast<ptrdiff_t>(sizeof(float))};
  const size_t out = conv.shape.out;
  const __m512 scale = _mm512_set1_ps(conv.scale);
  const __m512 bias[2] = {_mm512_loadu_ps(conv.bias.data() + block * 2 * kTile),
                          _mm512_loadu_ps(conv.bias.data() + block * 2 * kTile + kTile)};
  alignas(64) float made[4][kTileFloats];
  for (size_t row = 0; row < rows; row += 2 * kTile) {
    product.Block(block, x + static_cast<ptrdiff_t>(row) * pitch, made);
    for (size_t r = 0; r < std::min(2 * kTile, rows - row); ++r) {
      for (size_t half = 0; half < 2; ++half) {
        const __m512 sum = _mm512_load_ps(made[r / kTile * 2 + half] + r % kTile * kTile);
        _mm512_storeu_ps(y + (row + r) * out + block * 2 * kTile + half * kTile,
                         _mm512_fmadd_ps(sum, scale, bias[half]));
      }
    }
  }
  _tile_release();
}

void Split(const float* row, size_t channels, uint16_t* out) {
  for (size_t c = 0; c < channels; c += 16) {
    const __m512 v = _mm512_loadu_ps(row + c);
    const __m256i upper = reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v));
    const __m512 rounded = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(upper), 16));
    const __m256i lower = reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(_mm512_sub_ps(v, rounded)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + c), upper);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + channels + c), lower);
  }
}

void Snake(const float* x, size_t rows, size_t channels, const float* scale, const float* shift,
           const float* alpha, bool split, float* out) {
  if (!split || channels > 1024) {
    SnakeRows(x, rows, channels, scale, shift, alpha, split, out);
    return;
  }
  alignas(64) float whole[1024];
  for (size_t row = 0; row < rows; ++row) {
    SnakeRows(x + row * channels, 1, channels, scale, shift, alpha, split, whole);
    Split(whole, channels, reinterpret_cast<uint16_t*>(out + row * channels));
  }
}

}  // namespace

const GeneratorKernels* AmxGeneratorKernels() {
  static const bool may = MayUseTiles();
  static const GeneratorKernels kernels = {"amx", &Pack, 2 * kTile, &Conv, &Snake};
  return may ? &kernels : nullptr;
}

}  // namespace trunkline::tts
