#include "speaker/fbank.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace trunkline::speaker {
namespace {

constexpr size_t kSamples = 6400;
constexpr std::array<size_t, 3> kFrames = {0, 18, 37};
// Computed by kaldi-native-fbank 1.23.0: 80 bins from 20 Hz, Povey window, no dither, no floor.
constexpr std::array<std::array<float, Fbank::kBands>, 3> kExpected = {{
    {
        -6.0696F, -8.0597F, -6.5143F, -5.1104F, -3.5666F,  -0.5838F, 0.9801F,  2.0074F,  1.4386F,  -1.1824F,
        -3.2826F, -5.6976F, -7.9359F, -8.4513F, -9.6571F,  -9.3983F, -9.8336F, -8.7127F, -9.3993F, -8.4826F,
        -7.1915F, -7.6768F, -8.3226F, -8.7868F, -10.0112F, -9.4595F, -9.0026F, -7.6520F, -6.1038F, -5.9564F,
        -6.7207F, -5.7717F, -6.3109F, -5.9791F, -6.5753F,  -6.0746F, -5.5334F, -6.2789F, -5.5158F, -6.2224F,
        -6.8530F, -5.7954F, -4.7773F, -5.5422F, -4.5406F,  -4.4735F, -4.9725F, -4.0412F, -3.5849F, -4.9992F,
        -5.0492F, -4.4501F, 2.2654F,  5.4127F,  3.3505F,   -3.2559F, -3.0796F, -3.4906F, -2.9741F, -2.2233F,
        -2.5695F, -2.9301F, -2.8598F, -2.7733F, -2.5744F,  -2.3395F, -3.0846F, -2.8561F, -3.6171F, -2.4011F,
        -2.3561F, -1.8511F, -2.8856F, -3.2520F, -2.3035F,  -1.2575F, -1.9592F, -2.0569F, -2.0380F, -1.5523F,
    },
    {
        -10.5439F, -12.8438F, -11.2583F, -12.5208F, -11.4272F, -10.6716F, -10.6591F, -11.2321F, -9.0821F,
        -8.5992F,  -9.4869F,  -7.9700F,  -6.6061F,  -4.9429F,  -2.9943F,  0.8373F,   3.1664F,   3.7573F,
        2.6610F,   -0.8854F,  -4.5140F,  -5.7346F,  -7.0753F,  -7.1438F,  -7.9321F,  -7.8735F,  -7.6559F,
        -7.3255F,  -6.7154F,  -6.7536F,  -6.4528F,  -5.3344F,  -5.9511F,  -7.6629F,  -7.3349F,  -5.9526F,
        -5.9483F,  -5.8741F,  -5.3056F,  -4.4613F,  -4.8483F,  -5.1946F,  -3.9440F,  -4.5439F,  -4.7979F,
        -5.0071F,  -6.1881F,  -4.4160F,  -4.4122F,  -4.2401F,  -4.1243F,  -3.2352F,  2.2367F,   5.3900F,
        3.3391F,   -3.2638F,  -3.5722F,  -3.7109F,  -3.4193F,  -2.5524F,  -3.2890F,  -3.4542F,  -2.8660F,
        -2.9897F,  -1.7376F,  -2.3715F,  -2.5317F,  -2.1067F,  -2.5920F,  -1.3846F,  -2.2935F,  -2.1580F,
        -2.2714F,  -1.9989F,  -1.6971F,  -2.2553F,  -1.5279F,  -1.7607F,  -1.6966F,  -1.9197F,
    },
    {
        -9.5107F, -10.4631F, -13.1434F, -12.9880F, -12.9389F, -13.1028F, -12.5791F, -10.5031F, -10.4155F,
        -9.1924F, -8.4109F,  -8.0334F,  -7.8144F,  -8.6018F,  -10.2736F, -8.9890F,  -7.8206F,  -7.8075F,
        -7.6098F, -6.7521F,  -7.3130F,  -4.9311F,  -3.1830F,  1.3771F,   4.2338F,   4.8593F,   2.7673F,
        -1.8847F, -4.6010F,  -6.3599F,  -5.9078F,  -5.4556F,  -5.3171F,  -4.9303F,  -5.1231F,  -5.8978F,
        -5.9276F, -5.9374F,  -5.0870F,  -4.9669F,  -5.3537F,  -5.1070F,  -4.7161F,  -5.0919F,  -5.1298F,
        -4.2907F, -5.2643F,  -5.2520F,  -4.9142F,  -3.2482F,  -4.0224F,  -4.4748F,  2.2905F,   5.4250F,
        3.3675F,  -3.5412F,  -2.9801F,  -4.0408F,  -4.0938F,  -3.1396F,  -2.5097F,  -2.5711F,  -3.7862F,
        -3.3087F, -3.6919F,  -2.9821F,  -2.5813F,  -2.8556F,  -2.2081F,  -2.6565F,  -3.2022F,  -3.2903F,
        -2.6815F, -1.4586F,  -1.2715F,  -1.3702F,  -2.2381F,  -2.2600F,  -1.9839F,  -2.4778F,
    },
}};

// The second of the frames in Hamming's window, by the same program.
constexpr std::array<float, Fbank::kBands> kExpectedHamming = {
    -8.7124F, -10.9590F, -8.2356F, -7.2312F, -7.1723F, -7.5421F, -8.2831F, -8.3890F, -6.5691F, -6.6275F,
    -6.8564F, -9.1005F,  -6.3884F, -6.3100F, -3.5050F, 0.7235F,  3.1530F,  3.7593F,  2.6277F,  -1.1249F,
    -5.9482F, -5.8113F,  -6.6809F, -5.8360F, -6.0392F, -8.7139F, -6.1439F, -6.2366F, -6.4908F, -5.9366F,
    -6.3027F, -5.4085F,  -5.5725F, -7.0982F, -6.4185F, -6.0040F, -5.6405F, -5.7154F, -5.2525F, -4.5039F,
    -4.6964F, -5.2699F,  -3.8655F, -4.4936F, -4.7391F, -4.7705F, -5.8637F, -4.1835F, -4.3009F, -4.1301F,
    -3.7768F, -3.0547F,  2.1314F,  5.3849F,  3.2963F,  -3.0206F, -3.2946F, -3.4983F, -3.3859F, -2.5396F,
    -3.2651F, -3.4290F,  -2.8426F, -2.9676F, -1.7397F, -2.3858F, -2.5548F, -2.1137F, -2.5759F, -1.4014F,
    -2.3039F, -2.1760F,  -2.2713F, -2.0151F, -1.7188F, -2.2563F, -1.5428F, -1.7575F, -1.7059F, -1.9219F};

// Two gliding tones and noise.
std::vector<float> Signal() {
  std::vector<float> signal;
  uint32_t state = 12345;
  for (size_t i = 0; i < kSamples; ++i) {
    state = state * 1664525U + 1013904223U;
    const double noise = state / 4294967296.0 - 0.5;
    const double t = static_cast<double>(i) / 16000.0;
    constexpr double kTurn = 2 * std::numbers::pi;
    signal.push_back(static_cast<float>(0.3 * std::sin(kTurn * (200 + 900 * t) * t) +
                                        0.1 * std::sin(kTurn * 3100 * t) + 0.02 * noise));
  }
  return signal;
}

TEST(Fbank, IsKaldis) {
  const std::vector<float> features = Fbank().Features(Signal());
  ASSERT_EQ(features.size(), Fbank::FramesIn(kSamples) * Fbank::kBands);
  ASSERT_EQ(Fbank::FramesIn(kSamples), 38u);
  for (size_t i = 0; i < kFrames.size(); ++i) {
    for (size_t band = 0; band < Fbank::kBands; ++band) {
      EXPECT_NEAR(features[kFrames[i] * Fbank::kBands + band], kExpected[i][band], 2e-3)
          << "frame " << kFrames[i] << ", band " << band;
    }
  }
}

TEST(Fbank, IsKaldisInHammingsWindow) {
  const std::vector<float> features = Fbank(FbankWindow::kHamming).Features(Signal());
  for (size_t band = 0; band < Fbank::kBands; ++band) {
    EXPECT_NEAR(features[kFrames[1] * Fbank::kBands + band], kExpectedHamming[band], 2e-3) << "band " << band;
  }
}

TEST(Fbank, HasAFloorInSilenceAndNoFrameOfLessThanAWindow) {
  const std::vector<float> silence(Fbank::kFrame, 0.0F);
  for (const float value : Fbank().Features(silence)) EXPECT_NEAR(value, -15.9424F, 1e-3);
  EXPECT_TRUE(Fbank().Features(std::span(silence).first(Fbank::kFrame - 1)).empty());
}

}  // namespace
}  // namespace trunkline::speaker
