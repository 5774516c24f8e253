"""The operators that have kernels in ONNX Runtime's CUDA provider in half and in single precision, of those that the forms
for a GPU use: docs/OperatorKernels.md of its sources, version 1.31. A node of another operator would stay on the processor,
with a copy on either side of it in each run."""

HAVE_KERNELS = {
    "": frozenset(
        {
            "Abs",
            "Add",
            "And",
            "Cast",
            "Clip",
            "Concat",
            "ConstantOfShape",
            "Conv",
            "ConvTranspose",
            "Cos",
            "CumSum",
            "DequantizeLinear",
            "Div",
            "Equal",
            "Erf",
            "Exp",
            "Expand",
            "Floor",
            "Gather",
            "Gelu",
            "Gemm",
            "Greater",
            "GreaterOrEqual",
            "Identity",
            "LSTM",
            "LayerNormalization",
            "LeakyRelu",
            "Less",
            "LessOrEqual",
            "LogSoftmax",
            "MatMul",
            "Max",
            "Min",
            "Mul",
            "Neg",
            "Pad",
            "Pow",
            "QuantizeLinear",
            "Range",
            "ReduceMean",
            "ReduceSum",
            "Reshape",
            "Resize",
            "Round",
            "ScatterND",
            "Shape",
            "Sigmoid",
            "Sin",
            "Slice",
            "Softmax",
            "Split",
            "Sqrt",
            "Squeeze",
            "Sub",
            "Tanh",
            "TopK",
            "Transpose",
            "Unsqueeze",
            "Where",
        }
    ),
    "com.microsoft": frozenset({"FastGelu", "MultiHeadAttention", "SkipLayerNormalization"}),
}
# Those without a kernel for what they are from a later opset on.
UNTIL_OPSET_18 = frozenset({"ConstantOfShape", "Equal", "Pad"})


def without_kernels(model) -> list[str]:
    """The operators of a graph that would stay on the processor."""
    (opset,) = [one.version for one in model.opset_import if one.domain in ("", "ai.onnx")]
    have = dict(HAVE_KERNELS)
    if opset > 18:
        have[""] -= UNTIL_OPSET_18
    domain = lambda node: "" if node.domain == "ai.onnx" else node.domain
    return sorted({node.op_type for node in model.graph.node if node.op_type not in have.get(domain(node), ())})


def require_kernels(model):
    """The graph, or a ValueError that names what would stay on the processor."""
    stay = without_kernels(model)
    if stay:
        raise ValueError(f"{model.graph.name}: {stay} would stay on the processor")
    return model
