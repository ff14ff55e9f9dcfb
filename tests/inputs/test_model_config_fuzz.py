"""Any values in a config.json: counted, or refused in one line."""

from hypothesis import given, settings
from hypothesis import strategies as st

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.config import read_config
from llmcalc.inputs.models.families import FAMILIES

SCALARS = st.none() | st.booleans() | st.integers(-3, 40) | st.floats() | st.text()
VALUES = SCALARS | st.lists(SCALARS, max_size=3)


FIELDS = [
    *("hidden_size", "num_attention_heads", "num_hidden_layers", "vocab_size"),
    *("n_embd", "n_layer", "num_layers", "d_model", "architectures", "id2label"),
    *("patch_size", "mlp_only_layers", "pos_att_type", "text_config", "expand"),
    *("time_step_rank", "num_labels", "relative_attention", "quantization_config"),
]


@settings(deadline=None)
@given(
    st.sampled_from(sorted(FAMILIES)),
    st.dictionaries(
        st.sampled_from(FIELDS),
        VALUES,
    ),
)
def test_any_config_is_counted_or_refused_in_one_line(model_type, fields):
    small = {"num_hidden_layers": 2, "n_layer": 2, "num_layers": 2, "vocab_size": 9}
    try:
        model = read_config({**small, **fields, "model_type": model_type}, "x")
    except LlmcalcError as error:
        assert "\n" not in str(error)
    else:
        assert model.total > 0
