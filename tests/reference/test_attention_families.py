"""The scale of each family against the attention classes of transformers themselves."""

import importlib
import inspect
import math

import pytest

from llmcalc.inputs.models.attention_config import attention_of_config
from llmcalc.inputs.models.attention_defaults import DEFAULT_FAMILIES
from llmcalc.inputs.models.attention_families import FAMILIES, NO_SCALE

torch = pytest.importorskip("torch")
auto = pytest.importorskip("transformers.models.auto.configuration_auto")
pytestmark = [
    pytest.mark.reference,
    pytest.mark.filterwarnings("ignore"),
]

NAMES = ("scaling", "softmax_scale", "inv_norm_factor", "scale")
TYPES = [
    kind
    for row in (*FAMILIES, *DEFAULT_FAMILIES)
    if row.rule != NO_SCALE
    for kind in row.types
]
# The attribute is another thing there: a root of the scale on each side, what is left
# after the query was scaled, or a divisor.
APART = {"openai_privacy_filter", "esm", "gpt_neox_japanese"}
# Classes whose own defaults do not make whole heads; their published configs do.
UNEVEN = {"glm4_moe", "glm4v_moe_text", "qwen3_omni_moe_text"}


def default_config(kind):
    try:
        return auto.CONFIG_MAPPING[kind]()
    except KeyError:
        pytest.skip(f"this transformers has no {kind}")


def attention_scales(config):
    """The factors that the attention modules of a config's own file hold."""
    name = type(config).__module__.replace("configuration_", "modeling_")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError:
        return []
    found = []
    for class_name, kind in inspect.getmembers(module, inspect.isclass):
        if "Attention" in class_name and issubclass(kind, torch.nn.Module):
            found += list(_factors(kind, config))
    return found


def _factors(kind, config):
    for arguments in ((config, 1), (config, 0), (config,)):
        try:
            with torch.device("meta"):
                built = kind(*arguments)
        except Exception:
            continue
        values = [getattr(built, name, None) for name in NAMES]
        yield from (v for v in values if isinstance(v, float | int) and v is not True)
        return


@pytest.mark.parametrize("kind", TYPES)
def test_scale_is_that_of_the_class(kind):
    if kind in APART | UNEVEN:
        pytest.skip("not to be read from its attention class")
    config = default_config(kind)
    found = attention_of_config(config.to_dict(), kind)
    inner = config.get_text_config(decoder=True)
    theirs = attention_scales(inner)
    if not theirs:
        pytest.skip("its attention keeps no factor")
    assert any(math.isclose(found.scale, one, rel_tol=1e-12) for one in theirs)


ROPES = {
    "qwen2": {"rope_type": "yarn", "factor": 4.0,
              "original_max_position_embeddings": 32768},
    "gpt_oss": {"rope_type": "yarn", "factor": 32.0,
                "original_max_position_embeddings": 4096},
    "llama": {"rope_type": "yarn", "factor": 16.0, "attention_factor": 1.25,
              "original_max_position_embeddings": 8192},
    "mistral": {"rope_type": "yarn", "factor": 16.0, "mscale": 1.0,
                "mscale_all_dim": 0.5, "original_max_position_embeddings": 8192},
    "phi3": {"rope_type": "longrope", "factor": 32.0,
             "long_factor": [1.0] * 48, "short_factor": [1.0] * 48,
             "original_max_position_embeddings": 4096},
}  # fmt: skip


@pytest.mark.parametrize("kind", ROPES)
def test_what_cos_and_sin_carry_is_theirs(kind):
    utils = pytest.importorskip("transformers.modeling_rope_utils")
    rope = {"rope_theta": 10000.0, **ROPES[kind]}
    config = auto.CONFIG_MAPPING[kind](rope_parameters=rope)
    _, theirs = utils.ROPE_INIT_FUNCTIONS[rope["rope_type"]](config, "cpu")
    found = attention_of_config({**config.to_dict(), "rope_parameters": rope}, kind)
    assert found.rope_factor == pytest.approx(theirs, rel=1e-12)
