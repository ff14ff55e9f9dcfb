"""Single rules of PEFT, each with the numbers that follow from its formula."""

import pytest

from llmcalc.core.lora.adapters import adapt_layer, adapt_parameter, ranks
from llmcalc.core.lora.layers import Layer, LoraConfig, Model, Parameter
from llmcalc.core.lora.matching import names, targets
from llmcalc.core.lora.peft import apply_lora
from llmcalc.errors import LlmcalcError

EMBEDDING = Layer("embed_tokens", "Embedding", 100, 8)
LINEAR = Layer("q", "Linear", 16, 4)
# A carries the kernel and ignores groups, B is grouped: r (16 x 9 + 8 / 2).
CONVOLUTION = Layer("c", "Conv2d", 16, 8, False, (3, 3), 2)
# torch's attention: in (d -> 3d) and out (d -> d).
ATTENTION = Layer("a", "MultiheadAttention", 8, 24)


@pytest.mark.parametrize(
    ("layer", "options", "params"),
    [
        (LINEAR, {}, 2 * 20),
        (LINEAR, {"use_dora": True}, 2 * 20 + 4),
        (LINEAR, {"lora_bias": True}, 2 * 20 + 4),
        (EMBEDDING, {}, 2 * 108),
        (EMBEDDING, {"use_dora": True}, 2 * 108 + 8),
        (CONVOLUTION, {}, 2 * (16 * 9 + 4)),
        (CONVOLUTION, {"use_dora": True}, 2 * (16 * 9 + 4) + 8),
        (ATTENTION, {}, 2 * (8 + 24) + 2 * (8 + 8)),
        (ATTENTION, {"lora_bias": True}, 2 * (8 + 24) + 2 * (8 + 8) + 24 + 8),
        (LINEAR, {"init_lora_weights": "mica"}, 2 * 16),
    ],
)
def test_parameters_of_each_kind(layer, options, params):
    adapted = adapt_layer(layer, ranks(LoraConfig(r=2, **options)), "")
    assert adapted.params == params
    assert adapted.params == adapted.unit * 2 + adapted.extra


@pytest.mark.parametrize(
    ("layer", "options", "named"),
    [
        (EMBEDDING, {"lora_bias": True}, "lora_bias on an Embedding"),
        (ATTENTION, {"use_dora": True}, "DoRA on MultiheadAttention"),
        (CONVOLUTION, {"r": 3}, "rank 3 on a convolution of 2 groups"),
        (CONVOLUTION, {"init_lora_weights": "mica"}, "mica on a Conv2d"),
        (LINEAR, {"r": 5, "init_lora_weights": "mica"}, "above a side of the weight"),
        (LINEAR, {"r": -1}, "r: -1 is not a rank"),
        (LINEAR, {"rank_pattern": (("q", 0),)}, "rank_pattern: 'q': 0 is not a rank"),
    ],
)
def test_refusals_of_each_kind(layer, options, named):
    with pytest.raises(LlmcalcError, match=named):
        adapt_layer(layer, ranks(LoraConfig(**options)), "")


@pytest.mark.parametrize(
    ("rank", "alpha", "plain", "by_root"),
    [
        (8, 10**400, float("inf"), float("inf")),
        (10**400, 8, 0.0, 8e-200),
        (10**400, 0.5, 0.0, 5e-201),
        (10**700, 10**400, 1e-300, 1e50),
        (4 * 10**200, 10**310, 2.5e109, 5e209),
    ],
)
def test_no_rank_and_no_alpha_is_too_large(rank, alpha, plain, by_root):
    for rslora, scaling in ((False, plain), (True, by_root)):
        config = LoraConfig(r=rank, lora_alpha=alpha, use_rslora=rslora)
        adapted = adapt_layer(LINEAR, ranks(config), "")
        assert adapted.params == 20 * rank
        assert adapted.scaling == pytest.approx(scaling, rel=1e-15)


def test_targets_that_match_nothing_are_named_whoever_chose_them():
    layers = [LINEAR._replace(name="layers.0.other")]
    model = Model("llama", layers, [], 64)
    with pytest.raises(
        LlmcalcError, match="q_proj, v_proj matches no layer; the names"
    ):
        apply_lora(model, LoraConfig())
    with pytest.raises(LlmcalcError, match="this llama has no Linear layer"):
        apply_lora(model._replace(layers=[EMBEDDING]), LoraConfig())


def test_a_name_that_is_no_expression_is_shown_as_it_was_given():
    config = LoraConfig(target_modules=("q",), modules_to_save=("(",))
    with pytest.raises(LlmcalcError, match=r"^modules_to_save: '\(' is not a regular"):
        apply_lora(Model("x", [LINEAR], [], 64), config)


@pytest.mark.parametrize("name", ["mixer.out_proj", "mixer.conv1d"])
def test_mamba_refuses_two_layers(name):
    with pytest.raises(LlmcalcError, match="refuses LoRA on out_proj and conv1d"):
        adapt_layer(LINEAR._replace(name=name), ranks(LoraConfig()), "mamba")


def test_every_expert_of_a_stack_has_its_own_adapter():
    stack = Parameter("mlp.experts.down_proj", (4, 10, 6))
    adapted = adapt_parameter(stack, ranks(LoraConfig(r=2)), fan=False)
    assert (adapted.params, adapted.experts) == (2 * 4 * 16, 4)
    assert (adapted.d_in, adapted.d_out) == (6, 10)
    turned = adapt_parameter(
        stack._replace(transposed=True), ranks(LoraConfig()), fan=False
    )
    assert (turned.d_in, turned.d_out) == (10, 6)
    with pytest.raises(LlmcalcError, match="tensors of 2 and 3 dimensions"):
        adapt_parameter(Parameter("m.w", (4,)), ranks(LoraConfig()), fan=False)


def test_first_pattern_that_fits_gives_the_rank_and_scales_by_it():
    config = LoraConfig(
        lora_alpha=8,
        rank_pattern=(("layers.0.q", 2), ("q", 4), ("layers.1.q", 16)),
        alpha_pattern=(("v", 3.0),),
    )
    given = ranks(config)
    scales = [
        adapt_layer(LINEAR._replace(name=f"layers.{i}.{n}"), given, "").scaling
        for i, n in ((0, "q"), (1, "q"), (0, "v"))
    ]
    assert scales == [8 / 2, 8 / 4, 3 / 8]


@pytest.mark.parametrize(
    ("wanted", "name", "matches"),
    [
        (("proj",), "layers.0.q_proj", False),
        (("q_proj",), "layers.0.q_proj", True),
        (("0.q_proj",), "layers.0.q_proj", True),
        (("layers.0",), "layers.0.q_proj", False),
        ("q_proj", "layers.0.q_proj", False),
        (r".*\.q_proj", "layers.0.q_proj", True),
        ((), "q", False),
    ],
)
def test_a_list_matches_endings_and_a_text_the_whole_name(wanted, name, matches):
    assert (names("target_modules", wanted).match(name) is not None) == matches


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"layers_to_transform": (1,)}, {"model.layers.1.q"}),
        ({"layers_to_transform": (1,), "layers_pattern": ("h",)}, set()),
        # A bare model's names have no word before the list: they drop out.
        ({"layers_to_transform": (0,)}, {"model.layers.0.q"}),
        # A name given in full ignores the layers.
        (
            {"layers_to_transform": (1,), "target_modules": ("model.layers.0.q",)},
            {"model.layers.0.q"},
        ),
        ({"modules_to_save": ("layers.0",)}, {"model.layers.1.q"}),
        ({"exclude_modules": r".*\.1\..*"}, {"model.layers.0.q", "layers.0.q"}),
    ],
)
def test_layers_and_exclusions_narrow_the_targets(options, kept):
    config = LoraConfig(**{"target_modules": ("q",), **options})
    every = ["model.layers.0.q", "model.layers.1.q", "layers.0.q"]
    match = targets(config).match
    assert {name for name in every if match(name) is not None} == kept


TIED = Model(
    "llama",
    [EMBEDDING, LINEAR, Layer("lm_head", "Linear", 8, 100)],
    [],
    864,
    tied=(("lm_head.weight", "embed_tokens.weight"),),
    output="lm_head",
    embedding="embed_tokens",
)


@pytest.mark.parametrize(
    ("options", "trained"),
    [
        ({"modules_to_save": ("lm_head",)}, 800),
        ({"modules_to_save": ("embed_tokens", "lm_head")}, 1600),
        (
            {
                "modules_to_save": ("embed_tokens", "lm_head"),
                "ensure_weight_tying": True,
            },
            800,
        ),
        ({"trainable_token_indices": (("", (1, 2, 3)),)}, 24),
        ({"trainable_token_indices": (("embed_tokens", (1,)), ("lm_head", (1,)))}, 8),
        ({"trainable_token_indices": (("embed_tokens", (1,)), ("lm_head", (2,)))}, 16),
    ],
)
def test_tied_layers_are_copied_or_followed(options, trained):
    adapted = apply_lora(TIED, LoraConfig(target_modules=("q",), **options))
    assert adapted.trainable == 8 * 20 + trained
    assert adapted.total == 864 + adapted.trainable


def test_two_copies_of_one_tensor_are_told_of():
    saved = ("embed_tokens", "lm_head")
    adapted = apply_lora(TIED, LoraConfig(target_modules=("q",), modules_to_save=saved))
    assert "ensure_weight_tying" in adapted.notes[0]
