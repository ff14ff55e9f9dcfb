"""Attention against torch's scaled_dot_product_attention in double precision."""

import math

import numpy as np
import pytest

from llmcalc.core.attention import AttentionOptions, attention_scores

torch = pytest.importorskip("torch")
attention = pytest.importorskip("torch.nn.attention")
pytestmark = pytest.mark.reference


def drawn(generator):
    """Random shapes, values, options; now and then large ones or empty rows."""
    batch, n_kv, group = (int(n) for n in generator.integers(1, 4, 3))
    n_q, n_k, width, out = (int(n) for n in generator.integers(1, 9, 4))
    spread = 10.0 ** generator.integers(-2, 3)
    q = generator.standard_normal((batch, n_kv * group, n_q, width)) * spread
    k = generator.standard_normal((batch, n_kv, n_k, width))
    v = generator.standard_normal((batch, n_kv, n_k, out))
    scale = float(generator.standard_normal()) if generator.random() < 0.5 else None
    kind = generator.choice(["none", "causal", "bool", "float"])
    mask = None
    if kind == "bool":
        mask = generator.random((batch, 1, n_q, n_k)) < 0.5
    if kind == "float":
        mask = generator.standard_normal((n_q, n_k))
        mask[generator.random((n_q, n_k)) < 0.3] = -math.inf
    return (q, k, v), scale, kind == "causal", mask


@pytest.mark.parametrize("seed", range(500))
def test_output_is_that_of_torch(seed):
    (q, k, v), scale, causal, mask = drawn(np.random.default_rng(seed))
    # The fused kernel of torch 2.13 turns a negative scale under is_causal into NaN.
    with attention.sdpa_kernel(attention.SDPBackend.MATH):
        theirs = torch.nn.functional.scaled_dot_product_attention(
            *(torch.from_numpy(array) for array in (q, k, v)),
            attn_mask=None if mask is None else torch.from_numpy(mask),
            is_causal=causal,
            scale=scale,
            enable_gqa=True,
        )
    options = AttentionOptions(
        scale=scale, causal="upper-left" if causal else None, mask=mask
    )
    ours = attention_scores(q, k, v, options)
    np.testing.assert_allclose(ours.output, theirs.numpy(), rtol=1e-9, atol=1e-12)
    assert ours.group == q.shape[1] // k.shape[1]


@pytest.mark.parametrize("seed", range(50))
def test_lower_right_is_torchs_bias_of_that_name(seed):
    bias = pytest.importorskip("torch.nn.attention.bias")
    (q, k, v), *_ = drawn(np.random.default_rng(seed))
    n_q, n_k = q.shape[-2], k.shape[-2]
    if n_q > n_k:
        pytest.skip("torch's bias leaves empty rows NaN in some versions")
    mask = bias.causal_lower_right(n_q, n_k)._materialize("cpu")
    seen = mask if mask.dtype == torch.bool else mask == 0
    ours = attention_scores(q, k, v, AttentionOptions(causal="lower-right"))
    theirs = attention_scores(q, k, v, AttentionOptions(mask=seen.numpy()))
    np.testing.assert_array_equal(ours.weights, theirs.weights)


def test_gpt_oss_sink_is_one_more_logit():
    # transformers' gpt-oss: the sink is a last column, dropped after the softmax.
    generator = np.random.default_rng(3)
    q, k = (
        generator.standard_normal((2, 4, 5, 8)),
        generator.standard_normal((2, 4, 6, 8)),
    )
    sinks = generator.standard_normal(4)
    logits = torch.from_numpy(q @ np.swapaxes(k, -1, -2) * 8**-0.5)
    column = torch.from_numpy(sinks).reshape(1, 4, 1, 1).expand(2, 4, 5, 1)
    theirs = torch.softmax(torch.cat([logits, column], dim=-1), dim=-1)[..., :-1]
    ours = attention_scores(q, k, None, AttentionOptions(sink=sinks.tolist()))
    np.testing.assert_allclose(ours.weights, theirs.numpy(), rtol=1e-12)
