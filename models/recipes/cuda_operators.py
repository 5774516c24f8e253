"""The operators that have kernels in ONNX Runtime's CUDA provider in half and in single precision, of those that the forms
for a GPU use: docs/OperatorKernels.md of its sources, version 1.31. A node of another operator would stay on the processor,
with a copy on either side of it in each run."""

HAVE_KERNELS = {
    "": frozenset(
        {
            "Add",
            "Cast",
            "Concat",
            "Conv",
            "ConvTranspose",
            "Cos",
            "DequantizeLinear",
            "Div",
            "Erf",
            "Exp",
            "Expand",
            "Gather",
            "Gelu",
            "Gemm",
            "LayerNormalization",
            "LeakyRelu",
            "LessOrEqual",
            "LogSoftmax",
            "MatMul",
            "Max",
            "Mul",
            "QuantizeLinear",
            "ReduceSum",
            "Reshape",
            "ScatterND",
            "Shape",
            "Sigmoid",
            "Sin",
            "Slice",
            "Softmax",
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
    "com.microsoft": frozenset({"MultiHeadAttention"}),
}


def without_kernels(model) -> list[str]:
    """The operators of a graph that would stay on the processor."""
    domain = lambda node: "" if node.domain == "ai.onnx" else node.domain
    return sorted({node.op_type for node in model.graph.node if node.op_type not in HAVE_KERNELS.get(domain(node), ())})


def require_kernels(model):
    """The graph, or a ValueError that names what would stay on the processor."""
    stay = without_kernels(model)
    if stay:
        raise ValueError(f"{model.graph.name}: {stay} would stay on the processor")
    return model
