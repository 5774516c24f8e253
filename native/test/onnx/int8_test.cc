// Products of 8-bit numbers are those of whole numbers, at every level of instructions: the worst that 8 bits
// can hold, in each operator that a served model has them in. Without VNNI the library would cut sums of two
// products at 16 bits. TRUNKLINE_CPU and qemu's processors run the same tests at lesser levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "onnx/session.h"
#include "test/support/files.h"
#include "test/support/tiny_model.h"

namespace trunkline::onnx {
namespace {

using test::Attribute;
using test::Constant;
using test::FloatValue;
using test::Message;
using test::Node;

constexpr int kLeftZero = 117;

// left [rows, inner] times right [inner, columns], less the zero of the left side.
struct Product {
  int64_t rows, inner, columns;
  std::vector<uint8_t> left;
  std::vector<int8_t> right;

  // Every second number is the largest or the smallest that there is: pairs of them leave 16 bits.
  Product(int64_t rows, int64_t inner, int64_t columns) : rows(rows), inner(inner), columns(columns) {
    std::mt19937 random(static_cast<uint32_t>(rows * 1000 + inner + columns));
    for (int64_t i = 0; i < rows * inner; ++i) {
      left.push_back(static_cast<uint8_t>(random() % 2 == 0 ? 255 : random() % 256));
    }
    for (int64_t i = 0; i < inner * columns; ++i) {
      const int end = i % columns % 2 == 0 ? 127 : -127;
      right.push_back(static_cast<int8_t>(random() % 2 == 0 ? end : static_cast<int>(random() % 255) - 127));
    }
    left.front() = 0;  // needs a 255 elsewhere: floats of these numbers are quantised to the very same
    left.back() = 255;
  }

  std::vector<int32_t> Exact() const {
    std::vector<int32_t> out(static_cast<size_t>(rows * columns), 0);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t k = 0; k < inner; ++k) {
        const int factor = left[static_cast<size_t>(row * inner + k)] - kLeftZero;
        for (int64_t column = 0; column < columns; ++column) {
          out[static_cast<size_t>(row * columns + column)] +=
              factor * right[static_cast<size_t>(k * columns + column)];
        }
      }
    }
    return out;
  }

  std::vector<float> LeftAsFloats() const {
    std::vector<float> out;
    for (uint8_t number : left) out.push_back(static_cast<float>(number) - kLeftZero);
    return out;
  }
};

std::vector<Product> Products() {
  std::vector<Product> out;
  for (const int64_t rows : {1, 2, 4, 5, 13, 64}) {
    for (const auto& [inner, columns] :
         {std::pair<int64_t, int64_t>{512, 512}, {64, 40}, {384, 96}, {37, 19}}) {
      out.emplace_back(rows, inner, columns);
    }
  }
  return out;
}

class Int8 : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::InferenceLibrary());
    auto runtime = Runtime::Load({.library = test::InferenceLibrary()});
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    runtime_ = *runtime;
  }

  // The graph's output "y" for its input "x".
  template <typename In, typename Out>
  std::vector<Out> Run(const Message& graph, std::vector<In> x, const std::vector<int64_t>& shape) {
    const std::string model = test::Model(graph);
    auto session = Session::OpenBytes(runtime_, base::AsBytes(std::string_view(model)), {});
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    if (!session.ok()) return {};
    auto input = Tensor::View<In>(*runtime_, x, shape);
    EXPECT_TRUE(input.ok());
    Tensor output;
    const Input inputs[] = {{"x", &*input}};
    const Output outputs[] = {{"y", &output}};
    const base::Status ran = (*session)->Run(inputs, outputs);
    EXPECT_TRUE(ran.ok()) << ran.ToString();
    const auto data = output.data<Out>();
    return {data.begin(), data.end()};
  }

  std::shared_ptr<Runtime> runtime_;
};

template <typename A, typename B>
void ExpectEqual(const std::vector<A>& got, const std::vector<B>& exact, double within, const Product& of) {
  ASSERT_EQ(got.size(), exact.size());
  size_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    wrong += std::abs(static_cast<double>(got[i]) - static_cast<double>(exact[i])) > within ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0u) << "of " << got.size() << ", [" << of.rows << ", " << of.inner << "] times ["
                       << of.inner << ", " << of.columns << "]";
}

TEST_F(Int8, MatMulInteger) {
  for (const Product& product : Products()) {
    Message graph;
    graph.Sub(1, Node("MatMulInteger", {"x", "w", "x_zero", "w_zero"}, "y")).Bytes(2, "g");
    graph.Sub(5, Constant("w", product.right, {product.inner, product.columns}));
    graph.Sub(5, Constant<uint8_t>("x_zero", {kLeftZero})).Sub(5, Constant<int8_t>("w_zero", {0}));
    graph.Sub(11, test::Value("x", 2, {-1, product.inner})).Sub(12, test::Value("y", 6, {-1, -1}));
    ExpectEqual(Run<uint8_t, int32_t>(graph, product.left, {product.rows, product.inner}), product.Exact(), 0,
                product);
  }
}

// Whisper's encoder has these; the library fuses one such matrix into DynamicQuantizeMatMul, several that
// share their input into MatMulIntegerToFloat.
TEST_F(Int8, MatricesWhoseInputIsQuantisedWhileRunning) {
  for (const bool shared : {false, true}) {
    for (const Product& product : Products()) {
      Message graph;
      graph.Sub(1, Node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"}));
      std::vector<std::string> parts = {"a"};
      if (shared) parts.push_back("b");
      for (const std::string& part : parts) {
        graph.Sub(1, Node("MatMulInteger", {"q", part + "w", "zero", part + "z"}, part + "i"));
        graph.Sub(1, Node("Cast", {part + "i"}, part + "f").Sub(5, Attribute("to", 1)));
        graph.Sub(1, Node("Mul", {"scale", part + "s"}, part + "m"));
        graph.Sub(1, Node("Mul", {part + "f", part + "m"}, shared ? part + "y" : "y"));
        graph.Sub(5, Constant(part + "w", product.right, {product.inner, product.columns}));
        graph.Sub(5, Constant<int8_t>(part + "z", {0}));
        graph.Sub(5, Constant(part + "s", std::vector<float>(static_cast<size_t>(product.columns), 1.0F),
                              {product.columns}));
      }
      if (shared) graph.Sub(1, Node("Max", {"ay", "by"}, "y"));
      graph.Bytes(2, "g").Sub(11, FloatValue("x", {-1, product.inner})).Sub(12, FloatValue("y", {-1, -1}));
      ExpectEqual(Run<float, float>(graph, product.LeftAsFloats(), {product.rows, product.inner}),
                  product.Exact(), 0, product);
    }
  }
}

// Wraps `name` as a published 8-bit model does: to 8 bits and back, in steps of `scale`.
void Quantised(Message& graph, const std::string& name, const std::string& out, float scale, uint8_t zero) {
  graph.Sub(1, Node("QuantizeLinear", {name, out + "_scale", out + "_zero"}, out + "_q"));
  graph.Sub(1, Node("DequantizeLinear", {out + "_q", out + "_scale", out + "_zero"}, out));
  graph.Sub(5, Constant<float>(out + "_scale", {scale})).Sub(5, Constant<uint8_t>(out + "_zero", {zero}));
}

void Weights(Message& graph, const std::vector<int8_t>& values, const std::vector<int64_t>& shape) {
  graph.Sub(1, Node("DequantizeLinear", {"w_q", "w_scale", "w_zero"}, "w"));
  graph.Sub(5, Constant("w_q", values, shape)).Sub(5, Constant<float>("w_scale", {1.0F}));
  graph.Sub(5, Constant<int8_t>("w_zero", {0}));
}

// Rounds a sum to steps of `scale`.
std::vector<float> InSteps(const std::vector<int32_t>& sums, float scale) {
  std::vector<float> out;
  for (const int32_t sum : sums) {
    out.push_back(std::clamp(std::nearbyint(static_cast<float>(sum) / scale), -128.0F, 127.0F) * scale);
  }
  return out;
}

// Smart Turn has these: QLinearMatMul and QGemm once the library has fused them.
TEST_F(Int8, MatricesBetweenQuantisedValues) {
  for (const char* op : {"MatMul", "Gemm"}) {
    for (const Product& product : Products()) {
      const float step = static_cast<float>(product.inner) * 100;
      Message graph;
      Quantised(graph, "x", "left", 1.0F, kLeftZero);
      Weights(graph, product.right, {product.inner, product.columns});
      graph.Sub(1, Node(op, {"left", "w"}, "sum"));
      Quantised(graph, "sum", "y", step, 128);
      graph.Bytes(2, "g").Sub(11, FloatValue("x", {-1, product.inner})).Sub(12, FloatValue("y", {-1, -1}));
      const auto got = Run<float, float>(graph, product.LeftAsFloats(), {product.rows, product.inner});
      // A sum on the edge of two steps may fall to either.
      ExpectEqual(got, InSteps(product.Exact(), step), step * 1.01, product);
    }
  }
}

// A kernel of one value is a matrix with the samples as columns: right ᵀ times leftᵀ.
TEST_F(Int8, Convolutions) {
  for (const Product& product : Products()) {
    const float step = static_cast<float>(product.inner) * 100;
    std::vector<float> x(product.left.size());
    std::vector<int8_t> kernels(product.right.size());
    const std::vector<float> left = product.LeftAsFloats();
    for (int64_t k = 0; k < product.inner; ++k) {
      for (int64_t row = 0; row < product.rows; ++row) {
        x[static_cast<size_t>(k * product.rows + row)] = left[static_cast<size_t>(row * product.inner + k)];
      }
      for (int64_t column = 0; column < product.columns; ++column) {
        kernels[static_cast<size_t>(column * product.inner + k)] =
            product.right[static_cast<size_t>(k * product.columns + column)];
      }
    }
    Message graph;
    Quantised(graph, "x", "left", 1.0F, kLeftZero);
    Weights(graph, kernels, {product.columns, product.inner, 1});
    graph.Sub(1, Node("Conv", {"left", "w"}, "sum"));
    Quantised(graph, "sum", "y", step, 128);
    graph.Bytes(2, "g")
        .Sub(11, FloatValue("x", {1, product.inner, -1}))
        .Sub(12, FloatValue("y", {1, product.columns, -1}));
    const std::vector<int32_t> sums = product.Exact();
    std::vector<int32_t> turned(sums.size());
    for (int64_t row = 0; row < product.rows; ++row) {
      for (int64_t column = 0; column < product.columns; ++column) {
        turned[static_cast<size_t>(column * product.rows + row)] =
            sums[static_cast<size_t>(row * product.columns + column)];
      }
    }
    ExpectEqual(Run<float, float>(graph, x, {1, product.inner, product.rows}), InSteps(turned, step),
                step * 1.01, product);
  }
}

// Kokoro's front has these: weights are unsigned as published.
TEST_F(Int8, ConvInteger) {
  for (const Product& product : Products()) {
    std::vector<uint8_t> kernels;
    for (int64_t column = 0; column < product.columns; ++column) {
      for (int64_t k = 0; k < product.inner; ++k) {
        kernels.push_back(
            static_cast<uint8_t>(product.right[static_cast<size_t>(k * product.columns + column)] + 128));
      }
    }
    Message graph;
    graph.Sub(1, Node("ConvInteger", {"x", "w", "x_zero", "w_zero"}, "y")).Bytes(2, "g");
    graph.Sub(5, Constant("w", kernels, {product.columns, product.inner, 1}));
    graph.Sub(5, Constant<uint8_t>("x_zero", {kLeftZero})).Sub(5, Constant<uint8_t>("w_zero", {128}));
    graph.Sub(11, test::Value("x", 2, {1, product.inner, 1}))
        .Sub(12, test::Value("y", 6, {1, product.columns, 1}));
    const std::vector<uint8_t> first(product.left.begin(), product.left.begin() + product.inner);
    const std::vector<int32_t> sums = product.Exact();
    ExpectEqual(Run<uint8_t, int32_t>(graph, first, {1, product.inner, 1}),
                std::vector<int32_t>(sums.begin(), sums.begin() + product.columns), 0, product);
  }
}

// Whisper's decoder has these: weights in blocks of 32 with a scale each.
TEST_F(Int8, MatricesInBlocks) {
  constexpr int64_t kBlock = 32;
  for (const Product& product : Products()) {
    if (product.inner % kBlock != 0) continue;
    const int64_t blocks = product.inner / kBlock;
    std::vector<uint8_t> levels;
    for (int64_t column = 0; column < product.columns; ++column) {
      for (int64_t k = 0; k < product.inner; ++k) {
        levels.push_back(
            static_cast<uint8_t>(product.right[static_cast<size_t>(k * product.columns + column)] + 128));
      }
    }
    // Whole numbers up to 127, the largest in every block: quantised to themselves.
    std::vector<float> x;
    for (size_t i = 0; i < product.left.size(); ++i) {
      const int number = i % kBlock == 0 ? 127 : std::clamp(product.left[i] - kLeftZero, -127, 127);
      x.push_back(static_cast<float>(number));
    }
    std::vector<int32_t> exact(static_cast<size_t>(product.rows * product.columns), 0);
    for (int64_t i = 0; i < product.rows * product.columns; ++i) {
      for (int64_t k = 0; k < product.inner; ++k) {
        exact[static_cast<size_t>(i)] +=
            static_cast<int>(x[static_cast<size_t>(i / product.columns * product.inner + k)]) *
            product.right[static_cast<size_t>(k * product.columns + i % product.columns)];
      }
    }
    Message node = Node("MatMulNBits", {"x", "w", "scales"}, "y").Bytes(7, "com.microsoft");
    node.Sub(5, Attribute("K", product.inner)).Sub(5, Attribute("N", product.columns));
    node.Sub(5, Attribute("bits", 8)).Sub(5, Attribute("block_size", kBlock));
    node.Sub(5, Attribute("accuracy_level", 4));
    Message graph;
    graph.Sub(1, node).Bytes(2, "g");
    graph.Sub(5, Constant("w", levels, {product.columns, blocks, kBlock}));
    graph.Sub(5, Constant("scales", std::vector<float>(static_cast<size_t>(product.columns * blocks), 1.0F),
                          {product.columns, blocks}));
    graph.Sub(11, FloatValue("x", {-1, product.inner})).Sub(12, FloatValue("y", {-1, -1}));
    // Sums of floats whose scale is rounded once a block.
    const double within = 127.0 * 127 * static_cast<double>(product.inner) * 1e-6;
    ExpectEqual(Run<float, float>(graph, x, {product.rows, product.inner}), exact, within, product);
  }
}

// The speaker model and Kokoro's front have these. Even weights are twice what every level takes exactly, so
// halves at twice the scale must give the same numbers.
TEST_F(Int8, DynamicQuantizeLSTM) {
  constexpr int64_t kSteps = 7, kIn = 40, kHidden = 64;
  std::mt19937 random(5);
  std::vector<int8_t> halves_in, halves_hidden;
  const auto extreme = [&] {
    return static_cast<int8_t>(random() % 3 != 0 ? 63 : static_cast<int>(random() % 127) - 63);
  };
  for (int64_t i = 0; i < kIn * 4 * kHidden; ++i) halves_in.push_back(extreme());
  for (int64_t i = 0; i < kHidden * 4 * kHidden; ++i) halves_hidden.push_back(extreme());
  std::vector<float> x;
  for (int64_t i = 0; i < kSteps * kIn; ++i) x.push_back(static_cast<float>(random() % 1000) / 500 - 0.3F);
  const auto doubled = [](std::vector<int8_t> values) {
    for (int8_t& value : values) value = static_cast<int8_t>(value * 2);
    return values;
  };
  const auto heard = [&](const std::vector<int8_t>& in, const std::vector<int8_t>& hidden, float scale) {
    Message node = Node("DynamicQuantizeLSTM",
                        {"x", "w", "r", "", "", "", "", "", "w_scale", "w_zero", "r_scale", "r_zero"}, "y");
    node.Bytes(7, "com.microsoft").Sub(5, Attribute("hidden_size", kHidden));
    Message graph;
    graph.Sub(1, node).Bytes(2, "g");
    graph.Sub(5, Constant("w", in, {1, kIn, 4 * kHidden}))
        .Sub(5, Constant("r", hidden, {1, kHidden, 4 * kHidden}));
    graph.Sub(5, Constant<float>("w_scale", {scale}, {1})).Sub(5, Constant<int8_t>("w_zero", {0}, {1}));
    graph.Sub(5, Constant<float>("r_scale", {scale}, {1})).Sub(5, Constant<int8_t>("r_zero", {0}, {1}));
    graph.Sub(11, FloatValue("x", {kSteps, 1, kIn})).Sub(12, FloatValue("y", {kSteps, 1, 1, kHidden}));
    return Run<float, float>(graph, x, {kSteps, 1, kIn});
  };
  constexpr float kScale = 1.0F / 4096;
  const auto whole = heard(doubled(halves_in), doubled(halves_hidden), kScale);
  const auto exact = heard(halves_in, halves_hidden, 2 * kScale);
  ASSERT_EQ(whole.size(), static_cast<size_t>(kSteps * kHidden));
  EXPECT_EQ(whole, exact);
  EXPECT_GT(*std::max_element(exact.begin(), exact.end()), 0.01F);
}

}  // namespace
}  // namespace trunkline::onnx
