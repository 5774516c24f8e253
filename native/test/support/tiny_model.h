// Writes very small ONNX models, so that a test of the runtime needs no file: only the fields of the ONNX
// format that the runtime asks for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::test {

// One message of the protocol buffer wire format.
class Message {
 public:
  Message& Number(int field, uint64_t value) {
    Varint(static_cast<uint64_t>(field) << 3);
    Varint(value);
    return *this;
  }
  Message& Bytes(int field, std::string_view bytes) {
    Varint(static_cast<uint64_t>(field) << 3 | 2);
    Varint(bytes.size());
    text_.append(bytes);
    return *this;
  }
  Message& Sub(int field, const Message& message) { return Bytes(field, message.text_); }
  const std::string& text() const { return text_; }

 private:
  void Varint(uint64_t value) {
    while (value >= 128) {
      text_.push_back(static_cast<char>(value | 128));
      value >>= 7;
    }
    text_.push_back(static_cast<char>(value));
  }
  std::string text_;
};

// How ONNX numbers the types of elements.
template <typename T>
constexpr uint64_t kTypeNumber = 0;
template <>
inline constexpr uint64_t kTypeNumber<float> = 1;
template <>
inline constexpr uint64_t kTypeNumber<uint8_t> = 2;
template <>
inline constexpr uint64_t kTypeNumber<int8_t> = 3;
template <>
inline constexpr uint64_t kTypeNumber<int32_t> = 6;
template <>
inline constexpr uint64_t kTypeNumber<int64_t> = 7;

// A constant of the graph; without a shape, a scalar.
template <typename T>
Message Constant(std::string_view name, const std::vector<T>& values,
                 const std::vector<int64_t>& shape = {}) {
  Message tensor;
  for (int64_t dimension : shape) tensor.Number(1, static_cast<uint64_t>(dimension));
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  return tensor.Number(2, kTypeNumber<T>)
      .Bytes(8, name)
      .Bytes(9, std::string_view(bytes, values.size() * sizeof(T)));
}

// A tensor's description; -1 leaves a dimension open.
inline Message Value(std::string_view name, uint64_t type, const std::vector<int64_t>& shape) {
  Message dimensions;
  for (int64_t dimension : shape) {
    dimensions.Sub(1, dimension < 0 ? Message().Bytes(2, "open") : Message().Number(1, dimension));
  }
  const Message tensor = Message().Number(1, type).Sub(2, dimensions);
  return Message().Bytes(1, name).Sub(2, Message().Sub(1, tensor));
}

inline Message FloatValue(std::string_view name, const std::vector<int64_t>& shape) {
  return Value(name, kTypeNumber<float>, shape);
}

inline Message Node(std::string_view op, std::initializer_list<std::string_view> inputs,
                    std::initializer_list<std::string_view> outputs) {
  Message node;
  for (std::string_view input : inputs) node.Bytes(1, input);
  for (std::string_view output : outputs) node.Bytes(2, output);
  return node.Bytes(4, op);
}

inline Message Node(std::string_view op, std::initializer_list<std::string_view> inputs,
                    std::string_view output) {
  return Node(op, inputs, {output});
}

// A node's attribute, a whole number.
inline Message Attribute(std::string_view name, int64_t value) {
  return Message().Bytes(1, name).Number(3, static_cast<uint64_t>(value)).Number(20, 2);
}

inline std::string Model(const Message& graph) {
  return Message()
      .Number(1, 8)
      .Sub(7, graph)
      .Sub(8, Message().Bytes(1, "").Number(2, 13))
      .Sub(8, Message().Bytes(1, "com.microsoft").Number(2, 1))
      .text();
}

// "sum" = "a" + "b", both of the open length.
inline std::string AddModel() {
  return Model(Message()
                   .Sub(1, Node("Add", {"a", "b"}, "sum"))
                   .Bytes(2, "add")
                   .Sub(11, FloatValue("a", {-1}))
                   .Sub(11, FloatValue("b", {-1}))
                   .Sub(12, FloatValue("sum", {-1})));
}

// "y" = "x" times "w", `steps` times over: minutes of work for a few thousand steps of [512, 512].
inline std::string MatMulChain(int steps, int64_t width) {
  Message graph;
  std::string from = "x";
  for (int step = 1; step <= steps; ++step) {
    const std::string to = step == steps ? "y" : "x" + std::to_string(step);
    graph.Sub(1, Node("MatMul", {from, "w"}, to));
    from = to;
  }
  graph.Bytes(2, "chain").Sub(11, FloatValue("x", {width, width})).Sub(11, FloatValue("w", {width, width}));
  graph.Sub(12, FloatValue("y", {width, width}));
  return Model(graph);
}

}  // namespace trunkline::test
