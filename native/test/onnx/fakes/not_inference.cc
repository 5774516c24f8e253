// A library that loads and has nothing of ONNX Runtime.
extern "C" int trunkline_test_not_inference() {
  return 1;
}
