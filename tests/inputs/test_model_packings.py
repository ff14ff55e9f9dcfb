"""Packed weights in headers: bitsandbytes, GPTQ, AWQ, FP8, MXFP4."""

import pytest
from inputs.written_models import packed, sizes


@pytest.mark.parametrize(
    ("tensors", "payloads", "config", "shape", "packing"),
    [
        (
            {
                "q.weight": ("U8", 16, 1),
                "q.weight.absmax": ("F32", 1),
                "q.weight.quant_map": ("F32", 16),
                "q.weight.quant_state.bitsandbytes__fp4": ("U8", 16),
            },
            [("q.weight.quant_state.bitsandbytes__fp4", b'{"shape":[4, 8]}')],
            None,
            (8, 4),
            "fp4",
        ),
        ({"q.weight": ("I8", 4, 8), "q.SCB": ("F32", 4)}, (), None, (8, 4), "int8"),
        (
            {
                "q.qweight": ("I32", 8, 48),
                "q.qzeros": ("I32", 2, 6),
                "q.scales": ("F16", 2, 48),
                "q.g_idx": ("I32", 64),
            },
            (),
            None,
            (64, 48),
            "gptq",
        ),
        (
            {"q.qweight": ("I32", 24, 48), "q.scales": ("F16", 2, 48)},
            (),
            {"model_type": "new", "quantization_config": {"bits": 3}},
            (256, 48),
            "gptq",
        ),
        (
            {
                "q.qweight": ("I32", 64, 6),
                "q.qzeros": ("I32", 2, 6),
                "q.scales": ("F16", 2, 48),
            },
            (),
            None,
            (64, 48),
            "awq",
        ),
        (
            {"q.weight": ("F8_E4M3", 4, 8), "q.weight_scale_inv": ("F32", 1, 1)},
            (),
            None,
            (8, 4),
            "fp8",
        ),
    ],
)
def test_packed_weights_have_their_logical_shape(
    tmp_path, tensors, payloads, config, shape, packing
):
    model = packed(tmp_path, {**tensors, "norm.weight": ("BF16", 8)}, payloads, config)
    assert sizes(model) == {"q": ("Linear", *shape, False)}
    assert (model.quantization, model.dtype) == (packing, "bfloat16")
    assert model.total == shape[0] * shape[1] + 8


def test_blocks_of_mxfp4_are_a_stack_of_experts(tmp_path):
    model = packed(
        tmp_path,
        {
            "experts.down_proj_blocks": ("U8", 3, 40, 2, 16),
            "experts.down_proj_scales": ("U8", 3, 40, 2),
        },
    )
    stack = model.parameters[0]
    assert (stack.name, stack.shape) == ("experts.down_proj", (3, 40, 64))
    assert model.quantization == "mxfp4"
